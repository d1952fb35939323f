//! One session with the language server after another, over the pipes of the built program. Each message it
//! sends is read into the types of the protocol.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may stop at what it did not expect, and write its own files"
)]

use std::{
    fs,
    io::BufReader,
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use gen_lsp_types::{
    CodeAction, Hover, InitializeResult, PublishDiagnosticsParams, RegistrationParams,
    ShowMessageParams,
};
use lsp_server::{Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

const CRDS: &str = "resource \"helm_release\" \"karpenter_crd\" {
  name         = \"karpenter-crd\"
  chart        = \"karpenter-crd\"
  repository   = \"oci://public.ecr.aws/karpenter\"
  version      = \"1.6.0\"
  namespace    = \"kube-system\"
  force_update = true
}
";

const CONTROLLER: &str = "# 🎉 the controller
resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  chart      = \"karpenter\"
  repository = \"oci://public.ecr.aws/karpenter\"
  version    = \"1.6.0\"
  namespace  = \"kube-system\"
  skip_crds  = false
  depends_on = [helm_release.karpenter_crd]
}
";

/// The rule these tests are about; others would only be in the way.
const CONFIG: &str = "rules: {RULES}\n";

struct Session {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Message>,
    next: i32,
    folder: TempDir,
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

impl Session {
    fn start(files: &[(&str, &str)], capabilities: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        let others = karplint::rules::pages().iter().filter(|it| it.name != "crds-not-skipped");
        let off: Vec<String> = others.map(|it| format!("{}: off", it.name)).collect();
        let config = CONFIG.replace("RULES", &off.join(", "));
        fs::write(folder.path().join(".karplint.yaml"), config).unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_karplint"));
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        thread::spawn(move || {
            while let Ok(Some(message)) = Message::read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut session = Self { child, input, messages, next: 0, folder };
        let root = uri(session.folder.path());
        let params = json!({
            "processId": null,
            "rootUri": root,
            "workspaceFolders": [{ "uri": root, "name": "infra" }],
            "capabilities": capabilities,
        });
        let result = session.ask("initialize", params);
        let result: InitializeResult = serde_json::from_value(result.result().unwrap()).unwrap();
        assert_eq!(result.server_info.unwrap().name, "karplint");
        session.tell("initialized", json!({}));
        session
    }

    fn uri(&self, path: &str) -> String {
        uri(&self.folder.path().join(path))
    }

    fn send(&mut self, message: &Message) {
        message.write(&mut self.input).unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&Notification::new(method.to_owned(), params).into());
    }

    fn post(&mut self, method: &str, params: Value) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        self.send(&Request::new(id.clone(), method.to_owned(), params).into());
        id
    }

    fn receive(&self) -> Message {
        let message = self.messages.recv_timeout(Duration::from_secs(20)).unwrap();
        match &message {
            Message::Notification(it) => match it.method.as_str() {
                "textDocument/publishDiagnostics" => {
                    serde_json::from_value::<PublishDiagnosticsParams>(it.params.clone()).unwrap();
                }
                "window/showMessage" => {
                    serde_json::from_value::<ShowMessageParams>(it.params.clone()).unwrap();
                }
                other => unreachable!("{other} was not expected"),
            },
            Message::Request(it) => {
                assert_eq!(it.method, "client/registerCapability");
                serde_json::from_value::<RegistrationParams>(it.params.clone()).unwrap();
            }
            Message::Response(_) => {}
        }
        message
    }

    fn ask(&mut self, method: &str, params: Value) -> Response {
        let id = self.post(method, params);
        loop {
            match self.receive() {
                Message::Response(response) if response.id == id => return response,
                _ => {}
            }
        }
    }

