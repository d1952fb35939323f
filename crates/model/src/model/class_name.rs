//! The names that classes have anywhere in a repository, seen as objects or written for some other tool.

pub(crate) mod text;

use crate::{
    hash::{HashMap, HashSet},
    model::{applied::AppliedObject, class_name::text::Definition},
    resolve::kubernetes::{Located, Object},
    source::{FileId, SourceFile, Span},
    value::{HOLE_END, HOLE_START, Kind},
};

/// The names of all classes.
#[derive(Debug, Default)]
pub struct ClassNames {
    known: HashSet<String>,
    /// The pieces around what is not known of a name.
    patterns: Vec<Vec<String>>,
    /// What objects are made of, so that it is not read once more as text.
    seen: HashMap<FileId, Vec<Span>>,
}

impl ClassNames {
    /// The names of the classes of plain files and of Terraform, but not of those files that a
    /// kustomization builds from: it may rename them.
    #[must_use]
    pub fn of_plain(objects: &[Located], listed: &HashSet<FileId>) -> Self {
        let mut names = Self::default();
        for Located { object, .. } in objects {
            let place = object.value.span;
            if matches!(&*object.kind, "EC2NodeClass" | "NodePool" | "NodeClaim") {
                names.seen.entry(place.file).or_default().push(place);
            }
            if !listed.contains(&place.file) {
                names.add(object);
            }
        }
        names
    }

    /// Adds the names of the classes that are applied.
    #[must_use]
    pub fn and_applied(mut self, objects: &[AppliedObject]) -> Self {
        for applied in objects {
            self.add(&applied.located.object);
        }
        self
    }

    fn add(&mut self, object: &Object) {
        if &*object.kind != "EC2NodeClass" {
            return;
        }
        match object.value.at("metadata.name").present().map(|it| &it.kind) {
            Some(Kind::String(text)) if text.holes.is_empty() => {
                self.known.insert(text.text.to_string());
            }
            Some(Kind::String(text)) => self.patterns.push(pieces(&text.text)),
            _ => self.patterns.push(pieces("\u{e000}0\u{e001}")),
        }
    }

    /// Whether some class may have that name.
    #[must_use]
    pub fn may_hold(&self, name: &str) -> bool {
        self.known.contains(name) || self.patterns.iter().any(|it| fits(it, name))
    }

    /// Whether a file says in any other way that there may be a class of that name: a template, a script,
    /// the values of a chart.
    #[must_use]
    pub fn are_joined_by(&self, name: &str, (id, file): (FileId, &SourceFile), text: &str) -> bool {
        if !text::is_worth_it(text) {
            return false;
        }
        let rest = text::without(text, self.seen.get(&id).map_or(&[][..], Vec::as_slice));
        let defines = text::definitions(&rest).any(|it| match it {
            Definition::Named(it) => it == name,
            Definition::Unknown => true,
        });
        defines || (!text::is_prose(file.ending()) && text::speaks_of(&rest, name))
    }
}

/// The known pieces of a text with holes.
fn pieces(text: &str) -> Vec<String> {
    let mut parts = text.split(HOLE_START);
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|it| it.split_once(HOLE_END).map_or(it, |(_, rest)| rest));
    std::iter::once(first).chain(rest).map(str::to_owned).collect()
}

/// Whether a name has these pieces, one after the other, with anything between them.
fn fits(pieces: &[String], name: &str) -> bool {
    let Some((first, others)) = pieces.split_first() else { return false };
    let Some((last, middle)) = others.split_last() else { return first == name };
    let inside = name.strip_prefix(first.as_str()).and_then(|it| it.strip_suffix(last.as_str()));
    let mut rest = inside;
    for piece in middle {
        rest = rest.and_then(|it| it.find(piece).map(|at| &it[at + piece.len()..]));
    }
    rest.is_some()
}

#[cfg(test)]
mod tests {
    use super::{fits, pieces};

    #[test]
    fn names_with_holes_fit_what_they_may_become() {
        for (written, name, wanted) in [
            ("HOLE", "default", true),
            ("HOLE-gpu", "shop-gpu", true),
            ("HOLE-gpu", "gpu", false),
            ("shop-HOLE", "shop-", true),
            ("shop-HOLE-HOLE", "shop-a-b", true),
            ("shop-HOLE-x-HOLE", "shop-a-b", false),
            ("a-HOLE-a", "a-a", false),
            ("plain", "plain", true),
            ("plain", "plainer", false),
        ] {
            let written = written.replace("HOLE", "\u{e000}0\u{e001}");
            assert_eq!(fits(&pieces(&written), name), wanted, "{written} {name}");
        }
    }
}
