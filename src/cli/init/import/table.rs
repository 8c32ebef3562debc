//! Tables of another bot's settings: what becomes of each, and the walk that leaves no key of a file out.

use std::{collections::BTreeSet, ops::Range};

use sparring_config_schema::quote;
use sparring_diagnostics::{Diagnostic, nearest};

use super::{
    draft::Draft,
    yaml::{self, Node, Value},
};

/// Settings that share a translation.
pub(super) struct Row {
    /// The sections around them, with dots between; `*` is any name, and `|` stands between sections alike.
    pub(super) under: &'static str,
    /// Their keys; `*` is any name.
    pub(super) keys: &'static [&'static str],
    /// What the other program takes where the key is missing, as YAML; none where that needs no setting here.
    pub(super) default: Option<&'static str>,
    /// What becomes of them.
    pub(super) becomes: Becomes,
}

/// What becomes of a setting.
#[derive(Clone, Copy)]
pub(super) enum Becomes {
    /// It is translated, key by key in the order of the table.
    By(Translate),
    /// Nothing that could be set: what is so instead.
    Differs(&'static str),
    /// Nothing, and why.
    Nothing(&'static str),
}

/// Puts a setting into the draft, and says what became of it.
pub(super) type Translate = fn(&mut Draft, &Found<'_>) -> Result<Fate, Refusal>;

/// What became of a setting, in words for its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// It means the same here.
    Taken(String),
    /// Its nearest equivalent means something else.
    Differs(String),
    /// There is nothing like it.
    Nothing(String),
    /// The other program does not know it either.
    Unknown(String),
}

/// Why a value was not translated.
#[derive(Debug)]
pub(super) enum Refusal {
    /// There is no value.
    Empty,
    /// It is of the wrong kind.
    WrongKind(Diagnostic),
}

/// A setting that was found in the file, or the default of one that was not.
pub(super) struct Found<'y> {
    /// Its path, with dots.
    pub(super) path: String,
    /// Its own key.
    pub(super) key: &'y str,
    /// What stands in the place of each `*`.
    pub(super) names: Vec<&'y str>,
    /// Its value.
    pub(super) node: &'y Node,
    /// All settings.
    pub(super) root: &'y Node,
    /// Whether the file lacks it.
    pub(super) is_default: bool,
}

/// A setting with what became of it.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    /// Its path, with dots.
    pub(super) path: String,
    /// Its value in a few words; none for secrets.
    pub(super) value: Option<String>,
    /// What became of it.
    pub(super) fate: Fate,
    /// The byte where it stands; none for a default.
    pub(super) place: Option<usize>,
}

impl Found<'_> {
    fn wrong(&self, wanted: &str) -> Refusal {
        let at = self.node.span.start;
        Refusal::WrongKind(Diagnostic::error(
            at..at,
            format!("{}: {wanted} is wanted here", self.path),
        ))
    }

    /// A whole number.
    pub(super) fn int(&self) -> Result<i64, Refusal> {
        match self.node.value {
            Value::Int(number) => Ok(number),
            Value::Null => Err(Refusal::Empty),
            _ => Err(self.wrong("a whole number")),
        }
    }

    /// Any number; `.inf` is one.
    pub(super) fn number(&self) -> Result<f64, Refusal> {
        match self.node.value {
            Value::Float(number) if !number.is_nan() => Ok(number),
            // Settings are far below 2^53.
            #[allow(clippy::cast_precision_loss)]
            Value::Int(number) => Ok(number as f64),
            Value::Null => Err(Refusal::Empty),
            _ => Err(self.wrong("a number")),
        }
    }

    /// True or false.
    pub(super) fn truth(&self) -> Result<bool, Refusal> {
        match self.node.value {
            Value::Bool(truth) => Ok(truth),
            Value::Null => Err(Refusal::Empty),
            _ => Err(self.wrong("true or false")),
        }
    }

    /// Text, or a number as text.
    pub(super) fn text(&self) -> Result<String, Refusal> {
        match &self.node.value {
            Value::Null => Err(Refusal::Empty),
            value => scalar(value).ok_or_else(|| self.wrong("text")),
        }
    }

    /// Refuses a name or text that no line of a command can hold.
    pub(super) fn one_line(&self) -> Result<(), Refusal> {
        let texts = self.texts()?;
        let fits = |text: &str| text.chars().count() <= 500 && !text.chars().any(char::is_control);
        match fits(self.key) && texts.iter().all(|text| fits(text)) {
            true => Ok(()),
            false => Err(self.wrong("one line of at most 500 characters")),
        }
    }

    /// A list of texts; a single one counts as a list, nothing as an empty one.
    pub(super) fn texts(&self) -> Result<Vec<String>, Refusal> {
        match &self.node.value {
            Value::Null => Ok(Vec::new()),
            Value::List(list) => {
                let filled = list.iter().filter(|node| node.value != Value::Null);
                let texts =
                    filled.map(|node| scalar(&node.value).ok_or_else(|| self.wrong("a list of texts")));
                texts.collect()
            }
            value => Ok(vec![scalar(value).ok_or_else(|| self.wrong("a list of texts"))?]),
        }
    }

    /// A list of whole numbers; a single one counts as a list, nothing as an empty one.
    pub(super) fn ints(&self) -> Result<Vec<i64>, Refusal> {
        let texts = self.texts()?.into_iter();
        let numbers = texts.map(|text| text.parse().map_err(|_| self.wrong("a list of whole numbers")));
        numbers.collect()
    }
}