    /// The next diagnostics of a file that satisfy a condition.
    fn diagnostics(
        &self,
        path: &str,
        good: impl Fn(&PublishDiagnosticsParams) -> bool,
    ) -> PublishDiagnosticsParams {
        loop {
            let Message::Notification(it) = self.receive() else { continue };
            if it.method != "textDocument/publishDiagnostics" {
                continue;
            }
            let params: PublishDiagnosticsParams = serde_json::from_value(it.params).unwrap();
            if params.uri.0 == self.uri(path) && good(&params) {
                return params;
            }
        }
    }

    fn open(&mut self, path: &str, text: &str) {
        let document =
            json!({ "uri": self.uri(path), "languageId": "terraform", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a range `(line, character)` of an open file.
    fn change(
        &mut self,
        path: &str,
        version: i32,
        (start, end): ((u32, u32), (u32, u32)),
        text: &str,
    ) {
        let position =
            |(line, character): (u32, u32)| json!({ "line": line, "character": character });
        let range = json!({ "start": position(start), "end": position(end) });
        let document = json!({ "uri": self.uri(path), "version": version });
        let changes = json!([{ "range": range, "text": text }]);
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
    }

    fn at(&self, path: &str, line: u32, character: u32) -> Value {
        let position = json!({ "line": line, "character": character });
        json!({ "textDocument": { "uri": self.uri(path) }, "position": position })
    }

    fn actions(&mut self, path: &str, line: u32, character: u32) -> Vec<CodeAction> {
        let mut params = self.at(path, line, character);
        let position = params["position"].take();
        params["range"] = json!({ "start": position, "end": position });
        params["context"] = json!({ "diagnostics": [] });
        params.as_object_mut().unwrap().remove("position");
        let response = self.ask("textDocument/codeAction", params);
        serde_json::from_value(response.result().unwrap()).unwrap()
    }

    fn end(mut self) {
        assert!(self.ask("shutdown", Value::Null).error().is_none());
        self.tell("exit", Value::Null);
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(10) {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success());
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        unreachable!("the server did not end");
    }
}

trait Answer {
    fn result(self) -> Option<Value>;
    fn error(&self) -> Option<i32>;
}

impl Answer for Response {
    fn result(self) -> Option<Value> {
        serde_json::to_value(self).ok()?.get("result").cloned()
    }

    fn error(&self) -> Option<i32> {
        let value = serde_json::to_value(self).ok()?;
        value["error"]["code"].as_i64().and_then(|it| it.try_into().ok())
    }
}

#[test]
fn findings_follow_the_text_as_it_is_typed() {
    let files = [("crds.tf", CRDS), ("main.tf", CONTROLLER)];
    let mut session = Session::start(&files, &json!({}));
    let found = session.diagnostics("main.tf", |it| !it.diagnostics.is_empty());
    assert_eq!(found.version, None);
    let first = serde_json::to_value(&found.diagnostics[0]).unwrap();
    assert_eq!(first["code"], "crds-not-skipped");
    assert_eq!(first["range"]["start"], json!({ "line": 7, "character": 15 }));
    assert_eq!(first["relatedInformation"][0]["location"]["uri"], session.uri("crds.tf"));
    // Unsaved text counts, and so does that of other files.
    session.open("main.tf", CONTROLLER);
    session.diagnostics("main.tf", |it| it.version == Some(1) && it.diagnostics.len() == 1);
    session.change("main.tf", 2, ((7, 15), (7, 20)), "true");
    session.diagnostics("main.tf", |it| it.version == Some(2) && it.diagnostics.is_empty());
    session.change("main.tf", 3, ((7, 15), (7, 19)), "false");
    session.diagnostics("main.tf", |it| it.version == Some(3) && it.diagnostics.len() == 1);
    session.open("crds.tf", "");
    session.diagnostics("main.tf", |it| it.diagnostics.is_empty());
    let document = json!({ "uri": session.uri("crds.tf") });
    session.tell("textDocument/didClose", json!({ "textDocument": document }));
    session.diagnostics("main.tf", |it| it.diagnostics.len() == 1);
    session.end();
}

#[test]
fn a_finding_can_be_read_about_mended_and_allowed() {
    let files = [("crds.tf", CRDS), ("main.tf", CONTROLLER)];
    let mut session = Session::start(&files, &json!({}));
    session.open("main.tf", CONTROLLER);
    let params = session.at("main.tf", 7, 16);
    let hover = session.ask("textDocument/hover", params).result().unwrap();
    let hover: Hover = serde_json::from_value(hover).unwrap();
    let text = serde_json::to_value(&hover).unwrap()["contents"]["value"].to_string();
    for part in
        ["`karpenter-crd`", "`crds.tf:1`", "Set `skip\\\\_crds", "rules/crds-not-skipped.md"]
    {
        assert!(text.contains(part) || text.contains(&part.replace("\\\\", "")), "{part}: {text}");
    }
    let params = session.at("main.tf", 2, 4);
    assert_eq!(session.ask("textDocument/hover", params).result(), Some(Value::Null));
    let actions = session.actions("main.tf", 7, 16);
    let titles: Vec<&str> = actions.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(titles, ["Skip the chart's own CRDs", "Allow `crds-not-skipped` here because …"]);
    let edits = |action: &CodeAction| {
        let edit = serde_json::to_value(action).unwrap();
        edit["edit"]["changes"][session.uri("main.tf")].clone()
    };
    let position = |line: u32, character: u32| json!({ "line": line, "character": character });
    let range = json!({ "start": position(7, 15), "end": position(7, 20) });
    assert_eq!(edits(&actions[0]), json!([{ "range": range, "newText": "true" }]));
    let range = json!({ "start": position(7, 0), "end": position(7, 0) });
    let comment = "  # karplint: allow crds-not-skipped because \n";
    assert_eq!(edits(&actions[1]), json!([{ "range": range, "newText": comment }]));
    // With a reason behind it the finding is allowed.
    session.change(
        "main.tf",
        2,
        ((7, 0), (7, 0)),
        "  # karplint: allow crds-not-skipped because of May\n",
    );
    session.diagnostics("main.tf", |it| it.version == Some(2) && it.diagnostics.is_empty());
    assert_eq!(session.actions("main.tf", 8, 16), []);
    session.end();
}

#[test]
fn the_editor_chooses_how_characters_are_counted() {
    let text = CONTROLLER.replace("  skip_crds  =", "  /* 🎉 */ skip_crds =");
    for (offered, column) in [(json!(["utf-16"]), 23), (json!(["utf-32", "utf-8"]), 25)] {
        let general = json!({ "general": { "positionEncodings": offered } });
        let mut session = Session::start(&[("crds.tf", CRDS), ("main.tf", &text)], &general);
        let found = session.diagnostics("main.tf", |it| !it.diagnostics.is_empty());
        assert_eq!(found.diagnostics[0].range.start.character, column);
        session.open("main.tf", &text);
        session.change("main.tf", 2, ((7, column), (7, column + 5)), "true");
        session.diagnostics("main.tf", |it| it.version == Some(2) && it.diagnostics.is_empty());
        session.end();
    }
}

#[test]
fn files_that_change_elsewhere_are_seen() {
    let watched =
        json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    let mut session = Session::start(&[("crds.tf", CRDS), ("main.tf", CONTROLLER)], &watched);
    let registered = loop {
        if let Message::Request(request) = session.receive() {
            break request;
        }
    };
    session.send(&Response::new_ok(registered.id, Value::Null).into());
    session.diagnostics("main.tf", |it| it.diagnostics.len() == 1);
    let path = session.folder.path().join("crds.tf");
    fs::remove_file(&path).unwrap();
    let change = json!({ "changes": [{ "uri": uri(&path), "type": 3 }] });
    session.tell("workspace/didChangeWatchedFiles", change);
    session.diagnostics("main.tf", |it| it.diagnostics.is_empty());
    // A config with a mistake is said once, and what was found before stays away.
    fs::write(session.folder.path().join(".karplint.yaml"), "rulez: {}\n").unwrap();
    session.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    loop {
        if let Message::Notification(it) = session.receive()
            && it.method == "window/showMessage"
        {
            assert!(it.params["message"].as_str().unwrap().contains("did you mean `rules`?"));
            break;
        }
    }
    session.end();
}

#[test]
fn folders_come_and_go() {
    let mut session = Session::start(&[("a/crds.tf", CRDS), ("a/main.tf", CONTROLLER)], &json!({}));
    session.diagnostics("a/main.tf", |it| it.diagnostics.len() == 1);
    let folder = json!({ "uri": uri(session.folder.path()), "name": "infra" });
    let event = json!({ "added": [], "removed": [folder] });
    session.tell("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    session.diagnostics("a/main.tf", |it| it.diagnostics.is_empty());
    // A file opened alone stands for its folder.
    session.open("a/main.tf", CONTROLLER);
    session.diagnostics("a/main.tf", |it| it.diagnostics.len() == 1);
    session.end();
}

#[test]
fn what_the_server_cannot_do_it_says() {
    let mut session = Session::start(&[("main.tf", CONTROLLER)], &json!({}));
    assert_eq!(session.ask("textDocument/rename", json!({})).error(), Some(-32601));
    assert_eq!(session.ask("textDocument/hover", json!({ "position": 1 })).error(), Some(-32602));
    // Texts that are no files, and messages that mean nothing, hurt nobody.
    let document =
        json!({ "uri": "untitled:Untitled-1", "languageId": "yaml", "version": 1, "text": "a: [" });
    session.tell("textDocument/didOpen", json!({ "textDocument": document }));
    session.tell("textDocument/didChange", json!({ "nothing": true }));
    session.tell("$/setTrace", json!({ "value": "off" }));
    session.tell("$/cancelRequest", json!({ "id": 4711 }));
    let params = session.at("gone.tf", 0, 0);
    assert_eq!(session.ask("textDocument/hover", params).result(), Some(Value::Null));
    session.end();
}

#[test]
fn a_request_can_be_taken_back() {
    let mut session = Session::start(&[("crds.tf", CRDS), ("main.tf", CONTROLLER)], &json!({}));
    session.open("main.tf", CONTROLLER);
    let params = session.at("main.tf", 7, 16);
    let id = session.post("textDocument/hover", params);
    session.tell("$/cancelRequest", json!({ "id": session.next }));
    let answer = loop {
        match session.receive() {
            Message::Response(response) if response.id == id => break response,
            _ => {}
        }
    };
    // Unless it was answered before.
    assert!(matches!(answer.error(), None | Some(-32800)), "{answer:?}");
    session.end();
}

#[test]
fn answers_come_quickly_in_large_repositories() {
    let mut files: Vec<(String, String)> = (0..1000)
        .map(|it| {
            let name = format!("app-{it}");
            let text = format!("apiVersion: apps/v1\nkind: Deployment\nmetadata: {{ name: {name} }}\nspec: {{ replicas: 2 }}\n");
            (format!("apps/{name}.yaml"), text)
        })
        .collect();
    files.push(("crds.tf".to_owned(), CRDS.to_owned()));
    files.push(("main.tf".to_owned(), CONTROLLER.to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
    let mut session = Session::start(&files, &json!({}));
    session.open("main.tf", CONTROLLER);
    session.diagnostics("main.tf", |it| it.version == Some(1));
    let mut fastest = Duration::MAX;
    for version in 2..12 {
        let started = Instant::now();
        session.change("main.tf", version, ((0, 0), (0, 0)), "#");
        session.diagnostics("main.tf", |it| it.version == Some(version));
        fastest = fastest.min(started.elapsed());
    }
    // Other programs share the machine, and this build is not optimised.
    assert!(fastest < Duration::from_secs(1), "{fastest:?}");
    session.end();
}
