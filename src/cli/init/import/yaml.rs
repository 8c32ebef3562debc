//! YAML as PyYAML reads it, with the place of every key and value.

use std::{collections::HashMap, ops::Range};

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};

use sparring_config_schema::quote;
use sparring_diagnostics::Diagnostic;

/// Aliases may repeat much text; no file of settings has so many values.
const MOST_VALUES: usize = 20_000;
/// Settings are nested six deep.
const DEEPEST: usize = 40;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    /// The value.
    pub(super) value: Value,
    /// Its bytes in the text.
    pub(super) span: Range<usize>,
}

/// What stands behind a colon or a dash.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// Nothing, or `null`.
    Null,
    /// `true`, also spelt as `yes` or `on`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number, `.inf` among them.
    Float(f64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// Keys with their values, in the order of the file.
    Map(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// The key.
    pub(super) key: String,
    /// Its bytes in the text.
    pub(super) key_span: Range<usize>,
    /// The value.
    pub(super) node: Node,
}

impl Node {
    /// The value of a key; none without it, and where this is no map.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let found = self.entries().iter().find(|entry| entry.key == key)?;
        Some(&found.node)
    }

    /// The keys with their values; empty where this is no map.
    pub(super) fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }
}

/// Reads a text of one document, without a byte order mark. Also returns warnings.
///
/// # Errors
/// The first mistake of form.
pub(super) fn parse(text: &str) -> Result<(Node, Vec<Diagnostic>), Diagnostic> {
    let mut offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    offsets.push(text.len());
    let mut reader = Reader {
        end: text.len(),
        offsets,
        ..Reader::default()
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| reader.malformed(&error))?;
        let span = reader.byte(span.start.index())..reader.byte(span.end.index());
        reader.take(event, span)?;
    }
    let root = reader.root.unwrap_or(Node {
        value: Value::Null,
        span: 0..0,
    });
    Ok((root, reader.warnings))
}

/// A list or map whose end is not reached.
struct Open {
    node: Node,
    anchor: usize,
    /// The key whose value comes next.
    key: Option<(String, Range<usize>)>,
}

#[derive(Default)]
struct Reader {
    end: usize,
    /// The byte of each character.
    offsets: Vec<usize>,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    values: usize,
    root: Option<Node>,
    warnings: Vec<Diagnostic>,
}

impl Reader {
    fn byte(&self, character: usize) -> usize {
        self.offsets.get(character).copied().unwrap_or(self.end)
    }

    /// Points between two characters, so that a mistake beside a token is told as what it is.
    fn malformed(&self, error: &ScanError) -> Diagnostic {
        let at = self.byte(error.marker().index());
        Diagnostic::error(at..at, format!("this is not YAML: {}", error.info()))
            .with_help("indent by spaces alone, and put text with a colon or # into quotes")
    }

