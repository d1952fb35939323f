// The client library of VS Code talks to the built server: `KARPLINT=path/to/karplint npm test`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";

const protocol = createRequire(import.meta.url)("vscode-languageserver-protocol/node");

const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const server = resolve(process.env.KARPLINT ?? join(here, "../../../target/debug/karplint"));

const CRDS = `resource "helm_release" "karpenter_crd" {
  chart        = "oci://public.ecr.aws/karpenter/karpenter-crd"
  name         = "karpenter-crd"
  version      = "1.8.2"
  force_update = true
}
`;
const CONTROLLER = `resource "helm_release" "karpenter" {
  chart      = "oci://public.ecr.aws/karpenter/karpenter"
  name       = "karpenter"
  version    = "1.8.2"
  skip_crds  = false
  depends_on = [helm_release.karpenter_crd]
}
`;

const JSON_CONTROLLER = `{
  "resource": { "helm_release": { "karpenter": {
    "chart": "oci://public.ecr.aws/karpenter/karpenter",
    "name": "karpenter",
    "version": "1.8.2",
    "depends_on": ["helm_release.karpenter_crd"],
    "skip_crds": false
  } } }
}
`;

const folder = mkdtempSync(join(tmpdir(), "karplint-"));
mkdirSync(join(folder, ".git"));
writeFileSync(join(folder, "crds.tf"), CRDS);
writeFileSync(join(folder, "controller.tf"), CONTROLLER);
mkdirSync(join(folder, "other"));
writeFileSync(join(folder, "other/crds.tf"), CRDS);
writeFileSync(join(folder, "other/controller.tf.json"), JSON_CONTROLLER);
after(() => rmSync(folder, { recursive: true }));

const uri = (name) => pathToFileURL(join(folder, name)).href;

/** Diagnostics as they arrive; `until` waits for those of a file that pass. */
class Diagnostics {
  #latest = new Map();
  #waiting = [];

  publish({ uri, diagnostics }) {
    this.#latest.set(uri, diagnostics);
    this.#waiting = this.#waiting.filter(({ file, passes, done }) => {
      const found = this.#latest.get(file);
      const over = found !== undefined && passes(found);
      if (over) done(found);
      return !over;
    });
  }

  until(file, passes) {
    const found = this.#latest.get(file);
    if (found !== undefined && passes(found)) return Promise.resolve(found);
    return new Promise((done) => this.#waiting.push({ file, passes, done }));
  }
}

test("a session from hello to goodbye", { timeout: 60_000 }, async () => {
  const child = spawn(server, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const gone = new Promise((done) => child.on("exit", done));
  const connection = protocol.createProtocolConnection(child.stdout, child.stdin);
  const diagnostics = new Diagnostics();
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (it) =>
    diagnostics.publish(it),
  );
  const watched = new Promise((done) =>
    connection.onRequest(protocol.RegistrationRequest.type, ({ registrations }) =>
      done(registrations),
    ),
  );
  connection.listen();

  const { capabilities, serverInfo } = await connection.sendRequest(
    protocol.InitializeRequest.type,
    {
      processId: process.pid,
      rootUri: pathToFileURL(folder).href,
      workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "infra" }],
      initializationOptions: { commands: ["karplint.allow"] },
      capabilities: {
        workspace: {
          didChangeWatchedFiles: { dynamicRegistration: true },
          workspaceEdit: { documentChanges: true, resourceOperations: ["create"] },
        },
        textDocument: {
          codeAction: {
            codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } },
          },
        },
      },
    },
  );
  assert.equal(serverInfo.name, "karplint");
  assert.equal(capabilities.textDocumentSync.change, protocol.TextDocumentSyncKind.Incremental);
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  assert.equal((await watched)[0].method, "workspace/didChangeWatchedFiles");

  const file = uri("controller.tf");
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri: file, languageId: "terraform", version: 1, text: CONTROLLER },
  });
  const isOurs = (it) => it.code === "crds-not-skipped";
  const [found] = (await diagnostics.until(file, (it) => it.some(isOurs))).filter(isOurs);
  assert.deepEqual(found.range, {
    start: { line: 4, character: 15 },
    end: { line: 4, character: 20 },
  });
  assert.equal(found.severity, protocol.DiagnosticSeverity.Warning);
  assert.equal(found.source, "karplint");
  // The other half of the finding lies in a file that is not open.
  assert.equal(found.relatedInformation[0].location.uri, uri("crds.tf"));

  const hover = await connection.sendRequest(protocol.HoverRequest.type, {
    textDocument: { uri: file },
    position: { line: 4, character: 17 },
  });
  assert.match(hover.contents.value, /Every `karpenter` chart carries the CRDs/);

  const actions = await connection.sendRequest(protocol.CodeActionRequest.type, {
    textDocument: { uri: file },
    range: found.range,
    context: { diagnostics: [found] },
  });
  const fix = actions.find((it) => it.kind === protocol.CodeActionKind.QuickFix && it.edit);
  const [edit] = Object.values(fix.edit.changes ?? {})[0] ?? fix.edit.documentChanges[0].edits;
  assert.equal(edit.newText, "true");

  // The extension asks for the reason and makes the edit.
  const [asked] = actions.find((it) => it.command?.command === "karplint.allow").command.arguments;
  const [comment] = asked.edit.changes[file];
  assert.ok(comment.newText.includes(asked.gap));
  assert.deepEqual(comment.range.start, { line: 4, character: 0 });

  // In JSON a comment would break the file: the config is made instead.
  const other = uri("other/controller.tf.json");
  const [inJson] = (await diagnostics.until(other, (it) => it.some(isOurs))).filter(isOurs);
  const inConfig = await connection.sendRequest(protocol.CodeActionRequest.type, {
    textDocument: { uri: other },
    range: inJson.range,
    context: { diagnostics: [inJson], only: [protocol.CodeActionKind.QuickFix] },
  });
  const entry = inConfig.find((it) => it.title.includes("`crds-not-skipped` in .karplint.yaml"));
  const [create, write] = entry.command.arguments[0].edit.documentChanges;
  assert.deepEqual([create.kind, create.uri], ["create", uri(".karplint.yaml")]);
  assert.match(write.edits[0].newText, /^# Decisions of karplint .*\n\nallow:\n  - rule: crds-not-skipped\n/);

  const [all] = await connection.sendRequest(protocol.CodeActionRequest.type, {
    textDocument: { uri: file },
    range: found.range,
    context: { diagnostics: [], only: [protocol.CodeActionKind.SourceFixAll] },
  });
  assert.equal(all.kind, "source.fixAll.karplint");

  await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri: file, version: 2 },
    contentChanges: [{ range: edit.range, text: edit.newText }],
  });
  await diagnostics.until(file, (it) => !it.some(isOurs));

  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  assert.equal(await gone, 0);
  connection.dispose();
});
