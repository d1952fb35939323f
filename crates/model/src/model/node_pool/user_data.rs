//! Taints that user data gives a node when it registers.

use crate::{
    source::Span,
    value::{Field, Kind, Text, Value},
    version::Version,
};

/// What the nodes of a class run when they start.
#[derive(Clone, Debug)]
pub struct UserData {
    format: UserDataFormat,
    text: Option<(Text, Span)>,
}

/// A family of images, by how they read user data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UserDataFormat {
    /// Amazon Linux 2023: nodeadm.
    Al2023,
    /// Bottlerocket: TOML.
    Bottlerocket,
    /// Another one, or one that is not known.
    Other,
}

impl UserData {
    /// The user data of an `EC2NodeClass` or an `AWSNodeTemplate`.
    pub(crate) fn read(class: &Value) -> Self {
        let text = match class.at("spec.userData") {
            Field::Present(Value { kind: Kind::String(text), span, .. }) => {
                Some((text.clone(), *span))
            }
            _ => None,
        };
        Self { format: UserDataFormat::read(class), text }
    }

    /// How it registers nodes with a taint of that key, and where that is written.
    #[must_use]
    pub fn registers(&self, key: &str) -> Option<(Registered, Span)> {
        let (text, span) = self.text.as_ref()?;
        let (way, at) = Registered::find(&text.text, key)?;
        Some((way, text.locate(at, at + key.len(), *span)))
    }

    /// Whether Karpenter of that version, or the newest, writes the taints of these nodes itself, in place
    /// of those of the user data.
    /// <https://github.com/aws/karpenter-provider-aws/tree/v1.14.1/pkg/providers/amifamily/bootstrap>
    #[must_use]
    pub fn drops(&self, registered: Registered, version: Option<&Version>) -> bool {
        match self.format {
            // Its `NodeConfig` is the last one since 1.0, and lists replace one another.
            UserDataFormat::Al2023 => {
                registered == Registered::Config
                    && version.is_none_or(|it| *it >= Version::new(1, 0, 0))
            }
            UserDataFormat::Bottlerocket => true,
            UserDataFormat::Other => false,
        }
    }
}

impl UserDataFormat {
    fn read(class: &Value) -> Self {
        let written = class.at("spec.amiFamily").present().and_then(Value::as_str);
        let terms = class.at("spec.amiSelectorTerms").present().map_or(&[][..], Value::items);
        let alias = terms.iter().find_map(|it| it.get("alias").present()?.as_str());
        let alias = alias.map(|it| it.split('@').next().unwrap_or(it));
        match written.or(alias) {
            Some("AL2023" | "al2023") => Self::Al2023,
            Some("Bottlerocket" | "bottlerocket") => Self::Bottlerocket,
            _ => Self::Other,
        }
    }
}

/// How a taint is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registered {
    /// The flag `--register-with-taints`, also as kubeadm writes it.
    Flag,
    /// `registerWithTaints` in a configuration of the kubelet.
    Config,
    /// `settings.kubernetes.node-taints` of Bottlerocket.
    Settings,
}

const FLAG: &str = "register-with-taints";
const CONFIG: &str = "registerWithTaints";
const SETTINGS: &str = "node-taints";
/// What a `JoinConfiguration` of kubeadm says of the node; `taints` is one of its keys.
const JOIN: &str = "nodeRegistration:";

impl Registered {
    /// The way in which a text asks for a taint of that key, and the place of the key in it. Comments ask
    /// for nothing.
    #[must_use]
    pub fn find(text: &str, key: &str) -> Option<(Self, usize)> {
        let mut section = Section::Other;
        for (start, line) in lines(text) {
            let code = line.trim();
            if code.is_empty() || code.starts_with(['#', ';']) || code.starts_with("//") {
                continue;
            }
            section = section.after(line);
            let at = key_in(line, key);
            let behind = |word: &str| at.filter(|at| line.find(word).is_some_and(|it| it < *at));
            if let Some(at) = behind(FLAG) {
                return Some((Self::Flag, start + at));
            }
            if let Some(at) = behind(CONFIG) {
                return Some((Self::Config, start + at));
            }
            if let Some(at) = behind(SETTINGS) {
                return Some((Self::Settings, start + at));
            }
            match (section, at) {
                (Section::Flag { .. } | Section::JoinTaints(_), Some(at)) => {
                    return Some((Self::Flag, start + at));
                }
                (Section::Config(_), Some(at)) => return Some((Self::Config, start + at)),
                (Section::Settings, Some(at)) => return Some((Self::Settings, start + at)),
                _ => {}
            }
        }
        None
    }
}

