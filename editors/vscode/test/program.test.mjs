import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { transformSync } from "esbuild";

async function load(name) {
  const source = readFileSync(new URL(`../src/${name}.ts`, import.meta.url), "utf8");
  const { code } = transformSync(source, { loader: "ts", format: "esm" });
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}
const { program, arguments_ } = await load("program");
const { withReason } = await load("reason");

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

test("the setting names the arguments", () => {
  assert.deepEqual(arguments_(undefined, "/work"), ["lsp"]);
  assert.deepEqual(arguments_([], "/work"), ["lsp"]);
  const docker = ["run", "-v", "${workspaceFolder}:/work", "karplint", "lsp"];
  assert.deepEqual(arguments_(docker, "/a$&b")[2], "/a$&b:/work");
});

test("a reason is written into the gap", () => {
  const changes = (text) => ({ changes: { "file:///a": [{ newText: text }] } });
  const edit = changes("# because GAP\n");
  assert.deepEqual(withReason({ edit, gap: "GAP", quoted: false }, " it\n is $& \"so\" "), changes('# because it is $& "so"\n'));
  assert.deepEqual(withReason({ edit, gap: "GAP", quoted: true }, 'a\\b "c"'), changes('# because a\\\\b \\"c\\"\n'));
});
