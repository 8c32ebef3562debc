//! What personalities name in the settings: engines and online sources.

use std::path::Path;

use super::Checker;
use crate::config::EMBEDDED;
use sparring_diagnostics::{Diagnostic, Diagnostics, nearest};
use sparring_personality::{self as personality, Personality};

impl Checker {
    /// The findings of a personality, its engine and online sources among them.
    pub(super) fn personality(&self, path: &Path, text: &str) -> Diagnostics {
        let (profile, mut findings) = personality::read_beside(path, text, self.books.as_deref());
        findings.list.extend(self.missing_sources(profile.as_ref(), text));
        let named = profile.and_then(|profile| profile.engine);
        if let (Some(name), Some(engines)) = (named, &self.engines)
            && name != EMBEDDED
            && !engines.contains(&name)
        {
            let span = personality::keys(text)
                .into_iter()
                .find(|key| key.path == "engine");
            let missing = Diagnostic::warning(
                span.and_then(|key| key.span).unwrap_or(0..0),
                format!("engine: the settings have no engine \"{name}\", so that the embedded one moves"),
            );
            let words = engines.iter().map(String::as_str);
            findings.list.push(match nearest(&name, words) {
                Some(word) => missing.with_help(format!("did you mean \"{word}\"?")),
                None => missing.with_help(format!("write [engine.{name}] with a command in bot.toml")),
            });
        }
        findings
    }

    /// A finding for each online source of a personality that the settings lack.
    fn missing_sources(&self, profile: Option<&Personality>, text: &str) -> Vec<Diagnostic> {
        let (Some(profile), Some(sources)) = (profile, &self.sources) else {
            return Vec::new();
        };
        let lists = [
            ("books", Some(&profile.books)),
            ("books-white", profile.books_white.as_ref()),
            ("books-black", profile.books_black.as_ref()),
        ];
        let named = lists.into_iter().flat_map(|(key, books)| {
            let books = books.into_iter().flatten();
            books.filter_map(move |entry| Some((key, personality::online_source(entry)?)))
        });
        let missing = named.filter(|(_, name)| !sources.iter().any(|known| known == name));
        let keys = personality::keys(text);
        missing
            .map(|(key, name)| {
                let span = keys.iter().find(|known| known.path == key);
                let finding = Diagnostic::warning(
                    span.and_then(|key| key.span.clone()).unwrap_or(0..0),
                    format!(
                        "{key}: the settings have no online source \"{name}\", so that it is passed over"
                    ),
                );
                match nearest(name, sources.iter().map(String::as_str)) {
                    Some(word) => finding.with_help(format!("did you mean \"online:{word}\"?")),
                    None => finding.with_help(format!("write [online.{name}] with a source in bot.toml")),
                }
            })
            .collect()
    }
}