/// What the lines up to here opened.
#[derive(Clone, Copy, Debug)]
enum Section {
    Other,
    /// What follows the flag, which may go on in the next line.
    Flag {
        goes_on: bool,
    },
    /// A list, by the indentation of its key.
    Config(usize),
    /// A table of TOML.
    Settings,
    /// What kubeadm registers a node with, by the indentation of its key.
    Join(usize),
    /// The list of taints in it, by the indentation of its key.
    JoinTaints(usize),
}

impl Section {
    /// The section a line belongs to.
    fn after(self, line: &str) -> Self {
        let code = line.trim();
        let indentation = line.len() - line.trim_start().len();
        if code.starts_with('[') && code.ends_with(']') && !code.contains(':') {
            let table = code.trim_matches(['[', ']']);
            return if table.ends_with(SETTINGS) { Self::Settings } else { Self::Other };
        }
        if line.contains(CONFIG) {
            return Self::Config(indentation);
        }
        if line.contains(FLAG) || matches!(self, Self::Flag { goes_on: true }) {
            return Self::Flag { goes_on: code.ends_with('\\') };
        }
        if code == JOIN {
            return Self::Join(indentation);
        }
        match self {
            Self::Join(key) if indentation > key && code.starts_with("taints:") => {
                Self::JoinTaints(indentation)
            }
            Self::Join(key) if indentation <= key => Self::Other,
            Self::JoinTaints(key) if indentation < key => Self::Other,
            Self::JoinTaints(key) if indentation == key && !code.starts_with('-') => Self::Other,
            Self::Config(key) if indentation < key => Self::Other,
            Self::Config(key) if indentation == key && !code.starts_with(['-', ']', '}']) => {
                Self::Other
            }
            Self::Flag { goes_on: false } => Self::Other,
            same => same,
        }
    }
}

/// The lines of a text with their places in it.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}

/// Where a line holds the key, and not a longer word.
fn key_in(line: &str, key: &str) -> Option<usize> {
    let part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '.' | '_' | '/');
    line.match_indices(key)
        .map(|(at, _)| at)
        .find(|at| !line[..*at].ends_with(part) && !line[at + key.len()..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::Registered;

    const KEY: &str = "node.cilium.io/agent-not-ready";

    #[test]
    fn taints_are_found_where_nodes_register_with_them() {
        for (text, wanted) in [
            (
                "--kubelet-extra-args '--register-with-taints=KEY=true:NoExecute'",
                Some(Registered::Flag),
            ),
            ("--register-with-taints \"a=b:NoSchedule,KEY:NoExecute\"", Some(Registered::Flag)),
            (
                "kubelet \\\n  --register-with-taints \\\n  KEY=true:NoExecute\n",
                Some(Registered::Flag),
            ),
            ("flags:\n  - --register-with-taints=KEY=true:NoExecute\n", Some(Registered::Flag)),
            (
                "kubelet:\n  config:\n    registerWithTaints:\n    - key: KEY\n      effect: NoExecute\n",
                Some(Registered::Config),
            ),
            (
                "    registerWithTaints:\n      - effect: NoExecute\n        key: \"KEY\"\n",
                Some(Registered::Config),
            ),
            ("{\"registerWithTaints\": [{\"key\": \"KEY\"}]}", Some(Registered::Config)),
            (
                "[settings.kubernetes.node-taints]\n\"KEY\" = \"true:NoExecute\"\n",
                Some(Registered::Settings),
            ),
            (
                "[settings.kubernetes]\nnode-taints.\"KEY\" = [\"true:NoExecute\"]\n",
                Some(Registered::Settings),
            ),
            (
                "nodeRegistration:\n  name: \"$NAME\"\n  taints:\n    - effect: NoExecute\n      key: KEY\n",
                Some(Registered::Flag),
            ),
            ("nodeRegistration:\n  taints:\n  - key: KEY\n", Some(Registered::Flag)),
            ("nodeRegistration:\n  taints: []\n  name: KEY\n", None),
            ("nodeRegistration:\n  name: a\ntaints:\n- key: KEY\n", None),
            ("# --register-with-taints=KEY=true:NoExecute\n", None),
            ("--register-with-taints=KEY-soon=true:NoExecute", None),
            (
                "[settings.kubernetes.node-taints]\n\"a\" = \"b\"\n[settings.kubernetes.node-labels]\n\"KEY\" = \"x\"\n",
                None,
            ),
            ("registerWithTaints:\n- key: other\nmaxPods: 5\nwait: KEY\n", None),
            ("kubectl taint nodes --all KEY-\n", None),
            ("", None),
        ] {
            let text = text.replace("KEY", KEY);
            let found = Registered::find(&text, KEY);
            assert_eq!(found.map(|it| it.0), wanted, "{text}");
            assert!(found.is_none_or(|(_, at)| text[at..].starts_with(KEY)), "{text}");
        }
    }
}
