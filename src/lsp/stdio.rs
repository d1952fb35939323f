//! Messages over standard input and output. A message of the protocol names its length: one that is longer than any
//! editor sends is passed over, for it would be kept whole in memory.

use std::{
    io::{self, BufRead, Cursor, Read},
    thread,
};

use crossbeam_channel::{Sender, bounded};
use lsp_server::{Connection, Message, Notification};
use serde_json::json;

use crate::source::account::Limit;

/// What a message may be larger than the largest file, for its text is written as JSON, which may take six bytes
/// for one, and several files may be in it.
const TIMES: usize = 16;

/// The thread that writes, which ends when the connection is dropped.
pub(super) struct Writer(thread::JoinHandle<io::Result<()>>);

impl Writer {
    /// Waits until all messages are written.
    ///
    /// # Errors
    /// When standard output is closed.
    pub(super) fn join(self) -> Result<(), String> {
        let written = self.0.join().map_err(|_| "the writing thread is gone".to_owned())?;
        written.map_err(|error| error.to_string())
    }
}

/// A connection with the editor at the other end.
///
/// # Errors
/// When a thread cannot be started.
pub(super) fn connect() -> io::Result<(Connection, Writer)> {
    let (sender, to_write) = bounded::<Message>(0);
    let writer = thread::Builder::new().name("writer".to_owned()).spawn(move || {
        let mut output = io::stdout().lock();
        to_write.into_iter().try_for_each(|it| it.write(&mut output))
    })?;
    let (read, receiver) = bounded::<Message>(0);
    let answers = sender.clone();
    // Nobody waits for it: it may wait for an editor that says no more.
    thread::Builder::new().name("reader".to_owned()).spawn(move || {
        let _ = read_all(&mut io::stdin().lock(), &read, &answers);
    })?;
    Ok((Connection { sender, receiver }, Writer(writer)))
}

/// Reads messages until the last one, or until nobody wants them any more.
fn read_all(
    input: &mut impl BufRead,
    read: &Sender<Message>,
    answers: &Sender<Message>,
) -> io::Result<()> {
    let most = TIMES * (Limit::FileMegabytes.most() << 20);
    while let Some((header, length)) = header(input)? {
        if length > most {
            let length_there = u64::try_from(length).unwrap_or(u64::MAX);
            io::copy(&mut input.by_ref().take(length_there), &mut io::sink())?;
            let _ = answers.send(passed_over(length));
            continue;
        }
        let mut whole = Cursor::new(header).chain(input.by_ref());
        let Some(message) = Message::read(&mut whole)? else { return Ok(()) };
        let is_exit = matches!(&message, Message::Notification(it) if it.method == "exit");
        if read.send(message).is_err() || is_exit {
            return Ok(());
        }
    }
    Ok(())
}

/// The lines before a message, with the length they name; `None` at the end of the input.
fn header(input: &mut impl BufRead) -> io::Result<Option<(Vec<u8>, usize)>> {
    /// Longer headers have no meaning here.
    const LONGEST: u64 = 4096;
    let (mut lines, mut length) = (Vec::new(), 0);
    loop {
        let start = lines.len();
        if input.by_ref().take(LONGEST).read_until(b'\n', &mut lines)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(lines.get(start..).unwrap_or_default()).to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(usize::MAX);
        }
        if line.trim().is_empty() || lines.len() as u64 > LONGEST {
            return Ok(Some((lines, length)));
        }
    }
}

fn passed_over(length: usize) -> Message {
    let words =
        format!("karplint: a message of {} MB is too large and was passed over", length >> 20);
    let params = json!({ "type": 2, "message": words });
    Notification::new("window/showMessage".to_owned(), params).into()
}

#[cfg(test)]
mod tests {
    use crossbeam_channel::unbounded;
    use lsp_server::Message;

    use super::read_all;

    /// What is read and what is answered.
    fn read(input: &[u8]) -> (Vec<Message>, Vec<Message>) {
        let ((send, read), (answer, answers)) = (unbounded(), unbounded());
        let _ = read_all(&mut &*input, &send, &answer);
        drop((send, answer));
        (read.into_iter().collect(), answers.into_iter().collect())
    }

    #[test]
    fn a_message_that_is_too_long_is_passed_over() {
        let exit = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let long = " ".repeat(65 << 20);
        let of = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
        let (messages, answers) = read((of(&long) + &of(exit)).as_bytes());
        assert!(matches!(messages.as_slice(), [Message::Notification(it)] if it.method == "exit"));
        assert!(
            matches!(answers.as_slice(), [Message::Notification(it)] if it.method == "window/showMessage")
        );
        // One that is announced and never comes.
        let (messages, answers) = read(b"Content-Length: 3221225472\r\n\r\n{");
        assert_eq!((messages.len(), answers.len()), (0, 1));
        let (messages, _) = read(b"Content-Length: 99999999999999999999999\r\n\r\n{");
        assert!(messages.is_empty());
    }
}
