import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { transformSync } from "esbuild";

const source = readFileSync(new URL("../src/program.ts", import.meta.url), "utf8");
const { code } = transformSync(source, { loader: "ts", format: "esm" });
const { program } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

test("the setting names the program", () => {
  for (const [setting, folder, expected] of [
    [undefined, "/work", "karplint"],
    [" ", "/work", "karplint"],
    ["/opt/karplint", "/work", "/opt/karplint"],
    ["~/bin/karplint", undefined, join(homedir(), "bin/karplint")],
    ["${workspaceFolder}/bin/karplint", "/work", "/work/bin/karplint"],
  ]) {
    assert.equal(program(setting, folder), expected);
  }
});
