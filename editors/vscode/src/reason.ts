// The reason of an allowance, put where the server left a gap for it.

import type { WorkspaceEdit } from "vscode-languageclient";

/** What the server sends with the command `karplint.allow`. */
export interface Asked {
  /** The edit. */
  edit: WorkspaceEdit;
  /** What stands for the reason in its texts. */
  gap: string;
  /** Whether the reason stands between double quotes. */
  quoted: boolean;
}

/** The edit with a reason in the place of the gap. */
export function withReason({ edit, gap, quoted }: Asked, reason: string): WorkspaceEdit {
  const line = reason.trim().replace(/\s*[\r\n]+\s*/g, " ");
  const text = quoted ? line.replace(/["\\]/g, "\\$&") : line;
  // A function, because `$&` in a reason is no pattern.
  const fill = (_: string, value: unknown) =>
    typeof value === "string" ? value.replace(gap, () => text) : value;
  return JSON.parse(JSON.stringify(edit, fill)) as WorkspaceEdit;
}
