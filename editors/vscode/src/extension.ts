// Starts `karplint lsp` and leaves the rest to it.

import { commands, ExtensionContext, Uri, window, workspace } from "vscode";
import { LanguageClient, State } from "vscode-languageclient/node";

import { show } from "./page";
import { arguments_, program } from "./program";
import { Asked, withReason } from "./reason";

const LANGUAGES = [
  "terraform",
  "terraform-vars",
  "opentofu",
  "opentofu-vars",
  "hcl",
  "helm",
  "yaml",
  "json",
  "cloudformation",
  "github-actions-workflow",
  "shellscript",
  "makefile",
  "groovy",
  "jenkinsfile",
  "just",
];
// Files that no language is known for, but that values and documents are made of.
const TEMPLATES = "**/*.{tf,tofu,tfvars,tpl,tftpl,gotmpl,mk,just}";
// The settings that say how the server is started.
const STARTS = ["karplint.path", "karplint.arguments"];
// The command by which the server has this editor ask for the reason of an allowance.
const ALLOW = "karplint.allow";

let client: LanguageClient | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("karplint.restart", restart),
    commands.registerCommand(ALLOW, allow),
    commands.registerCommand("karplint.show", () => show(client)),
    workspace.onDidChangeConfiguration((event) =>
      STARTS.some((it) => event.affectsConfiguration(it)) ? restart() : undefined,
    ),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  const old = client;
  client = undefined;
  if (old?.state === State.Running) {
    await old.stop();
  }
  await old?.dispose();
}

async function restart(): Promise<void> {
  await deactivate();
  await start();
}

async function start(): Promise<void> {
  const folder = workspace.workspaceFolders?.find((it) => it.uri.scheme === "file");
  const settings = workspace.getConfiguration("karplint");
  const command = program(settings.get<string>("path"), folder?.uri.fsPath);
  const args = arguments_(settings.get<string[]>("arguments"), folder?.uri.fsPath);
  const languages = LANGUAGES.map((language) => ({ scheme: "file", language }));
  client = new LanguageClient(
    "karplint",
    { command, args },
    {
      documentSelector: [...languages, { scheme: "file", pattern: TEMPLATES }],
      initializationOptions: { commands: [ALLOW] },
    },
  );
  try {
    await client.start();
  } catch (error) {
    await explain([command, ...args].join(" "), error);
  }
}

/** Asks why a finding is allowed, and writes it down. */
async function allow(asked: Asked): Promise<void> {
  const reason = await window.showInputBox({
    title: "Allow a finding",
    prompt: "Why is it allowed? The reason is written beside it.",
    placeHolder: "the CRDs are adopted by hand until May",
    validateInput: (text) => (text.trim() === "" ? "Without a reason nothing is allowed" : undefined),
  });
  if (reason === undefined || client === undefined) {
    return;
  }
  const edit = await client.protocol2CodeConverter.asWorkspaceEdit(withReason(asked, reason));
  if (edit !== undefined && !(await workspace.applyEdit(edit))) {
    await window.showWarningMessage("The text has changed meanwhile: nothing was written.");
  }
}

async function explain(command: string, error: unknown): Promise<void> {
  const install = "How to install it";
  const settings = "Open the settings";
  const chosen = await window.showErrorMessage(
    `\`${command}\` cannot be started: ${error instanceof Error ? error.message : error}`,
    install,
    settings,
  );
  if (chosen === install) {
    const page = "https://github.com/karplint/karplint#install";
    await commands.executeCommand("vscode.open", Uri.parse(page));
  } else if (chosen === settings) {
    await commands.executeCommand("workbench.action.openSettings", "karplint.path");
  }
}
