// Shows the page that the server makes of the workspace: where pods can run, and what each event does to them.

import { Range, Uri, ViewColumn, WebviewPanel, window, workspace } from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

// The command by which the server makes the page.
const PAGE = "karplint.page";

/** A place that was chosen on the page: a path from the folder of the page, and a line from 1. */
interface Place {
  path: string;
  line: number;
}

/** What the server answers: the page, and the folder that its paths start at. */
interface Page {
  html: string;
  root: string;
}

let panel: WebviewPanel | undefined;

/** Makes the page of the file that is open, or of the first folder, anew and shows it. */
export async function show(client: LanguageClient | undefined): Promise<void> {
  const open = window.activeTextEditor?.document.uri ?? workspace.workspaceFolders?.[0]?.uri;
  if (client === undefined || open === undefined) {
    return;
  }
  const asked = { command: PAGE, arguments: [open.toString()] };
  const page = await client.sendRequest<Page | null>("workspace/executeCommand", asked);
  if (page === null) {
    await window.showInformationMessage("karplint has not read this folder.");
    return;
  }
  if (panel === undefined) {
    const options = { enableScripts: true, enableFindWidget: true, retainContextWhenHidden: true };
    panel = window.createWebviewPanel("karplint.page", "karplint", ViewColumn.Beside, options);
    panel.onDidDispose(() => (panel = undefined));
    panel.webview.onDidReceiveMessage((place: Place) => reveal(place));
  } else {
    panel.reveal();
  }
  root = page.root;
  panel.webview.html = page.html;
}

let root = "";

/** Opens a place beside the page. A page cannot lead out of its folder. */
async function reveal({ path, line }: Place): Promise<void> {
  const file = Uri.joinPath(Uri.parse(root), ...path.split("/").filter((it) => it !== ".."));
  const row = Math.max(0, line - 1);
  const selection = new Range(row, 0, row, 0);
  await window.showTextDocument(file, { selection, viewColumn: ViewColumn.One });
}
