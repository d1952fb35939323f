// Starts `karplint lsp` and leaves the rest to it.

import { commands, ExtensionContext, Uri, window, workspace } from "vscode";
import { LanguageClient, State } from "vscode-languageclient/node";

import { program } from "./program";

const LANGUAGES = [
  "terraform",
  "terraform-vars",
  "opentofu",
  "opentofu-vars",
  "hcl",
  "helm",
  "yaml",
  "json",
];
// Files that no language is known for, but that values and documents are made of.
const TEMPLATES = "**/*.{tf,tofu,tfvars,tpl,tftpl,gotmpl}";

let client: LanguageClient | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("karplint.restart", restart),
    workspace.onDidChangeConfiguration((event) =>
      event.affectsConfiguration("karplint.path") ? restart() : undefined,
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
  const setting = workspace.getConfiguration("karplint").get<string>("path");
  const command = program(setting, folder?.uri.fsPath);
  const languages = LANGUAGES.map((language) => ({ scheme: "file", language }));
  client = new LanguageClient(
    "karplint",
    { command, args: ["lsp"] },
    { documentSelector: [...languages, { scheme: "file", pattern: TEMPLATES }] },
  );
  try {
    await client.start();
  } catch (error) {
    await explain(command, error);
  }
}

async function explain(command: string, error: unknown): Promise<void> {
  const install = "How to install it";
  const settings = "Open the settings";
  const chosen = await window.showErrorMessage(
    `\`${command} lsp\` cannot be started: ${error instanceof Error ? error.message : error}`,
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