/// The value at a path of keys with dots between.
pub(super) fn at<'y>(root: &'y Node, path: &str) -> Option<&'y Node> {
    path.split('.').try_fold(root, |node, key| node.get(key))
}

/// Whether the value at a path is `true`.
pub(super) fn is_on(root: &Node, path: &str) -> bool {
    at(root, path).is_some_and(|node| node.value == Value::Bool(true))
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Int(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::List(_) | Value::Map(_) => None,
    }
}

/// Translates all settings of a file.
///
/// # Errors
/// Every value of the wrong kind.
pub(super) fn translate<'w>(
    rows: &'w [Row],
    root: &'w Node,
    draft: &mut Draft,
    whose: &'w str,
) -> Result<Vec<Outcome>, Vec<Diagnostic>> {
    let mut walk = Walk {
        rows,
        root,
        whose,
        accounted: BTreeSet::new(),
        outcomes: Vec::new(),
        wrong: Vec::new(),
    };
    for row in rows {
        walk.row(row, draft);
    }
    walk.rest(root, &[]);
    if !walk.wrong.is_empty() {
        return Err(walk.wrong);
    }
    walk.outcomes
        .sort_by_key(|outcome| outcome.place.unwrap_or(usize::MAX));
    Ok(walk.outcomes)
}

struct Walk<'w> {
    rows: &'w [Row],
    root: &'w Node,
    whose: &'w str,
    accounted: BTreeSet<Vec<&'w str>>,
    outcomes: Vec<Outcome>,
    wrong: Vec<Diagnostic>,
}

/// A place that a pattern has led to: the keys, the names in the place of `*`, the value, and where it stands.
struct Reached<'w> {
    path: Vec<&'w str>,
    names: Vec<&'w str>,
    node: &'w Node,
    key_span: Range<usize>,
}

impl Row {
    /// The paths of its settings, with `*` for any name.
    fn patterns(&self) -> impl Iterator<Item = String> {
        let sections = self.under.split('|');
        sections.flat_map(|under| self.keys.iter().map(move |key| joined(under, key)))
    }
}

impl<'w> Walk<'w> {
    fn row(&mut self, row: &Row, draft: &mut Draft) {
        for pattern in row.patterns() {
            let found = self.reached(&pattern);
            if let (true, Some(default)) = (found.is_empty(), row.default) {
                let Ok((node, _)) = yaml::parse(default) else {
                    continue;
                };
                let key = pattern.rsplit('.').next().unwrap_or_default();
                let found = Found {
                    path: pattern.clone(),
                    key,
                    names: Vec::new(),
                    node: &node,
                    root: self.root,
                    is_default: true,
                };
                self.settle(row, draft, &found, None);
            }
            for reached in found {
                if self.accounted.iter().any(|done| done.starts_with(&reached.path)) {
                    continue;
                }
                let Reached {
                    path,
                    names,
                    node,
                    key_span,
                } = reached;
                let key = path.last().copied().unwrap_or_default();
                let found = Found {
                    path: shown_path(&path),
                    key,
                    names,
                    node,
                    root: self.root,
                    is_default: false,
                };
                self.settle(row, draft, &found, Some(key_span.start));
                self.accounted.insert(path);
            }
        }
    }

