//! The thread that talks to the editor.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
};

use crossbeam_channel::{Receiver, Sender, select};
use gen_lsp_types::{
    CodeAction, CodeActionKind, CodeActionParams, CompletionParams, Diagnostic,
    DidChangeTextDocumentParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, ExecuteCommandParams, HoverParams, PublishDiagnosticsParams,
    ShowDocumentParams, Uri,
};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{
    lsp::{
        action::{FIX_ALL, PAGE, SELECT, quick_fixes, wants},
        check::{self, CheckResult, Job, Opened},
        client::Client,
        completion,
        document::OpenDocument,
        edit, fix_file,
        hover::hover,
        page,
        place::path_of,
        protocol,
        view::View,
    },
    source::FileId,
};

/// The state of the server in a session.
pub(super) struct Server<'a> {
    connection: &'a Connection,
    client: Client,
    folders: Vec<PathBuf>,
    open: HashMap<Uri, OpenDocument>,
    jobs: Sender<Job>,
    results: Receiver<CheckResult>,
    /// Counts the states of the texts.
    generation: u64,
    checked: CheckResult,
    /// The diagnostics published last, by address.
    published: BTreeMap<String, Vec<Diagnostic>>,
    /// Requests that wait for the newest text to be checked.
    waiting: Vec<Request>,
    /// Counts the requests of its own.
    asked: i32,
}

impl<'a> Server<'a> {
    pub(super) fn new(connection: &'a Connection, client: Client, folders: Vec<PathBuf>) -> Self {
        let (jobs, results) = check::start();
        Self {
            connection,
            client,
            folders,
            open: HashMap::new(),
            jobs,
            results,
            generation: 0,
            checked: CheckResult::default(),
            published: BTreeMap::new(),
            waiting: Vec::new(),
            asked: 0,
        }
    }

    /// Asks the editor for notifications of files that change outside of it.
    pub(super) fn watch_files(&mut self) {
        self.ask("client/registerCapability", protocol::watchers());
    }

    /// Sends the editor a request whose answer is not needed.
    fn ask(&mut self, method: &str, params: Value) {
        self.asked += 1;
        let id = RequestId::from(format!("karplint-{}", self.asked));
        self.send(Request::new(id, method.to_owned(), params).into());
    }

    /// Serves until the editor shuts the server down or disconnects.
    pub(super) fn run(mut self) -> Result<(), String> {
        self.check();
        loop {
            select! {
                recv(self.connection.receiver) -> message => {
                    let Ok(message) = message else { return Ok(()) };
                    if self.handle(message)? {
                        return Ok(());
                    }
                },
                recv(self.results) -> checked => {
                    self.take(checked.map_err(|_| "the checking thread is gone".to_owned())?);
                },
            }
        }
    }

    fn send(&self, message: Message) {
        // A disconnected editor is noticed where its messages are read.
        let _ = self.connection.sender.send(message);
    }

    /// True when the editor has shut the server down.
    fn handle(&mut self, message: Message) -> Result<bool, String> {
        match message {
            Message::Request(request) => {
                if self.connection.handle_shutdown(&request).map_err(|error| error.to_string())? {
                    return Ok(true);
                }
                self.request(request);
            }
            Message::Notification(notification) => self.notification(notification),
            Message::Response(_) => {}
        }
        Ok(false)
    }

    fn request(&mut self, request: Request) {
        match request.method.as_str() {
            "textDocument/hover" | "textDocument/codeAction" | "textDocument/completion" => {
                self.waiting.push(request);
                self.answer();
            }
            "workspace/executeCommand" if request.params["command"] == PAGE => {
                self.waiting.push(request);
                self.answer();
            }
            "workspace/executeCommand" => {
                self.execute(request.params);
                self.send(Response::new_ok(request.id, Value::Null).into());
            }
            method => {
                let message = format!("karplint does not know `{method}`");
                let code = ErrorCode::MethodNotFound as i32;
                self.send(Response::new_err(request.id, code, message).into());
            }
        }
    }

