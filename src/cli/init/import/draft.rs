//! What is gathered from another bot's settings before it is written.

use std::{
    fmt::Write as _,
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use sparring_chess::units::Millis;
use sparring_config_schema::{Name, write_duration};
use sparring_personality as personality;

use super::{
    books::Books,
    challenges::Challenges,
    engines::ExternalEngine,
    online::OnlineSource,
    table::{Fate, Found},
};
use crate::config;

/// The personality that takes over what this program leaves to personalities.
pub(super) const PERSONALITY: &str = "moved";

/// Everything that is written in the end.
#[derive(Default)]
pub(super) struct Draft {
    /// The folder of the other settings; their relative paths count from it.
    pub(super) base: PathBuf,
    /// The token; none where a placeholder stood.
    pub(super) token: Option<String>,
    /// Keys of bot.toml.
    pub(super) settings: Vec<Setting>,
    /// Keys of the personality.
    pub(super) personality: Vec<Setting>,
    /// Whom to play.
    pub(super) challenges: Challenges,
    /// Opening books.
    pub(super) books: Books,
    /// Engines outside.
    pub(super) engines: Vec<ExternalEngine>,
    /// Servers that are asked for moves.
    pub(super) online: Vec<OnlineSource>,
    /// Increments of the challenges to send, in seconds.
    pub(super) increments: Vec<i64>,
    /// Clocks of the challenges to send, as `5+3`.
    pub(super) clocks: Vec<String>,
    /// Variants of the challenges to send.
    pub(super) variants: Vec<String>,
    /// Challenges to send as pairs of clock and variant, as `5+3 chess960`.
    pub(super) games: Vec<String>,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    /// The section; empty at the top.
    pub(super) section: &'static str,
    /// The key.
    pub(super) key: &'static str,
    /// The value as TOML.
    pub(super) value: String,
    /// The setting that it comes from.
    pub(super) from: String,
}

impl Setting {
    fn text(&self) -> String {
        let mut text = String::new();
        if !self.section.is_empty() {
            text = format!("[{}]\n", self.section);
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} = {}", self.key, self.value);
        text
    }
}

/// A value as TOML.
pub(super) fn toml(value: impl Into<toml::Value>) -> String {
    value.into().to_string()
}

/// A span of time as TOML.
pub(super) fn span(millis: u64) -> String {
    format!("\"{}\"", write_duration(Millis(millis)))
}

/// Seconds of a setting in milliseconds, at least 0.
pub(super) fn millis_of(seconds: f64) -> u64 {
    // The cast saturates.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let millis = (seconds * 1000.0).round() as u64;
    millis
}

/// The nearest number of a range, with what to say if it is another one.
pub(super) fn nearest_of(number: i64, range: RangeInclusive<i64>) -> (i64, Option<String>) {
    let near = number.clamp(*range.start(), *range.end());
    let told = (near != number).then(|| format!("{number} is outside {} to {}", range.start(), range.end()));
    (near, told)
}

impl Draft {
    /// Sets a key of bot.toml, if it takes this value.
    pub(super) fn set(
        &mut self,
        found: &Found<'_>,
        section: &'static str,
        key: &'static str,
        value: String,
    ) -> Fate {
        let setting = Setting {
            section,
            key,
            value,
            from: found.path.clone(),
        };
        let (config, findings) = config::read("bot.toml", &setting.text());
        if config.is_none() {
            return refused(&findings, section);
        }
        let told = format!("{key} = {} in [{section}]", setting.value);
        self.settings
            .retain(|other| (other.section, other.key) != (section, key));
        self.settings.push(setting);
        Fate::Taken(told)
    }

    /// Sets a whole number, or the nearest one that the key takes.
    pub(super) fn set_int(
        &mut self,
        found: &Found<'_>,
        (section, key): (&'static str, &'static str),
        range: RangeInclusive<i64>,
    ) -> Result<Fate, super::table::Refusal> {
        let (near, told) = nearest_of(found.int()?, range);
        let fate = self.set(found, section, key, near.to_string());
        Ok(with_reason(fate, told))
    }

    /// Sets a span of time, or the nearest one that the key takes; the range is in milliseconds.
    pub(super) fn set_span(
        &mut self,
        found: &Found<'_>,
        (section, key): (&'static str, &'static str),
        millis: u64,
        range: RangeInclusive<u64>,
    ) -> Fate {
        let near = millis.clamp(*range.start(), *range.end());
        let told = (near != millis).then(|| {
            format!(
                "{} is outside {} to {}",
                span(millis),
                span(*range.start()),
                span(*range.end())
            )
        });
        with_reason(self.set(found, section, key, span(near)), told)
    }

    /// Sets a key of the personality, if it takes this value.
    pub(super) fn set_personality(
        &mut self,
        found: &Found<'_>,
        section: &'static str,
        key: &'static str,
        value: String,
    ) -> Fate {
        let setting = Setting {
            section,
            key,
            value,
            from: found.path.clone(),
        };
        let (read, findings) = personality::read("moved.toml", &setting.text());
        if read.is_none() {
            return refused(&findings, "the personality");
        }
        let at = if section.is_empty() {
            String::new()
        } else {
            format!("[{section}] of ")
        };
        let told = format!("{key} = {} in {at}{PERSONALITY}.toml", setting.value);
        self.personality
            .retain(|other| (other.section, other.key) != (section, key));
        self.personality.push(setting);
        Fate::Taken(told)
    }

    /// Sets a whole number of the personality, or the nearest one that the key takes.
    pub(super) fn set_personality_int(
        &mut self,
        found: &Found<'_>,
        key: &'static str,
        number: i64,
        range: RangeInclusive<i64>,
    ) -> Fate {
        let (near, told) = nearest_of(number, range);
        with_reason(self.set_personality(found, "", key, near.to_string()), told)
    }

    /// A path of the other settings, made absolute.
    pub(super) fn path(&self, written: &str) -> PathBuf {
        let path = self.base.join(written);
        let path = std::path::absolute(&path).unwrap_or(path);
        // Without the dots of "./engines".
        path.components().collect()
    }
}

/// A setting with a reason why it is not what it was.
pub(super) fn with_reason(fate: Fate, told: Option<String>) -> Fate {
    match (fate, told) {
        (Fate::Taken(what), Some(told)) => Fate::Differs(format!("{what}: {told}")),
        (fate, _) => fate,
    }
}

/// The same fate as a different meaning, with what the difference is.
pub(super) fn but(fate: Fate, difference: &str) -> Fate {
    with_reason(fate, Some(difference.to_owned()))
}

fn refused(findings: &sparring_diagnostics::Diagnostics, place: &str) -> Fate {
    let first = findings.list.first();
    let why = first.map_or_else(String::new, |finding| finding.message.clone());
    Fate::Differs(format!("not written: {place} does not take it ({why})"))
}

/// A name of a file of ours for what is called so elsewhere, unlike those that are taken.
pub(super) fn free_name(written: &str, stand_in: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let fit = |c: char| {
        let small = c.to_ascii_lowercase();
        if small.is_ascii_alphanumeric() || small == '_' {
            small
        } else {
            '-'
        }
    };
    let stem = Path::new(written)
        .file_stem()
        .map_or_else(|| written.into(), |stem| stem.to_string_lossy());
    let name: String = stem.chars().map(fit).take(34).collect();
    let name = name.trim_matches('-');
    let name = if Name::is_name(name) { name } else { stand_in };
    if !is_taken(name) {
        return name.to_owned();
    }
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    numbered
        .into_iter()
        .find(|name| !is_taken(name))
        .unwrap_or_else(|| stand_in.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_made_of_what_was_written() {
        let name = |written| free_name(written, "book", |name| name == "main" || name == "main-2");
        assert_eq!(name("/books/Komodo 3.bin"), "komodo-3");
        assert_eq!(name("main.bin"), "main-3");
        assert_eq!(name("Übung.bin"), "bung");
        assert_eq!(name("..."), "book");
    }

    #[test]
    fn numbers_outside_a_range_are_told() {
        assert_eq!(nearest_of(5, 1..=64), (5, None));
        assert_eq!(nearest_of(0, 1..=64), (1, Some("0 is outside 1 to 64".into())));
        assert_eq!(millis_of(1.5), 1500);
        assert_eq!(millis_of(-3.0), 0);
    }
}
