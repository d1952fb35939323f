//! The configs of a project joined: that of its root, those of folders below, and what they extend.

use std::collections::HashMap;

use crate::{
    config::{
        Config, FILE_NAMES, Layer, RuleName,
        date::Date,
        file::{Claim, Claimed, ConfigFile, ConfigMistake, ConfigSpan, Settings},
        layers::Layers,
        read::{ConfigPath, read},
    },
    source::{column::Position, join, parent},
};

/// How configs are read.
pub(crate) struct Source<'a> {
    /// The text of a file by its path relative to the project's root; `None` where there is none.
    pub text: &'a dyn Fn(&str) -> Result<Option<String>, String>,
    /// How a path is called in messages.
    pub shown: &'a dyn Fn(&str) -> String,
    /// The rules there are.
    pub known: &'a [RuleName<'a>],
}

/// The configs read so far.
pub(crate) struct Gathered<'a> {
    source: Source<'a>,
    /// What each file decides about others.
    layers: Layers<Layer>,
    /// What each sets for the whole project, and what it says of it.
    files: Vec<(Settings, Vec<Claim>)>,
    places: HashMap<String, usize>,
    /// What is wrong with them; nothing is decided as long as there is something.
    pub mistakes: Vec<ConfigMistake>,
    /// What is wrong and changes nothing else.
    pub warnings: Vec<ConfigMistake>,
}