    fn take(&mut self, event: Event<'_>, span: Range<usize>) -> Result<(), Diagnostic> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = style != ScalarStyle::Plain || tag.is_some_and(|tag| tag.suffix == "str");
                let value = if is_text {
                    Value::Text(text.into_owned())
                } else {
                    plain(&text)
                };
                self.put(Node { value, span }, anchor)
            }
            Event::SequenceStart(anchor, _) => self.begin(Value::List(Vec::new()), span, anchor),
            Event::MappingStart(anchor, _) => self.begin(Value::Map(Vec::new()), span, anchor),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(mut done) = self.open.pop() else {
                    return Ok(());
                };
                if let Value::Map(entries) = &mut done.node.value {
                    merge(entries);
                }
                self.put(done.node, done.anchor)
            }
            Event::Alias(anchor) => match self.anchors.get(&anchor).cloned() {
                Some(node) => self.put(node, 0),
                None => Err(Diagnostic::error(span, "an alias names a value that contains it")),
            },
            Event::DocumentStart(_) if self.root.is_some() => Err(Diagnostic::error(
                span,
                "a second document begins here, and settings are one",
            )),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, value: Value, span: Range<usize>, anchor: usize) -> Result<(), Diagnostic> {
        if self.open.len() == DEEPEST {
            let message = format!("nested more than {DEEPEST} deep");
            return Err(Diagnostic::error(span.start..span.start, message));
        }
        self.open.push(Open {
            node: Node { value, span },
            anchor,
            key: None,
        });
        Ok(())
    }

    /// Puts a whole value where it belongs: into the list or map that is open, as its next key, or as the root.
    fn put(&mut self, node: Node, anchor: usize) -> Result<(), Diagnostic> {
        self.values += count(&node);
        if self.values > MOST_VALUES {
            let message = format!("more than {MOST_VALUES} values, counted with aliases");
            return Err(Diagnostic::error(node.span.start..node.span.start, message));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        let Some(parent) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match (&mut parent.node.value, parent.key.take()) {
            (Value::List(list), _) => list.push(node),
            (Value::Map(entries), Some((key, key_span))) => {
                if let Some(earlier) = entries.iter().position(|entry| entry.key == key) {
                    let message = format!("{} stands here twice", quote(&key));
                    let warning = Diagnostic::warning(key_span.clone(), message);
                    self.warnings
                        .push(warning.with_help("the last one counts, as in Python"));
                    entries.remove(earlier);
                }
                entries.push(Entry { key, key_span, node });
            }
            (_, None) => parent.key = Some((word(&node)?, node.span)),
            _ => {}
        }
        Ok(())
    }
}

fn count(node: &Node) -> usize {
    let below: usize = match &node.value {
        Value::List(list) => list.iter().map(count).sum(),
        Value::Map(entries) => entries.iter().map(|entry| count(&entry.node)).sum(),
        _ => 0,
    };
    below + 1
}

/// A key as text: names of books and users may look like numbers.
fn word(node: &Node) -> Result<String, Diagnostic> {
    match &node.value {
        Value::Text(text) => Ok(text.clone()),
        Value::Int(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        _ => Err(Diagnostic::error(
            node.span.start..node.span.start,
            "a key is one word, and this is none",
        )),
    }
}

/// Merges what `<<` names: keys that stand here come first.
fn merge(entries: &mut Vec<Entry>) {
    let Some(at) = entries.iter().position(|entry| entry.key == "<<") else {
        return;
    };
    let merged = entries.remove(at).node;
    let sources = match merged.value {
        Value::List(list) => list,
        _ => vec![merged],
    };
    for entry in sources.iter().flat_map(Node::entries) {
        if !entries.iter().any(|own| own.key == entry.key) {
            entries.push(entry.clone());
        }
    }
}

/// An unquoted scalar by the rules of YAML 1.1.
fn plain(text: &str) -> Value {
    if matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Value::Null;
    }
    let lower = text.to_ascii_lowercase();
    let is_capitalised = text.chars().skip(1).all(|c| !c.is_ascii_uppercase());
    let is_one_case = is_capitalised || text == text.to_ascii_uppercase();
    if is_one_case {
        match lower.as_str() {
            "true" | "yes" | "on" => return Value::Bool(true),
            "false" | "no" | "off" => return Value::Bool(false),
            _ => {}
        }
    }
    number(&lower).unwrap_or_else(|| Value::Text(text.to_owned()))
}

