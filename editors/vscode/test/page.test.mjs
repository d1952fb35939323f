// The panel with the page, against a stand-in for the editor.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { transformSync } from "esbuild";

const editor = { panels: [], messages: [], opened: [] };
globalThis.karplintEditor = editor;

// What the panel uses of VS Code.
const stand = `
const editor = globalThis.karplintEditor;
export class Range { constructor(...places) { this.places = places; } }
export const Uri = {
  parse: (text) => ({ text }),
  joinPath: (base, ...parts) => ({ text: [base.text, ...parts].join("/") }),
};
export const ViewColumn = { One: 1, Beside: -2 };
export const workspace = { workspaceFolders: undefined };
export const window = {
  activeTextEditor: { document: { uri: { toString: () => "file:///shop/web.yaml" } } },
  showInformationMessage: async (text) => { editor.messages.push(text); },
  showTextDocument: async (file, options) => { editor.opened.push([file.text, options.selection.places[0]]); },
  createWebviewPanel: () => {
    const panel = {
      shown: 1,
      reveal() { this.shown += 1; },
      onDidDispose(done) { this.dispose = done; },
      webview: { html: "", onDidReceiveMessage(done) { this.send = done; } },
    };
    editor.panels.push(panel);
    return panel;
  },
};
`;
const url = (code) => `data:text/javascript,${encodeURIComponent(code)}`;
const source = readFileSync(new URL("../src/page.ts", import.meta.url), "utf8");
const { code } = transformSync(source, { loader: "ts", format: "esm" });
const { show } = await import(url(code.replace('"vscode"', JSON.stringify(url(stand)))));

/** A client whose server answers this. */
function client(answer) {
  const asked = [];
  const sendRequest = async (method, params) => {
    asked.push([method, params]);
    return answer;
  };
  return { asked, sendRequest };
}

test("the page is shown in one panel, which is asked for again", async () => {
  const server = client({ html: "<p>one</p>", root: "file:///shop" });
  await show(server);
  const asked = { command: "karplint.page", arguments: ["file:///shop/web.yaml"] };
  assert.deepEqual(server.asked, [["workspace/executeCommand", asked]]);
  assert.equal(editor.panels.length, 1);
  assert.equal(editor.panels[0].webview.html, "<p>one</p>");
  await show(client({ html: "<p>two</p>", root: "file:///shop" }));
  assert.equal(editor.panels.length, 1);
  assert.equal(editor.panels[0].shown, 2);
  assert.equal(editor.panels[0].webview.html, "<p>two</p>");
});

test("a place on the page opens its file, and none outside of the folder", async () => {
  const { send } = editor.panels[0].webview;
  await send({ path: "pools/general.yaml", line: 7 });
  await send({ path: "../../etc/passwd", line: 0 });
  assert.deepEqual(editor.opened, [
    ["file:///shop/pools/general.yaml", 6],
    ["file:///shop/etc/passwd", 0],
  ]);
});

test("a closed panel is made anew, and a folder that is not read has none", async () => {
  editor.panels[0].dispose();
  await show(client(null));
  assert.deepEqual(editor.messages, ["karplint has not read this folder."]);
  assert.equal(editor.panels.length, 1);
  await show(undefined);
  await show(client({ html: "<p>three</p>", root: "file:///shop" }));
  assert.equal(editor.panels.length, 2);
});
