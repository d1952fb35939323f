// Which program is the server.

import { homedir } from "node:os";
import { join } from "node:path";

/** The program a setting names. */
export function program(setting: string | undefined, folder: string | undefined): string {
  const name = setting?.trim() || "karplint";
  if (name === "~" || name.startsWith("~/") || name.startsWith("~\\")) {
    return join(homedir(), name.slice(1));
  }
  return folder === undefined ? name : name.replace("${workspaceFolder}", folder);
}