    fn reached(&self, pattern: &str) -> Vec<Reached<'w>> {
        let start = Reached {
            path: Vec::new(),
            names: Vec::new(),
            node: self.root,
            key_span: 0..0,
        };
        pattern.split('.').fold(vec![start], |open, part| {
            let entries = open
                .iter()
                .flat_map(|from| from.node.entries().iter().map(move |entry| (from, entry)));
            let fitting = entries.filter(|(_, entry)| part == "*" || entry.key == part);
            let reach = fitting.map(|(from, entry)| {
                let (mut path, mut names) = (from.path.clone(), from.names.clone());
                path.push(&entry.key);
                if part == "*" {
                    names.push(entry.key.as_str());
                }
                Reached {
                    path,
                    names,
                    node: &entry.node,
                    key_span: entry.key_span.clone(),
                }
            });
            reach.collect()
        })
    }

    fn settle(&mut self, row: &Row, draft: &mut Draft, found: &Found<'_>, place: Option<usize>) {
        let fate = match row.becomes {
            Becomes::Differs(what) => Fate::Differs(what.to_owned()),
            Becomes::Nothing(why) => Fate::Nothing(why.to_owned()),
            Becomes::By(translate) => match translate(draft, found) {
                Ok(fate) => fate,
                Err(Refusal::Empty) if found.is_default => return,
                Err(Refusal::Empty) => Fate::Taken("empty: as if it were not there".to_owned()),
                Err(Refusal::WrongKind(finding)) => {
                    self.wrong.push(finding);
                    return;
                }
            },
        };
        let value = (found.path != TOKEN).then(|| shown(&found.node.value));
        self.outcomes.push(Outcome {
            path: found.path.clone(),
            value,
            fate,
            place,
        });
    }

    /// What no row speaks of.
    fn rest(&mut self, node: &'w Node, above: &[&'w str]) {
        for entry in node.entries() {
            let keys = [above, &[entry.key.as_str()]].concat();
            if self.accounted.contains(&keys) {
                continue;
            }
            let mut told = |fate| {
                let place = Some(entry.key_span.start);
                self.outcomes.push(Outcome {
                    path: shown_path(&keys),
                    value: None,
                    fate,
                    place,
                });
            };
            match (is_section(self.rows, &keys), &entry.node.value) {
                (true, Value::Map(_)) => self.rest(&entry.node, &keys),
                (true, Value::Null) => told(Fate::Taken("empty: as if it were not there".to_owned())),
                (true, _) => {
                    let at = entry.node.span.start;
                    let message = format!(
                        "{}: keys are wanted here, indented and each with a colon",
                        shown_path(&keys)
                    );
                    self.wrong.push(Diagnostic::error(at..at, message));
                }
                (false, _) => told(Fate::Unknown(unknown(self.rows, self.whose, above, &entry.key))),
            }
        }
    }
}

/// The paths of all settings, with `*` for any name.
pub(super) fn patterns(rows: &[Row]) -> impl Iterator<Item = String> {
    rows.iter().flat_map(Row::patterns)
}

/// Whether settings are known below these keys.
fn is_section(rows: &[Row], keys: &[&str]) -> bool {
    patterns(rows).any(|pattern| leads_to(keys, &pattern) && pattern.split('.').count() > keys.len())
}

/// Whether keys are the beginning of a pattern.
fn leads_to(keys: &[&str], pattern: &str) -> bool {
    let mut wanted = pattern.split('.');
    keys.iter().all(|key| {
        wanted
            .next()
            .is_some_and(|wanted| wanted == "*" || wanted == *key)
    })
}

/// What to say of a key that no pattern fits.
fn unknown(rows: &[Row], whose: &str, above: &[&str], key: &str) -> String {
    let beside: BTreeSet<String> = patterns(rows)
        .filter(|pattern| leads_to(above, pattern))
        .filter_map(|pattern| pattern.split('.').nth(above.len()).map(str::to_owned))
        .collect();
    if let Some(meant) = nearest(key, beside.iter().map(String::as_str)) {
        return format!("not known to {whose}; did you mean {}?", quote(meant));
    }
    match patterns(rows).find(|pattern| pattern.rsplit('.').next() == Some(key)) {
        Some(home) => format!("not known to {whose} in this place; it knows {home}"),
        None => format!("not known to {whose}"),
    }
}

/// Its value is a secret.
pub(super) const TOKEN: &str = "token";

/// A path with dots, fit for a comment of one line.
fn shown_path(keys: &[&str]) -> String {
    keys.join(".").replace(char::is_control, " ")
}

fn joined(under: &str, key: &str) -> String {
    if under.is_empty() {
        return key.to_owned();
    }
    format!("{under}.{key}")
}

/// A value in a few words.
fn shown(value: &Value) -> String {
    const LONGEST: usize = 44;
    let text = match value {
        Value::Null => "nothing".to_owned(),
        Value::Text(text) => quote(text),
        Value::List(list) => {
            let words: Vec<String> = list.iter().filter_map(|node| scalar(&node.value)).collect();
            format!("[{}]", words.join(", "))
        }
        Value::Map(entries) => format!("{} keys", entries.len()),
        value => scalar(value).unwrap_or_default(),
    };
    if text.chars().count() <= LONGEST {
        return text;
    }
    let cut: String = text.chars().take(LONGEST - 3).collect();
    format!("{}...", cut.trim_end())
}