    fn notification(&mut self, notification: Notification) {
        let params = notification.params;
        match notification.method.as_str() {
            "textDocument/didOpen" => {
                let Some(params) = read::<DidOpenTextDocumentParams>(params) else { return };
                let it = params.text_document;
                let path = path_of(&it.uri);
                self.open.insert(it.uri, OpenDocument { path, version: it.version, text: it.text });
            }
            "textDocument/didChange" => {
                let Some(params) = read::<DidChangeTextDocumentParams>(params) else { return };
                let it = params.text_document;
                let Some(document) = self.open.get_mut(&it.text_document_identifier.uri) else {
                    return;
                };
                document.change(it.version, params.content_changes, self.client.encoding);
            }
            "textDocument/didClose" => {
                let Some(params) = read::<DidCloseTextDocumentParams>(params) else { return };
                self.open.remove(&params.text_document.uri);
            }
            "workspace/didChangeWorkspaceFolders" => {
                let Some(params) = read::<DidChangeWorkspaceFoldersParams>(params) else { return };
                let gone: Vec<_> =
                    params.event.removed.iter().filter_map(|it| path_of(&it.uri)).collect();
                self.folders.retain(|it| !gone.contains(it));
                self.folders.extend(params.event.added.iter().filter_map(|it| path_of(&it.uri)));
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {}
            "$/cancelRequest" => return self.cancel(&params),
            _ => return,
        }
        self.check();
    }

    /// Cancels a request that was not answered yet.
    fn cancel(&mut self, params: &Value) {
        let id = match &params["id"] {
            Value::String(id) => RequestId::from(id.clone()),
            Value::Number(id) => match id.as_i64().and_then(|it| i32::try_from(it).ok()) {
                Some(id) => RequestId::from(id),
                None => return,
            },
            _ => return,
        };
        let Some(at) = self.waiting.iter().position(|it| it.id == id) else { return };
        let request = self.waiting.remove(at);
        let code = ErrorCode::RequestCanceled as i32;
        self.send(Response::new_err(request.id, code, "the editor took it back".to_owned()).into());
    }

    /// Has the newest text checked.
    fn check(&mut self) {
        self.generation += 1;
        let texts = self.texts();
        let folders = self.folders.iter().cloned();
        let mut opened: Vec<Opened> =
            folders.map(|folder| Opened { folder, files: Vec::new() }).collect();
        // What is said of a file opened alone is about this file, and never about its neighbours.
        let mut alone: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for (path, _) in &texts {
            let inside = self.folders.iter().any(|it| path.starts_with(it));
            if let Some(folder) = path.parent().filter(|_| !inside) {
                alone.entry(folder.to_path_buf()).or_default().push(path.clone());
            }
        }
        opened.extend(alone.into_iter().map(|(folder, files)| Opened { folder, files }));
        let generation = self.generation;
        // Without the thread, `run` has already ended.
        let _ = self.jobs.send(Job { generation, opened, texts });
    }

    /// The texts the editor has open.
    fn texts(&self) -> Vec<(PathBuf, String)> {
        let text =
            |(uri, document): (&Uri, &OpenDocument)| Some((path_of(uri)?, document.text.clone()));
        self.open.iter().filter_map(text).collect()
    }

    /// Publishes what a check found, and answers the requests that waited for it.
    fn take(&mut self, checked: CheckResult) {
        if checked.generation < self.generation {
            return;
        }
        for problem in checked.problems.iter().filter(|it| !self.checked.problems.contains(it)) {
            let params = json!({ "type": 2, "message": format!("karplint: {problem}") });
            self.send(Notification::new("window/showMessage".to_owned(), params).into());
        }
        self.checked = checked;
        self.publish();
        self.answer();
    }

    fn publish(&mut self) {
        let mut found: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
        for view in self.views() {
            for (uri, diagnostic) in view.diagnostics() {
                let list = found.entry(uri.0).or_default();
                // Folders inside one another find the same.
                if !list.contains(&diagnostic) {
                    list.push(diagnostic);
                }
            }
        }
        for uri in self.published.keys().chain(self.open.keys().map(|it| &it.0)) {
            if !found.contains_key(uri) {
                found.insert(uri.clone(), Vec::new());
            }
        }
        for (uri, diagnostics) in &found {
            let uri = Uri(uri.clone());
            let version = self.open.get(&uri).map(|it| it.version);
            if version.is_none() && self.published.get(&uri.0) == Some(diagnostics) {
                continue;
            }
            let params =
                PublishDiagnosticsParams { uri, version, diagnostics: diagnostics.clone() };
            let method = "textDocument/publishDiagnostics".to_owned();
            self.send(Notification::new(method, params).into());
        }
        found.retain(|_, it| !it.is_empty());
        self.published = found;
    }

    /// Answers the requests that wait, if the newest text has been checked.
    fn answer(&mut self) {
        if self.checked.generation < self.generation {
            return;
        }
        for request in std::mem::take(&mut self.waiting) {
            let result = match request.method.as_str() {
                "textDocument/hover" => read(request.params).map(|it| self.hover(&it)),
                "textDocument/completion" => read(request.params).map(|it| self.complete(&it)),
                "workspace/executeCommand" => read(request.params).map(|it| self.page(it)),
                _ => read(request.params).map(|it| self.actions(&it)),
            };
            let response = result.map_or_else(
                || {
                    let code = ErrorCode::InvalidParams as i32;
                    let message = format!("`{}` came with other parameters", request.method);
                    Response::new_err(request.id.clone(), code, message)
                },
                |it| Response::new_ok(request.id.clone(), it),
            );
            self.send(response.into());
        }
    }

    fn hover(&self, params: &HoverParams) -> Value {
        let at = &params.text_document_position_params;
        let found = self.find(&at.text_document.uri).and_then(|(view, file)| {
            let source = view.folder.project.files.get(file);
            let offset = self.client.encoding.offset(source, at.position);
            hover(view, file, offset).or_else(|| page::hover(view, file, offset))
        });
        json!(found)
    }

    fn complete(&self, params: &CompletionParams) -> Value {
        let at = &params.text_document_position_params;
        let found = self.find(&at.text_document.uri).map(|(view, file)| {
            let source = view.folder.project.files.get(file);
            let offset = self.client.encoding.offset(source, at.position);
            completion::items(view.folder, file, offset)
        });
        json!(found.unwrap_or_default())
    }

    /// The page of the folder of an address, or of the first.
    fn page(&self, params: ExecuteCommandParams) -> Value {
        let uri: Option<Uri> = params.arguments.into_iter().flatten().find_map(read);
        let path = uri.as_ref().and_then(path_of);
        let of = |path: &PathBuf| self.views().find(|it| it.folder.path_in_project(path).is_some());
        let view = path.as_ref().and_then(of).or_else(|| self.views().next());
        view.map_or(Value::Null, |it| page::page(it.folder))
    }

    fn actions(&self, params: &CodeActionParams) -> Value {
        let uri = &params.text_document.uri;
        let Some((view, file)) = self.find(uri) else { return json!([]) };
        let only = params.context.only.as_deref();
        let mut actions = Vec::new();
        if wants(only, "quickfix") {
            let source = view.folder.project.files.get(file);
            let offset = |it| self.client.encoding.offset(source, it);
            let (start, end) = (offset(params.range.start), offset(params.range.end));
            actions.extend(quick_fixes(view, &view.folder.findings_at(file, start, end)));
        }
        if wants(only, FIX_ALL) {
            actions.extend(self.fix_all(view, uri));
        }
        json!(actions)
    }

    fn fix_all(&self, view: View<'_>, uri: &Uri) -> Option<CodeAction> {
        let edits = fix_file::edits(view.folder, &self.texts(), &path_of(uri)?)?;
        if edits.is_empty() {
            return None;
        }
        Some(CodeAction {
            title: "Fix all that is safe to fix".to_owned(),
            kind: Some(CodeActionKind::new(FIX_ALL)),
            edit: Some(edit::fix(view, &edits)?),
            ..CodeAction::default()
        })
    }

    /// Puts the cursor where an action left something to be written.
    fn execute(&mut self, params: Value) {
        let Some(params) = read::<ExecuteCommandParams>(params) else { return };
        let arguments = params.arguments.filter(|_| params.command == SELECT).unwrap_or_default();
        let mut arguments = arguments.into_iter();
        let (uri, range) = (arguments.next(), arguments.next());
        if let (Some(uri), Some(selection)) = (uri.and_then(read), range.and_then(read)) {
            let take_focus = Some(true);
            let selection = Some(selection);
            let shown = ShowDocumentParams { uri, external: None, take_focus, selection };
            self.ask("window/showDocument", json!(shown));
        }
    }

    /// The folders that were checked.
    fn views(&self) -> impl Iterator<Item = View<'_>> {
        let (client, open) = (&self.client, &self.open);
        self.checked.folders.iter().map(move |folder| View { folder, client, open })
    }

    /// The folder and the file of an address.
    fn find(&self, uri: &Uri) -> Option<(View<'_>, FileId)> {
        let path = path_of(uri)?;
        self.views().find_map(|it| Some((it, it.folder.file(&path)?)))
    }
}

/// The parameters of a message; `None` where they are not as the protocol defines, and then it is ignored.
fn read<T: DeserializeOwned>(params: Value) -> Option<T> {
    serde_json::from_value(params).ok()
}
