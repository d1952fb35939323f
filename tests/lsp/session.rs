//! A session with the built language server. Each message it sends is read into the types of the protocol.

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
    CodeAction, CompletionItem, InitializeResult, PublishDiagnosticsParams, RegistrationParams,
    ShowDocumentParams, ShowMessageParams,
};
use lsp_server::{Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(super) const CRDS: &str = "resource \"helm_release\" \"karpenter_crd\" {
  name         = \"karpenter-crd\"
  chart        = \"karpenter-crd\"
  repository   = \"oci://public.ecr.aws/karpenter\"
  version      = \"1.6.0\"
  namespace    = \"kube-system\"
  force_update = true
}
";

pub(super) const CONTROLLER: &str = "# 🎉 the controller
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
pub(super) const CONFIG: &str = "rules: {RULES}\n";

/// A running server and a repository it looks at.
pub(super) struct Session {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Message>,
    /// The number of the last request.
    pub next: i32,
    /// The repository.
    pub folder: TempDir,
}

/// The address of a path.
pub(super) fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

impl Session {
    /// Starts a server for an editor with these capabilities on a repository of these files.
    pub(super) fn start(files: &[(&str, &str)], capabilities: &Value) -> Self {
        Self::start_with(files, &json!({ "capabilities": capabilities }))
    }

    /// The same, with further parameters of the first message.
    pub(super) fn start_with(files: &[(&str, &str)], more: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        let others = karplint::rules::pages().filter(|it| it.name != "crds-not-skipped");
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
        let mut params = json!({
            "processId": null,
            "rootUri": root,
            "workspaceFolders": [{ "uri": root, "name": "infra" }],
        });
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        let result = session.ask("initialize", params);
        let result: InitializeResult = serde_json::from_value(result.result().unwrap()).unwrap();
        assert_eq!(result.server_info.unwrap().name, "karplint");
        session.tell("initialized", json!({}));
        session
    }

    /// The address of a file of the repository.
    pub(super) fn uri(&self, path: &str) -> String {
        uri(&self.folder.path().join(path))
    }

    /// Sends a message.
    pub(super) fn send(&mut self, message: &Message) {
        message.write(&mut self.input).unwrap();
    }

    /// Sends a notification.
    pub(super) fn tell(&mut self, method: &str, params: Value) {
        self.send(&Notification::new(method.to_owned(), params).into());
    }

    /// Sends a request.
    pub(super) fn post(&mut self, method: &str, params: Value) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        self.send(&Request::new(id.clone(), method.to_owned(), params).into());
        id
    }

    /// The next message, read into the types of the protocol.
    pub(super) fn receive(&self) -> Message {
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
                let params = it.params.clone();
                match it.method.as_str() {
                    "client/registerCapability" => {
                        serde_json::from_value::<RegistrationParams>(params).unwrap();
                    }
                    "window/showDocument" => {
                        serde_json::from_value::<ShowDocumentParams>(params).unwrap();
                    }
                    other => unreachable!("{other} was not expected"),
                }
            }
            Message::Response(_) => {}
        }
        message
    }

    /// Sends a request and waits for its answer.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Response {
        let id = self.post(method, params);
        loop {
            match self.receive() {
                Message::Response(response) if response.id == id => return response,
                _ => {}
            }
        }
    }

    /// The next diagnostics of a file that satisfy a condition.
    pub(super) fn diagnostics(
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

    /// The next diagnostics of any file.
    pub(crate) fn any_diagnostics(&self) -> PublishDiagnosticsParams {
        loop {
            if let Message::Notification(it) = self.receive()
                && it.method == "textDocument/publishDiagnostics"
            {
                return serde_json::from_value(it.params).unwrap();
            }
        }
    }

    /// Opens a file with a text.
    pub(super) fn open(&mut self, path: &str, text: &str) {
        let document =
            json!({ "uri": self.uri(path), "languageId": "terraform", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a range `(line, character)` of an open file.
    pub(super) fn change(
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

    /// A place `(line, character)` as parameters.
    pub(super) fn at(&self, path: &str, line: u32, character: u32) -> Value {
        let position = json!({ "line": line, "character": character });
        json!({ "textDocument": { "uri": self.uri(path) }, "position": position })
    }

    /// What can be done at a place.
    pub(super) fn actions(&mut self, path: &str, line: u32, character: u32) -> Vec<CodeAction> {
        self.actions_of(path, (line, character), &json!({ "diagnostics": [] }))
    }

    /// The same, for a request with its context.
    pub(super) fn actions_of(
        &mut self,
        path: &str,
        (line, character): (u32, u32),
        context: &Value,
    ) -> Vec<CodeAction> {
        let mut params = self.at(path, line, character);
        let position = params["position"].take();
        params["range"] = json!({ "start": position, "end": position });
        params["context"] = context.clone();
        params.as_object_mut().unwrap().remove("position");
        let response = self.ask("textDocument/codeAction", params);
        serde_json::from_value(response.result().unwrap()).unwrap()
    }

    /// What may be written at a place, each with its type.
    pub(super) fn proposed(&mut self, path: &str, line: u32, at: u32) -> Vec<(String, String)> {
        let params = self.at(path, line, at);
        let response = self.ask("textDocument/completion", params);
        let items: Vec<CompletionItem> =
            serde_json::from_value(response.result().unwrap()).unwrap();
        items.into_iter().map(|it| (it.label, it.detail.unwrap())).collect()
    }

    /// Closes a file.
    pub(super) fn close(&mut self, path: &str) {
        let document = json!({ "uri": self.uri(path) });
        self.tell("textDocument/didClose", json!({ "textDocument": document }));
    }

    /// The next message to the user.
    pub(super) fn message(&self) -> String {
        loop {
            if let Message::Notification(it) = self.receive()
                && it.method == "window/showMessage"
            {
                return it.params["message"].as_str().unwrap().to_owned();
            }
        }
    }

    /// The next request of the server of that kind.
    pub(super) fn request(&self, method: &str) -> Request {
        loop {
            match self.receive() {
                Message::Request(request) if request.method == method => return request,
                _ => {}
            }
        }
    }

    /// Says goodbye and waits for the server to end.
    pub(super) fn end(mut self) {
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

/// What a response says.
pub(super) trait Answer {
    /// The result; `None` where there is an error.
    fn result(self) -> Option<Value>;
    /// The error's code.
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

/// A text after edits of the protocol; characters outside ASCII are not looked for.
pub(super) fn applied(text: &str, edits: &Value) -> String {
    let offset = |position: &Value| {
        let line = usize::try_from(position["line"].as_u64().unwrap()).unwrap();
        let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        before + usize::try_from(position["character"].as_u64().unwrap()).unwrap()
    };
    let mut edits: Vec<&Value> = edits.as_array().unwrap().iter().collect();
    edits.sort_by_key(|it| std::cmp::Reverse(offset(&it["range"]["start"])));
    let mut text = text.to_owned();
    for edit in edits {
        let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        text.replace_range(range, edit["newText"].as_str().unwrap());
    }
    text
}
