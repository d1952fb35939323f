//! The files that commands write: by `>`, and by `tee`.

use std::ops::Range;

use crate::{
    resolve::release::script::variables::{Script, Snippet},
    syntax::shell::word::Word,
    value::Value,
};

impl Snippet {
    /// A command and those that its output goes through.
    pub(super) fn pipe(&self, at: usize) -> Range<usize> {
        let rest = self.commands.get(at..).unwrap_or_default();
        let piped = rest.iter().take_while(|it| it.is_piped).count();
        at..(at + piped + 1).min(self.commands.len())
    }
}

impl Script {
    /// The files that a command writes its output to.
    pub(super) fn files_written(&self, index: usize, at: usize) -> Vec<Value> {
        let Some(snippet) = self.snippets.get(index) else { return Vec::new() };
        let Some(command) = snippet.commands.get(at) else { return Vec::new() };
        let text = &*snippet.text.text;
        let is = |word: &Word, name: &str| word.plain(text).as_deref() == Some(name);
        let is_flag = |it: &&Word| it.plain(text).is_some_and(|it| it.starts_with('-'));
        let words = command.words.iter().skip_while(|it| is(it, "sudo") || is_flag(it));
        let words: Vec<&Word> = words.collect();
        let copies = match words.split_first() {
            Some((verb, files)) if is(verb, "tee") => files,
            _ => &[],
        };
        let copies = copies.iter().copied().filter(|it| !is_flag(it));
        copies.chain(&command.output).map(|it| self.value(index, it)).collect()
    }

    /// The text that an earlier command of the same snippet writes to a file: the last one before a place.
    pub(super) fn text_written(&self, index: usize, before: usize, file: &Value) -> Option<Value> {
        let snippet = self.snippets.get(index)?;
        let is_before = |at: &usize| {
            let words = snippet.commands.get(*at).and_then(|it| it.words.first());
            words.is_some_and(|it| it.range.start < before)
        };
        let writes = |at: &usize| {
            let mut written = snippet.pipe(*at).flat_map(|it| self.files_written(index, it));
            written.any(|it| it.same_as(file) == Some(true))
        };
        let has_text =
            |at: &usize| snippet.commands.get(*at).is_some_and(|it| it.document.is_some());
        let at = (0..snippet.commands.len()).filter(is_before).filter(has_text).rfind(writes)?;
        let document = snippet.commands.get(at)?.document.as_ref()?;
        Some(self.value(index, document))
    }
}
