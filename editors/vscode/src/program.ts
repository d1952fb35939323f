// Which program is the server, and how it is called.

import { homedir } from "node:os";
import { join } from "node:path";

/** The program a setting names. */
export function program(setting: string | undefined, folder: string | undefined): string {
  const name = setting?.trim() || "karplint";
  if (name === "~" || name.startsWith("~/") || name.startsWith("~\\")) {
    return join(homedir(), name.slice(1));
  }
  return inFolder(name, folder);
}

/** The arguments a setting gives it; without any it is told to serve. */
export function arguments_(setting: string[] | undefined, folder: string | undefined): string[] {
  const given = setting?.length ? setting : ["lsp"];
  return given.map((it) => inFolder(it, folder));
}

function inFolder(text: string, folder: string | undefined): string {
  return folder === undefined ? text : text.replace("${workspaceFolder}", () => folder);
}
