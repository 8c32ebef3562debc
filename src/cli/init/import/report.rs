//! What became of each setting, as a table for the terminal and as comments for bot.toml.

use std::fmt::Write as _;

use sparring_diagnostics::{place, without_secrets};

use super::table::{Fate, Outcome};

/// Columns of a terminal.
const WIDTH: usize = 110;
/// Columns for settings and their values.
const LEFT: usize = 52;

/// A group of the report: its head, and whether and with what words an outcome belongs to it.
type Group = (&'static str, fn(&Fate) -> Option<&str>);

const GROUPS: [Group; 4] = [
    ("Taken over", |fate| match fate {
        Fate::Taken(what) => Some(what),
        _ => None,
    }),
    ("Means something else here", |fate| match fate {
        Fate::Differs(what) => Some(what),
        _ => None,
    }),
    ("Has no equivalent", |fate| match fate {
        Fate::Nothing(why) => Some(why),
        _ => None,
    }),
    ("Not known", |fate| match fate {
        Fate::Unknown(what) => Some(what),
        _ => None,
    }),
];

/// The table: the fates in groups, the settings of a group in the order of the file. `text` is the file, `file` its name.
pub(super) fn table(file: &str, text: &str, outcomes: &[Outcome]) -> String {
    let mut table = String::new();
    for (head, words_of) in GROUPS {
        let fated = outcomes
            .iter()
            .filter_map(|outcome| Some((outcome, words_of(&outcome.fate)?)));
        let fated: Vec<(&Outcome, &str)> = fated.collect();
        if fated.is_empty() {
            continue;
        }
        let _ = writeln!(table, "{head} ({})", fated.len());
        if head == "Has no equivalent" {
            for (why, settings) in by_reason(&fated) {
                paragraph(&mut table, "  ", &settings.join(", "), WIDTH);
                paragraph(&mut table, "      ", why, WIDTH);
            }
        } else {
            for (outcome, words) in fated {
                row(&mut table, &left(file, text, outcome), words);
            }
        }
        table.push('\n');
    }
    without_secrets(&table)
}

/// The comments: what is not as it was, and what there is not.
pub(super) fn comments(outcomes: &[Outcome]) -> String {
    let mut comments = String::new();
    for (head, words_of) in &GROUPS[1..] {
        let fated = outcomes
            .iter()
            .filter_map(|outcome| Some((outcome, words_of(&outcome.fate)?)));
        let fated: Vec<(&Outcome, &str)> = fated.collect();
        if fated.is_empty() {
            continue;
        }
        let _ = writeln!(comments, "#\n# {head}:");
        for (why, settings) in by_reason(&fated) {
            paragraph(
                &mut comments,
                "#   ",
                &format!("{}: {why}", settings.join(", ")),
                WIDTH,
            );
        }
    }
    without_secrets(&comments)
}

/// Sections with their keys.
type Sections<'o> = Vec<(&'o str, Vec<&'o str>)>;

/// The settings of each reason, in the order of the first; those of one section are written together.
fn by_reason<'o>(fated: &[(&'o Outcome, &'o str)]) -> Vec<(&'o str, Vec<String>)> {
    let mut reasons: Vec<(&str, Sections<'_>)> = Vec::new();
    for (outcome, why) in fated {
        let (section, key) = outcome.path.rsplit_once('.').unwrap_or(("", &outcome.path));
        let at = reasons
            .iter()
            .position(|(known, _)| known == why)
            .unwrap_or_else(|| {
                reasons.push((why, Vec::new()));
                reasons.len() - 1
            });
        let sections = &mut reasons[at].1;
        match sections.iter_mut().find(|(known, _)| *known == section) {
            Some((_, keys)) => keys.push(key),
            None => sections.push((section, vec![key])),
        }
    }
    let named = |(section, keys): &(&str, Vec<&str>)| match (*section, keys.as_slice()) {
        ("", keys) => keys.join(", "),
        (section, [key]) => format!("{section}.{key}"),
        (section, keys) => format!("{section}.{{{}}}", keys.join(", ")),
    };
    reasons
        .into_iter()
        .map(|(why, sections)| (why, sections.iter().map(named).collect()))
        .collect()
}

fn left(file: &str, text: &str, outcome: &Outcome) -> String {
    let place = match (&outcome.fate, outcome.place) {
        (Fate::Unknown(_), Some(at)) => {
            let (line, column) = place(text, at);
            format!("{file}:{line}:{column}: ")
        }
        _ => String::new(),
    };
    let origin = if outcome.place.is_none() { " (default)" } else { "" };
    match &outcome.value {
        Some(value) => format!("{place}{}: {value}{origin}", outcome.path),
        None => format!("{place}{}", outcome.path),
    }
}

/// Words beside a setting, or below it where it is long.
fn row(table: &mut String, left: &str, words: &str) {
    let indent = " ".repeat(LEFT + 2);
    if left.chars().count() + 4 > LEFT {
        let _ = writeln!(table, "  {left}");
        return paragraph(table, &indent, words, WIDTH);
    }
    let mut right = String::new();
    paragraph(&mut right, &indent, words, WIDTH);
    let _ = write!(table, "  {left:<LEFT$}{}", right.trim_start());
}

/// Words in lines of at most so many columns, each after an indent, without characters that neither terminal nor TOML takes.
fn paragraph(text: &mut String, indent: &str, words: &str, width: usize) {
    let mut line = String::new();
    for word in words.replace(char::is_control, " ").split_whitespace() {
        let long = indent.len() + line.chars().count() + 1 + word.chars().count() > width;
        if long && !line.is_empty() {
            let _ = writeln!(text, "{indent}{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    let _ = writeln!(text, "{indent}{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(path: &str, value: Option<&str>, fate: Fate, place: Option<usize>) -> Outcome {
        Outcome {
            path: path.into(),
            value: value.map(str::to_owned),
            fate,
            place,
        }
    }

    fn outcomes() -> Vec<Outcome> {
        vec![
            outcome(
                "challenge.concurrency",
                Some("3"),
                Fate::Taken("max = 3 in [games]".into()),
                Some(4),
            ),
            outcome(
                "abort_time",
                Some("20"),
                Fate::Taken("abort-time = \"20s\" in [games]".into()),
                None,
            ),
            outcome("a.b", None, Fate::Nothing("there is none".into()), Some(1)),
            outcome("a.c", None, Fate::Nothing("there is none".into()), Some(2)),
            outcome("x", None, Fate::Differs("it is y".into()), Some(3)),
            outcome(
                "token_lip_aaaaaaaaaaaaaaaa",
                None,
                Fate::Unknown("not known to it".into()),
                Some(5),
            ),
        ]
    }

    #[test]
    fn fates_stand_in_groups_and_reasons_stand_once() {
        insta::assert_snapshot!(table("config.yml", "ab\ncd\n", &outcomes()), @r#"
        Taken over (2)
          challenge.concurrency: 3                            max = 3 in [games]
          abort_time: 20 (default)                            abort-time = "20s" in [games]

        Means something else here (1)
          x                                                   it is y

        Has no equivalent (2)
          a.{b, c}
              there is none

        Not known (1)
          config.yml:2:3: token_********************          not known to it
        "#);
        insta::assert_snapshot!(comments(&outcomes()), @r"
        #
        # Means something else here:
        #   x: it is y
        #
        # Has no equivalent:
        #   a.{b, c}: there is none
        #
        # Not known:
        #   token_********************: not known to it
        ");
    }
}