fn number(text: &str) -> Option<Value> {
    let (sign, digits) = match text.split_at_checked(1) {
        Some(("-", rest)) => (-1, rest),
        Some(("+", rest)) => (1, rest),
        _ => (1, text),
    };
    if digits == ".inf" {
        return Some(Value::Float(f64::from(sign) * f64::INFINITY));
    }
    if !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    let digits = digits.replace('_', "");
    let whole = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    };
    if let Some(whole) = whole {
        return Some(Value::Int(i64::from(sign) * whole));
    }
    let is_float = digits.contains('.') && digits.contains(|c: char| c.is_ascii_digit());
    let float: f64 = digits.parse().ok().filter(|_| is_float)?;
    Some(Value::Float(f64::from(sign) * float))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_diagnostics::place;

    fn root(text: &str) -> Node {
        parse(text).unwrap().0
    }

    #[test]
    fn scalars_are_what_they_are_in_python() {
        let text = "a: yes\nb: Off\nc: 0x10\nd: 1_000\ne: -.inf\nf: 3+2\ng: \"5\"\nh:\ni: -1.5\nj: user1\nk: .\nl: nO\nm: é";
        let values = root(text);
        let expected = [
            ("a", Value::Bool(true)),
            ("b", Value::Bool(false)),
            ("c", Value::Int(16)),
            ("d", Value::Int(1000)),
            ("e", Value::Float(f64::NEG_INFINITY)),
            ("f", Value::Text("3+2".into())),
            ("g", Value::Text("5".into())),
            ("h", Value::Null),
            ("i", Value::Float(-1.5)),
            ("j", Value::Text("user1".into())),
            ("k", Value::Text(".".into())),
            ("l", Value::Text("nO".into())),
            ("m", Value::Text("é".into())),
        ];
        for (key, value) in expected {
            assert_eq!(values.get(key).unwrap().value, value, "{key}");
        }
    }

    #[test]
    fn places_count_bytes_behind_letters_of_several() {
        let text = "é: [ü, x]\r\nb:\r\n  c: 3\r\n";
        let values = root(text);
        let at = values.get("b").unwrap().get("c").unwrap().span.clone();
        assert_eq!(&text[at.clone()], "3");
        assert_eq!(place(text, at.start), (3, 6));
    }

    #[test]
    fn merged_keys_yield_to_own_ones() {
        let text = "base: &base {dir: a, name: b}\nown:\n  <<: *base\n  name: c\n";
        let values = root(text);
        let own = values.get("own").unwrap();
        assert_eq!(own.get("dir").unwrap().value, Value::Text("a".into()));
        assert_eq!(own.get("name").unwrap().value, Value::Text("c".into()));
        assert!(own.get("<<").is_none());
    }

    #[test]
    fn mistakes_of_form_have_a_place() {
        let said = |text: &str| {
            let error = parse(text).unwrap_err();
            (place(text, error.span.start), error.message)
        };
        assert_eq!(said("a: 1\n  b: 2\n").0.0, 2);
        assert_eq!(said("a: [1, 2\nb: 3\n").0.0, 2);
        assert_eq!(
            said("a: 1\n---\nb: 2\n").1,
            "a second document begins here, and settings are one"
        );
        assert_eq!(said("a:\n\t- 1\n").0.0, 2);
        assert_eq!(said("? [a]\n: 1\n").1, "a key is one word, and this is none");
    }

    #[test]
    fn a_key_that_stands_twice_is_told_and_the_last_counts() {
        let (values, warnings) = parse("a: 1\nb: 2\na: 3\n").unwrap();
        assert_eq!(values.get("a").unwrap().value, Value::Int(3));
        assert_eq!(warnings.len(), 1);
        assert_eq!(warnings[0].span, 10..11);
    }

    #[test]
    fn aliases_that_multiply_and_deep_nests_are_refused() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..8 {
            let before = format!("*a{}, ", level - 1).repeat(10);
            bomb += &format!("a{level}: &a{level} [{}]\n", before.trim_end_matches(", "));
        }
        assert!(
            parse(&bomb)
                .unwrap_err()
                .message
                .contains("more than 20000 values")
        );
        let deep = format!("{}{}", "[".repeat(60), "]".repeat(60));
        assert_eq!(parse(&deep).unwrap_err().message, "nested more than 40 deep");
        assert!(parse(&"[".repeat(5000)).is_err());
        assert!(parse("a: &x [*x]\n").is_err());
    }
}
