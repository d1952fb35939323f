//! The language server on the same texts: every request is answered, and it ends when it is asked to.

use std::{
    collections::HashSet,
    fs,
    io::BufReader,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use lsp_server::{Message, Notification, Request, RequestId};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{corpus::Texts, random::Random};

const PATIENCE: Duration = Duration::from_secs(45);

/// A running server over an empty folder.
pub(crate) struct Session {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Message>,
    next: i32,
    folder: TempDir,
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Session {
    fn start() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|it| it.to_string())?;
        fs::create_dir(folder.path().join(".git")).map_err(|it| it.to_string())?;
        let mut command = Command::new(env!("CARGO_BIN_EXE_karplint"));
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|it| it.to_string())?;
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
        let root = session.uri("");
        let folders = json!([{ "uri": root, "name": "x" }]);
        let params = json!({ "processId": null, "capabilities": {}, "workspaceFolders": folders });
        let id = session.ask("initialize", params)?;
        session.wait_for(HashSet::from([id]))?;
        session.tell("initialized", json!({}))?;
        Ok(session)
    }

    fn uri(&self, path: &str) -> String {
        format!("file://{}/{path}", self.folder.path().display())
    }

    fn send(&mut self, message: impl Into<Message>) -> Result<(), String> {
        let message: Message = message.into();
        message.write(&mut self.input).map_err(|it| format!("server: it is gone: {it}"))
    }

    fn tell(&mut self, method: &str, params: Value) -> Result<(), String> {
        self.send(Notification::new(method.to_owned(), params))
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<RequestId, String> {
        self.next += 1;
        let id = RequestId::from(self.next);
        self.send(Request::new(id.clone(), method.to_owned(), params))?;
        Ok(id)
    }

    fn wait_for(&mut self, mut asked: HashSet<RequestId>) -> Result<(), String> {
        while !asked.is_empty() {
            match self.messages.recv_timeout(PATIENCE) {
                Ok(Message::Response(it)) => drop(asked.remove(&it.id)),
                Ok(_) => {}
                Err(error) => return Err(format!("server: {} unanswered: {error}", asked.len())),
            }
        }
        Ok(())
    }
}

/// Opens the files, changes them, asks about them and closes them.
pub(crate) fn answers_all(
    session: &mut Option<Session>,
    files: &Texts,
    number: u64,
) -> Result<(), String> {
    let session = match session {
        Some(it) => it,
        None => session.insert(Session::start()?),
    };
    let random = &mut Random::of(!number);
    let place =
        |random: &mut Random| json!({ "line": random.below(60), "character": random.below(90) });
    let mut asked = HashSet::new();
    for (version, (path, text)) in files.iter().enumerate() {
        let uri = session.uri(&path.replace([' ', '%'], "_"));
        let document = json!({ "uri": uri, "languageId": "x", "version": version, "text": text });
        session.tell("textDocument/didOpen", json!({ "textDocument": document }))?;
        let range = json!({ "start": place(random), "end": place(random) });
        let change =
            json!({ "range": range, "text": random.one_of(&["", "x", "\n", "🎉", "[", "  "]) });
        let document = json!({ "uri": uri, "version": version + 1 });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        session.tell("textDocument/didChange", params)?;
        let at = json!({ "textDocument": { "uri": uri }, "position": place(random) });
        asked.insert(session.ask("textDocument/hover", at)?);
        let params = json!({
            "textDocument": { "uri": uri },
            "range": { "start": { "line": 0, "character": 0 }, "end": place(random) },
            "context": { "diagnostics": [], "only": ["quickfix", "source.fixAll.karplint"] },
        });
        asked.insert(session.ask("textDocument/codeAction", params)?);
        let method = random.one_of(&["textDocument/hover", "x/y", "workspace/executeCommand", ""]);
        asked.insert(session.ask(method, json!({ "textDocument": random.below(9) }))?);
    }
    session.wait_for(asked)?;
    for (path, _) in files {
        let uri = session.uri(&path.replace([' ', '%'], "_"));
        session.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }))?;
    }
    Ok(())
}