impl<'a> Gathered<'a> {
    /// None yet.
    #[must_use]
    pub(crate) fn new(source: Source<'a>) -> Self {
        Self {
            source,
            layers: Layers::default(),
            files: Vec::new(),
            places: HashMap::new(),
            mistakes: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds the config of a folder, if there is one, and what it extends.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub(crate) fn add_folder(&mut self, folder: &str) -> Result<(), String> {
        let mut found: Option<String> = None;
        for path in FILE_NAMES.iter().filter_map(|it| join(folder, it)) {
            let Some(text) = (self.source.text)(&path)? else { continue };
            if let Some(first) = &found {
                let first = (self.source.shown)(first);
                let message = format!("nothing in this file counts, because {first} is there too");
                self.warnings.push(ConfigMistake { at: self.start_of(&path), message });
                continue;
            }
            self.add_text(&path, &text, folder, &mut Vec::new())?;
            found = Some(path);
        }
        Ok(())
    }

    /// Adds the text of a config for the files of a folder.
    ///
    /// # Errors
    /// When what it extends cannot be read.
    pub(crate) fn add_text(
        &mut self,
        path: &str,
        text: &str,
        folder: &str,
        callers: &mut Vec<String>,
    ) -> Result<(), String> {
        if let Some(at) = self.add(path, text, callers)? {
            self.layers.follow(at, folder);
        }
        Ok(())
    }

    /// Adds a file and those it extends. `callers` are the files on the way to it.
    fn add(
        &mut self,
        path: &str,
        text: &str,
        callers: &mut Vec<String>,
    ) -> Result<Option<usize>, String> {
        if let Some(known) = self.places.get(path) {
            return Ok(Some(*known));
        }
        let shown = (self.source.shown)(path);
        let mut file = match read(text, ConfigPath { shown: &shown, path }, self.source.known) {
            Ok(file) => file,
            Err(mistakes) => {
                self.mistakes.extend(mistakes);
                return Ok(None);
            }
        };
        if let Some((base, at)) = file.extends.take() {
            callers.push(path.to_owned());
            file.layer.extends = self.extend(path, &base, at, callers)?;
            callers.pop();
        }
        let ConfigFile { layer, settings, claims, .. } = file;
        let path = layer.path.clone();
        let at = self.layers.push(layer);
        self.places.entry(path).or_insert(at);
        self.files.push((settings, claims));
        Ok(Some(at))
    }

    /// The file that `extends` names.
    fn extend(
        &mut self,
        path: &str,
        base: &str,
        at: ConfigSpan,
        callers: &mut Vec<String>,
    ) -> Result<Option<usize>, String> {
        let inside = (!path.is_empty() && !base.starts_with('/')).then(|| join(parent(path), base));
        let text = match inside.flatten() {
            None => Err(format!("`{base}` lies outside the repository, where nothing is read")),
            Some(base) if callers.contains(&base) => {
                let mut circle: Vec<&str> = callers.iter().map(String::as_str).collect();
                circle.push(&base);
                Err(format!("this config extends itself: {}", circle.join(" → ")))
            }
            Some(base) => match (self.source.text)(&base) {
                Ok(Some(text)) => Ok((base, text)),
                Ok(None) => Err(format!("there is no file {}", (self.source.shown)(&base))),
                Err(why) => Err(why),
            },
        };
        match text {
            Ok((base, text)) => self.add(&base, &text, callers),
            Err(message) => {
                self.mistakes.push(ConfigMistake { at, message });
                Ok(None)
            }
        }
    }

    fn start_of(&self, path: &str) -> ConfigSpan {
        ConfigSpan {
            path: path.to_owned(),
            range: 0..0,
            shown: (self.source.shown)(path),
            position: Position { line: 1, column: 1 },
        }
    }

    /// Whether the configs read so far leave out a folder, or one around it.
    #[must_use]
    pub(crate) fn exclude_around(&self, folder: &str) -> bool {
        self.layers.exclude_around(folder)
    }

    /// The config of the project.
    #[must_use]
    pub(crate) fn config(&self) -> Config {
        let mut settings = Settings::default();
        // The nearest speaks last.
        for at in self.of_root().into_iter().rev() {
            let Settings {
                karpenter_version,
                kubernetes_version,
                var_files,
                variants,
                fail_on,
                baseline,
                format,
                policies,
            } = self.files.get(at).map(|it| it.0.clone()).unwrap_or_default();
            let or = |new: Vec<_>, old: Vec<_>| if new.is_empty() { old } else { new };
            settings = Settings {
                karpenter_version: karpenter_version.or(settings.karpenter_version),
                kubernetes_version: kubernetes_version.or(settings.kubernetes_version),
                var_files: or(var_files, settings.var_files),
                variants: if variants.is_empty() { settings.variants } else { variants },
                fail_on: fail_on.or(settings.fail_on),
                baseline: baseline.or(settings.baseline),
                format: format.or(settings.format),
                policies: policies.or(settings.policies),
            };
        }
        Config {
            layers: self.layers.clone(),
            karpenter_version: settings.karpenter_version,
            kubernetes_version: settings.kubernetes_version,
            var_files: settings.var_files,
            variants: settings.variants,
            fail_on: settings.fail_on,
            baseline: settings.baseline,
            format: settings.format,
            policies: settings.policies.unwrap_or_default(),
            today: Date::today(),
            ..Config::default()
        }
    }

    /// What the configs say of the project. A key for the whole project counts in the root's config and in
    /// what that extends; elsewhere it is a claim that is not true.
    pub(crate) fn claims(&self) -> impl Iterator<Item = &Claim> {
        let of_root = self.of_root();
        self.files.iter().enumerate().flat_map(move |(at, (_, claims))| {
            let counts = of_root.contains(&at);
            claims.iter().filter(move |it| match it.what {
                Claimed::WholeProject(_) => !counts,
                Claimed::Exclude(_) | Claimed::Paths(_) | Claimed::Rule(_) => true,
                _ => counts,
            })
        })
    }

    /// The layers of the root's config: its own, and those it extends.
    fn of_root(&self) -> Vec<usize> {
        let root = self.layers.all().iter().position(|it| it.folder.as_deref() == Some(""));
        let base = |at: &usize| self.layers.get(*at)?.extends;
        std::iter::successors(root, base).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Gathered, Source};
    use crate::config::{Config, RuleLevel, RuleName};

    /// The config of some files, or what is wrong with them; then the warnings.
    fn gathered(files: &[(&str, &str)], folders: &[&str]) -> (Result<Config, String>, String) {
        let text = |path: &str| {
            let found = files.iter().find(|(it, _)| *it == path);
            Ok(found.map(|(_, text)| (*text).to_owned()))
        };
        let shown = |path: &str| path.to_owned();
        let known = ["a", "b"].map(|rule| RuleName { rule, topic: "both" });
        let source = Source { text: &text, shown: &shown, known: &known };
        let mut gathered = Gathered::new(source);
        for folder in folders {
            gathered.add_folder(folder).unwrap();
        }
        let lines =
            |list: &[_]| list.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let config = gathered.config();
        let mistakes = lines(&gathered.mistakes);
        let config = if mistakes.is_empty() { Ok(config) } else { Err(mistakes) };
        let not_true: Vec<String> = gathered.claims().map(|it| it.at.to_string()).collect();
        (config, [lines(&gathered.warnings), not_true.join("\n")].concat())
    }

    fn level(config: &Config, rule: &str, path: &str) -> Option<RuleLevel> {
        let severity = config.severity(rule, path, crate::findings::Severity::Warning);
        severity.map(RuleLevel::At)
    }

    #[test]
    fn a_config_inherits_what_it_does_not_say() {
        let files = [
            (".karplint.yaml", "extends: ./shared/base.yaml\nrules: { a: off }\n"),
            ("shared/base.yaml", "karpenter_version: '1.5'\nrules: { a: error, b: note }\n"),
            ("apps/.karplint.yml", "extends: ../.karplint.yaml\nrules: { b: off }\n"),
        ];
        let (config, warnings) = gathered(&files, &["", "apps"]);
        let config = config.unwrap();
        assert_eq!(config.karpenter_version.as_deref(), Some("1.5"));
        assert_eq!(level(&config, "a", "x.tf"), None);
        assert_eq!(level(&config, "b", "x.tf").unwrap(), RuleLevel::from_word("note").unwrap());
        assert_eq!(level(&config, "a", "apps/x.tf"), None);
        assert_eq!(level(&config, "b", "apps/x.tf"), None);
        // The version is held against the releases there are.
        assert_eq!(warnings, "shared/base.yaml:1:20");
    }

    #[test]
    fn what_cannot_be_extended_is_reported_at_its_place() {
        let cases = [
            ("../base.yaml", "`../base.yaml` lies outside the repository, where nothing is read"),
            (
                "/etc/base.yaml",
                "`/etc/base.yaml` lies outside the repository, where nothing is read",
            ),
            ("gone.yaml", "there is no file gone.yaml"),
            ("a.yaml", "this config extends itself: .karplint.yaml → a.yaml → .karplint.yaml"),
            (".karplint.yaml", "this config extends itself: .karplint.yaml → .karplint.yaml"),
            ("[a]", "this must be one text"),
        ];
        for (base, expected) in cases {
            let text = format!("extends: {base}\n");
            let files =
                [(".karplint.yaml", text.as_str()), ("a.yaml", "extends: .karplint.yaml\n")];
            let (config, _) = gathered(&files, &[""]);
            let said = config.unwrap_err();
            let place = if base == "a.yaml" { "a.yaml" } else { ".karplint.yaml" };
            assert_eq!(said, format!("{place}:1:10: {expected}"), "{base}");
        }
    }

    #[test]
    fn what_counts_for_the_whole_project_is_read_in_its_root() {
        let files = [
            ("apps/.karplint.yaml", "karpenter_version: '1.5'\nfail-on: note\n"),
            ("apps/.karplint.yml", "rules: { a: off }\n"),
        ];
        let (config, warnings) = gathered(&files, &["", "apps"]);
        let config = config.unwrap();
        assert_eq!((config.karpenter_version.as_deref(), config.fail_on), (None, None));
        assert!(level(&config, "a", "apps/x.tf").is_some());
        let expected = "apps/.karplint.yml:1:1: nothing in this file counts, because apps/.karplint.yaml is there too\
                        apps/.karplint.yaml:1:1\napps/.karplint.yaml:2:1";
        assert_eq!(warnings, expected);
    }
}
