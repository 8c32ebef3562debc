//! Value types of keys: int, float, bool, string, choice, list. Each describes and validates itself.

use std::{
    fmt::{Debug, Display},
    ops::{Range, RangeInclusive},
};

use toml::{Spanned, de::DeValue};

use super::remedy::as_path;
use sparring_diagnostics::{address_without_secrets, nearest, without_secrets};

/// Form of a value: describes, reads and writes it.
pub trait ValueType {
    /// The Rust type.
    type Value;

    /// Description for people: `a whole number from 1 to 64 (games)`.
    fn describe(&self) -> String;

    /// Reads a value as TOML has it.
    ///
    /// # Errors
    /// Everything that does not fit, each with its own place.
    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<Self::Value, Vec<TypeError>>;

    /// A warning about a valid value, if any.
    fn remarks(&self, _value: &Spanned<DeValue<'_>>) -> Vec<TypeError> {
        Vec::new()
    }

    /// Writes a value as TOML.
    fn write(&self, value: &Self::Value) -> String;
}

/// Why a value does not have its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeError {
    /// The bytes that do not fit.
    pub span: Range<usize>,
    /// The message, quoting the value.
    pub message: String,
    /// What to write instead; without it the form's description is shown.
    pub help: Option<String>,
}

impl TypeError {
    /// Something wrong with a whole value.
    #[must_use]
    pub fn new<T>(value: &Spanned<T>, message: impl Into<String>) -> Self {
        Self {
            span: value.span(),
            message: message.into(),
            help: None,
        }
    }

