//! The repositories that are changed: each fixture, and the code under each heading of each page.

use std::{fs, path::Path};

/// Paths and texts.
pub(crate) type Texts = Vec<(String, String)>;

/// All repositories, and all texts by the ending of their files.
pub(crate) struct Corpus {
    pub repositories: Vec<Texts>,
}

/// Larger ones say nothing that smaller ones do not, in bytes.
const LARGEST: usize = 40_000;

impl Corpus {
    pub(crate) fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut repositories: Vec<Texts> = Vec::new();
        for topic in folders(&root.join("fixtures")) {
            repositories.extend(folders(&topic).iter().map(|it| files_below(it)));
        }
        for page in karplint::rules::pages() {
            repositories.extend(examples(&page.body));
        }
        let size = |it: &Texts| it.iter().map(|(_, text)| text.len()).sum::<usize>();
        repositories.retain(|it| (1..LARGEST).contains(&size(it)));
        Self { repositories }
    }

    /// A text with this ending, chosen by a number.
    pub(crate) fn text_like(&self, path: &str, mut number: usize) -> &str {
        let ending = path.rsplit('.').next().unwrap_or_default();
        for _ in 0..50 {
            let repository = &self.repositories[number % self.repositories.len()];
            let alike = |it: &&(String, String)| it.0.ends_with(ending);
            if let Some((_, text)) = repository.iter().find(alike) {
                return text;
            }
            number = number.wrapping_mul(31).wrapping_add(7);
        }
        ""
    }
}

fn folders(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|it| it.is_dir()).collect();
    folders.sort();
    folders
}

/// The files below a folder.
pub(crate) fn files_below(root: &Path) -> Texts {
    let mut files = Vec::new();
    let mut left = vec![root.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                let inside = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                files.push((inside, text));
            }
        }
    }
    files.sort();
    files
}

/// The code of a page: a repository for each heading.
fn examples(body: &str) -> Vec<Texts> {
    let mut found = vec![Texts::new()];
    let mut open: Option<(String, String)> = None;
    for line in body.lines() {
        if let Some((path, text)) = &mut open {
            if line.starts_with("```") {
                let file = (std::mem::take(path), std::mem::take(text));
                found.last_mut().unwrap().push(file);
                open = None;
            } else {
                text.push_str(line);
                text.push('\n');
            }
        } else if line.starts_with("##") {
            found.push(Texts::new());
        } else if line.starts_with("```") {
            let path = line.split_once("file=").map_or("x.txt", |it| it.1);
            open = Some((path.trim_start_matches("diff:").to_owned(), String::new()));
        }
    }
    found
}