    /// The same with advice of its own.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Text in quotes as TOML has it, cut short when it is long, without secrets.
#[must_use]
pub fn quote(text: &str) -> String {
    const LONGEST: usize = 60;
    let is_scheme = |scheme: &str| scheme.trim_start().chars().all(|c| c.is_ascii_alphanumeric());
    let is_address = text
        .split_once("://")
        .is_some_and(|(scheme, _)| is_scheme(scheme));
    let text = &without_secrets(&if is_address {
        address_without_secrets(text)
    } else {
        text.to_owned()
    });
    let mut cut: String = text.chars().take(LONGEST).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    // One line whatever it holds: Rust's escapes are those of TOML where it matters to a reader.
    format!("{cut:?}")
}

/// A value of any kind, as an error message shows it.
pub(super) fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => quote(text),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(date) => date.to_string(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

fn wrong_kind<T>(value: &Spanned<DeValue<'_>>, wanted: &str) -> Result<T, Vec<TypeError>> {
    let message = format!("{} is not {wanted}", shown(value.get_ref()));
    Err(vec![TypeError::new(value, message)])
}

fn within<T: PartialOrd + Display>(
    value: &Spanned<DeValue<'_>>,
    number: T,
    range: &RangeInclusive<T>,
) -> Result<T, Vec<TypeError>> {
    let found = shown(value.get_ref());
    if number < *range.start() {
        Err(vec![TypeError::new(
            value,
            format!("{found} is less than {}", range.start()),
        )])
    } else if number > *range.end() {
        Err(vec![TypeError::new(
            value,
            format!("{found} is more than {}", range.end()),
        )])
    } else {
        Ok(number)
    }
}

fn with_unit(description: String, unit: &str) -> String {
    if unit.is_empty() {
        description
    } else {
        format!("{description} ({unit})")
    }
}

/// A whole number within a range, and its unit for people.
#[derive(Debug, Clone)]
pub struct Int<T>(pub RangeInclusive<T>, pub &'static str);

impl<T: Copy + PartialOrd + Display + Into<i64> + TryFrom<i64>> ValueType for Int<T> {
    type Value = T;

    fn describe(&self) -> String {
        let (least, most) = (self.0.start(), self.0.end());
        with_unit(format!("a whole number from {least} to {most}"), self.1)
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<T, Vec<TypeError>> {
        let DeValue::Integer(written) = value.get_ref() else {
            return wrong_kind(value, "a whole number");
        };
        // What does not fit 64 bits is out of any range: let the range say so, on the side it overflows.
        let number = i64::from_str_radix(written.as_str(), written.radix()).unwrap_or(
            if written.as_str().starts_with('-') {
                i64::MIN
            } else {
                i64::MAX
            },
        );
        let range = (*self.0.start()).into()..=(*self.0.end()).into();
        let number = within(value, number, &range)?;
        T::try_from(number).or_else(|_| wrong_kind(value, &self.describe()))
    }

    fn write(&self, value: &T) -> String {
        value.to_string()
    }
}

/// A number within a range, and its unit for people.
#[derive(Debug, Clone)]
pub struct Float(pub RangeInclusive<f64>, pub &'static str);

impl ValueType for Float {
    type Value = f64;

    fn describe(&self) -> String {
        let (least, most) = (self.0.start(), self.0.end());
        with_unit(format!("a number from {least} to {most}"), self.1)
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<f64, Vec<TypeError>> {
        let number: Option<f64> = match value.get_ref() {
            DeValue::Float(number) => number.as_str().parse().ok(),
            DeValue::Integer(number) => number.to_string().parse().ok(),
            _ => None,
        };
        match number.filter(|number| number.is_finite()) {
            Some(number) => within(value, number, &self.0),
            None => wrong_kind(value, "a number"),
        }
    }

    fn write(&self, value: &f64) -> String {
        // Debug keeps the `.0` that TOML needs to tell a float from a whole number.
        format!("{value:?}")
    }
}

/// Yes or no.
#[derive(Debug, Clone, Copy)]
pub struct Bool;

impl ValueType for Bool {
    type Value = bool;

    fn describe(&self) -> String {
        "true or false".to_owned()
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<bool, Vec<TypeError>> {
        match value.get_ref() {
            DeValue::Boolean(truth) => Ok(*truth),
            _ => wrong_kind(value, "true or false"),
        }
    }

    fn write(&self, value: &bool) -> String {
        value.to_string()
    }
}

/// One line of text of at most so many characters; not empty.
#[derive(Debug, Clone, Copy)]
pub struct Text(pub usize);

/// A character as it may have been written in the path of a Windows program, as far as TOML has read a special one.
fn as_escape(c: char) -> String {
    match c {
        '\u{8}' => "\\b".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        '\u{1b}' => "\\e".to_owned(),
        '\t' | '\n' | '\r' => c.escape_default().to_string(),
        c => c.to_string(),
    }
}

impl ValueType for Text {
    type Value = String;

    fn describe(&self) -> String {
        format!("one line of text, at most {} characters", self.0)
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<String, Vec<TypeError>> {
        let DeValue::String(text) = value.get_ref() else {
            return wrong_kind(value, "text");
        };
        let misfit = |why: String| Err(vec![TypeError::new(value, why)]);
        let length = text.chars().count();
        if text.trim().is_empty() {
            misfit("the text is empty".to_owned())
        } else if text.chars().any(char::is_control) {
            let written: String = text.chars().map(as_escape).collect();
            let misfit = TypeError::new(value, format!("{} is more than one line", quote(text)));
            Err(vec![if written.contains(":\\") {
                misfit.with_help(format!(
                    "between \" and \" a backslash begins a special character: {}",
                    as_path(&written)
                ))
            } else {
                misfit
            }])
        } else if length > self.0 {
            misfit(format!("{} has {length} characters", quote(text)))
        } else {
            Ok(text.to_string())
        }
    }

    fn write(&self, value: &String) -> String {
        toml::Value::String(value.clone()).to_string()
    }
}

/// One of several words, each with its value.
#[derive(Debug, Clone, Copy)]
pub struct Choice<T: 'static>(pub &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> ValueType for Choice<T> {
    type Value = T;

    fn describe(&self) -> String {
        let words: Vec<String> = self.0.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        match words.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => words.concat(),
        }
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<T, Vec<TypeError>> {
        let DeValue::String(written) = value.get_ref() else {
            return wrong_kind(value, &self.describe());
        };
        if let Some((_, meant)) = self.0.iter().find(|(word, _)| word == written) {
            return Ok(*meant);
        }
        let misfit = TypeError::new(value, format!("{} is not known here", quote(written)));
        Err(vec![
            match nearest(written, self.0.iter().map(|(word, _)| *word)) {
                Some(word) => {
                    misfit.with_help(format!("did you mean \"{word}\"? there is {}", self.describe()))
                }
                None => misfit,
            },
        ])
    }

    fn write(&self, value: &T) -> String {
        self.0
            .iter()
            .find(|(_, meant)| meant == value)
            .map_or_else(String::new, |(word, _)| format!("\"{word}\""))
    }
}

/// The name of something that lies in a folder of ours: a book, a personality.
#[derive(Debug, Clone, Copy)]
pub struct Name<'k> {
    /// The kind of thing, as in `book`.
    pub what: &'static str,
    /// The names there are; without them any name will do.
    pub known: Option<&'k [String]>,
}

/// `a book`, `an engine`.
fn with_article(word: &str) -> String {
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {word}")
}

impl Name<'_> {
    /// Whether text can be a name: small letters, digits, `-` and `_`, so that it is a safe file stem. Names appear in
    /// the chat, where a full stop could make a link of one: lichess drops a bot's line with a link.
    #[must_use]
    pub fn is_name(text: &str) -> bool {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
        (1..=40).contains(&text.len()) && text.chars().all(fits)
    }
}

impl ValueType for Name<'_> {
    type Value = String;

    fn describe(&self) -> String {
        match self.what {
            "book" | "personality" => {
                format!(
                    "the name of a {}, as its file is called without the ending",
                    self.what
                )
            }
            what => format!("the name of {}", with_article(what)),
        }
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<String, Vec<TypeError>> {
        let DeValue::String(name) = value.get_ref() else {
            return wrong_kind(value, &format!("the name of {}", with_article(self.what)));
        };
        if !Self::is_name(name) {
            let message = format!("{} cannot name {}", quote(name), with_article(self.what));
            let help = "write small letters, digits and dashes, without folder or ending";
            return Err(vec![TypeError::new(value, message).with_help(help)]);
        }
        let Some(known) = self.known else {
            return Ok(name.to_string());
        };
        if known.iter().any(|other| other == name.as_ref()) {
            return Ok(name.to_string());
        }
        let misfit = TypeError::new(value, format!("there is no {} {}", self.what, quote(name)));
        let words = || known.iter().map(String::as_str);
        Err(vec![match nearest(name, words()) {
            Some(word) => misfit.with_help(format!("did you mean \"{word}\"?")),
            None if known.is_empty() => misfit.with_help(format!("no {} was found at all", self.what)),
            None => misfit.with_help(format!("there is {}", words().collect::<Vec<_>>().join(", "))),
        }])
    }

    fn write(&self, value: &String) -> String {
        format!("\"{value}\"")
    }
}

/// Several values of one form.
#[derive(Debug, Clone)]
pub struct List<F>(pub F);

impl<F: ValueType> ValueType for List<F> {
    type Value = Vec<F::Value>;

    fn describe(&self) -> String {
        format!("a list, each {}", self.0.describe())
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<Self::Value, Vec<TypeError>> {
        let DeValue::Array(elements) = value.get_ref() else {
            let message = format!("{} is not a list", shown(value.get_ref()));
            let misfit = TypeError::new(value, message);
            return Err(vec![match value.get_ref() {
                DeValue::String(text) => misfit.with_help(format!("write [{}]", quote(text))),
                _ => misfit,
            }]);
        };
        let mut values = Vec::new();
        let mut misfits = Vec::new();
        for element in elements.iter() {
            match self.0.read(element) {
                Ok(value) => values.push(value),
                Err(more) => misfits.extend(more.into_iter().map(|mut misfit| {
                    misfit
                        .help
                        .get_or_insert_with(|| format!("write {}", self.0.describe()));
                    misfit
                })),
            }
        }
        if misfits.is_empty() {
            Ok(values)
        } else {
            Err(misfits)
        }
    }

    fn remarks(&self, value: &Spanned<DeValue<'_>>) -> Vec<TypeError> {
        let DeValue::Array(elements) = value.get_ref() else {
            return Vec::new();
        };
        elements
            .iter()
            .flat_map(|element| self.0.remarks(element))
            .collect()
    }

    fn write(&self, value: &Self::Value) -> String {
        let elements: Vec<String> = value.iter().map(|element| self.0.write(element)).collect();
        format!("[{}]", elements.join(", "))
    }
}
