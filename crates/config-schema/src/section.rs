//! Reads TOML tables section by section; collects every error and every declared key.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    declared_key::{DefaultValue, Key},
    remedy,
    unknown_key::{Advice, KeyLocation, Unknown},
    value_types::{ValueType, shown},
};
use sparring_diagnostics::{Diagnostic, Severity, holds_token, place};

/// Result of reading a text.
#[derive(Debug, Clone, PartialEq)]
pub struct ParseResult<T> {
    /// The value, when nothing was worse than a warning.
    pub value: Option<T>,
    /// Every key that the reading function declared, in its order; none after an error of syntax.
    pub keys: Vec<Key>,
    /// Everything that was found, in no particular order.
    pub list: Vec<Diagnostic>,
}

/// Reads a text with a function that declares all its keys; collects every error.
///
/// A syntax error stops reading and is the only one reported.
#[must_use]
pub fn read<T>(text: &str, advice: &[Advice], body: impl FnOnce(&mut Section<'_>) -> T) -> ParseResult<T> {
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let span = error.span().unwrap_or(text.len()..text.len());
            return ParseResult {
                value: None,
                keys: Vec::new(),
                list: vec![remedy::explained(text, span, error.message())],
            };
        }
    };
    let mut root = Section::top(table, text);
    let value = body(&mut root);
    let Section {
        keys,
        homes,
        mut list,
        unknown,
        ..
    } = root.finish();
    list.extend(unknown.iter().map(|unknown| unknown.explained(&homes, advice)));
    let usable = list.iter().all(|finding| finding.severity != Severity::Error);
    ParseResult {
        value: usable.then_some(value),
        keys,
        list,
    }
}

/// A table of settings while it is being read.
pub struct Section<'t> {
    /// The names of the tables around and this one, each with a dot behind it; empty at the top.
    path: String,
    /// The line that opens it, as people write it; empty at the top.
    heading: String,
    /// Keys that are not declared yet.
    table: DeTable<'t>,
    /// The whole text, to count lines in.
    text: &'t str,
    /// The bytes that open it; none at the top.
    head: Range<usize>,
    names: Vec<&'static str>,
    keys: Vec<Key>,
    homes: Vec<KeyLocation>,
    list: Vec<Diagnostic>,
    unknown: Vec<Unknown>,
}

impl<'t> Section<'t> {
    /// The top-level table.
    pub(super) fn top(table: DeTable<'t>, text: &'t str) -> Self {
        Self::new(String::new(), String::new(), table, text, 0..0)
    }

    fn new(path: String, heading: String, table: DeTable<'t>, text: &'t str, head: Range<usize>) -> Self {
        Self {
            path,
            heading,
            table,
            text,
            head,
            names: Vec::new(),
            keys: Vec::new(),
            homes: Vec::new(),
            list: Vec::new(),
            unknown: Vec::new(),
        }
    }

    /// Declares a key that has a default. A value of the wrong form is reported and replaced by the default.
    pub fn key<F: ValueType>(
        &mut self,
        name: &'static str,
        form: F,
        default: F::Value,
        doc: &'static str,
    ) -> F::Value {
        let meaning = DefaultValue::Value(form.write(&default));
        self.declare(name, &form, meaning, doc).unwrap_or(default)
    }

    /// Declares an optional key; `absent` says what leaving it out means.
    pub fn optional<F: ValueType>(
        &mut self,
        name: &'static str,
        form: F,
        absent: &'static str,
        doc: &'static str,
    ) -> Option<F::Value> {
        self.declare(name, &form, DefaultValue::Nothing(absent), doc)
    }

    /// Lets an old name of a key or section count as its new one, with a warning. Comes before the new name is declared. With
    /// both in the text the old one is unknown.
    pub fn renamed(&mut self, old: &'static str, new: &'static str) {
        if self.table.contains_key(new) {
            return;
        }
        let Some((key, value)) = self.table.remove_entry(old) else {
            return;
        };
        let message = format!("{0}{old} is called {0}{new} now", self.path);
        self.list.push(
            Diagnostic::warning(key.span(), message)
                .with_help("rename it; the old name works for this release only"),
        );
        self.table.insert(Spanned::new(key.span(), new.into()), value);
    }

    /// Lets an old spelling of a key's value count as its new one, with a warning. Comes before the key is declared.
    pub fn renamed_value(&mut self, key: &str, old: &str, new: &'static str) {
        let Some(value) = self.table.get_mut(key) else {
            return;
        };
        if !matches!(value.get_ref(), DeValue::String(written) if written == old) {
            return;
        }
        let message = format!("{0}{key} = \"{old}\" is called \"{new}\" now", self.path);
        self.list.push(
            Diagnostic::warning(value.span(), message)
                .with_help("rename it; the old value works for this release only"),
        );
        *value.get_mut() = DeValue::String(new.into());
    }

    /// Declares a table of settings, read by a function of its own.
    pub fn section<T>(&mut self, name: &'static str, body: impl FnOnce(&mut Section<'t>) -> T) -> T {
        self.names.push(name);
        let path = format!("{}{name}", self.path);
        let (table, head) = match self.table.remove_entry(name) {
            None => (DeTable::new(), 0..0),
            Some((key, value)) => match value.into_inner() {
                DeValue::Table(table) => (table, key.span()),
                other => {
                    let message = format!("{path} is a section, not {}", shown(&other));
                    self.list.push(
                        Diagnostic::error(key.span(), message)
                            .with_help(format!("write [{path}] on a line of its own")),
                    );
                    (DeTable::new(), 0..0)
                }
            },
        };
        let mut inner = Section::new(format!("{path}."), format!("[{path}]"), table, self.text, head);
        let value = body(&mut inner);
        let inner = inner.finish();
        self.absorb(inner);
        value
    }

    /// Declares a list of tables, `[[name]]` each, read in their order by the same function.
    ///
    /// Where the text has none, the function is run once all the same, so that its keys are known; its value is
    /// dropped. Where it has some, the keys that a table leaves out are not listed for it.
    pub fn tables<T>(&mut self, name: &'static str, mut body: impl FnMut(&mut Section<'t>) -> T) -> Vec<T> {
        self.names.push(name);
        let path = format!("{}{name}", self.path);
        let heading = format!("[[{path}]]");
        let written = self.written_tables(name, &path);
        if written.is_empty() {
            let mut pattern = Section::new(
                format!("{path}."),
                heading.clone(),
                DeTable::new(),
                self.text,
                0..0,
            );
            body(&mut pattern);
            self.keys.extend(pattern.keys);
            self.homes.extend(pattern.homes);
        }
        let numbered = written.into_iter().enumerate();
        let read = numbered.map(|(index, (table, head))| {
            let inner_path = format!("{path}[{}].", index + 1);
            let mut inner = Section::new(inner_path, heading.clone(), table, self.text, head);
            let value = body(&mut inner);
            let mut inner = inner.finish();
            inner.keys.retain(|key| key.span.is_some());
            self.absorb(inner);
            value
        });
        read.collect()
    }

    /// Declares tables whose names the text chooses, `[path.NAME]` each, read by the same function. Comes after the keys of this
    /// table are declared. Where the text has none, the function is run once for `NAME`, so that its keys are known. Where it has
    /// some, the keys that a table leaves out are not listed for it.
    pub fn named_tables<T>(&mut self, mut body: impl FnMut(&str, &mut Section<'t>) -> T) -> Vec<T> {
        let is_table = |value: &Spanned<DeValue<'_>>| matches!(value.get_ref(), DeValue::Table(_));
        let names: Vec<_> = self
            .table
            .iter()
            .filter(|(_, value)| is_table(value))
            .map(|(key, _)| key.get_ref().clone())
            .collect();
        if names.is_empty() {
            let path = format!("{}NAME", self.path);
            let table = DeTable::new();
            let mut pattern = Section::new(format!("{path}."), format!("[{path}]"), table, self.text, 0..0);
            body("NAME", &mut pattern);
            self.keys.extend(pattern.keys);
            self.homes.extend(pattern.homes);
        }
        let read = names.into_iter().filter_map(|name| {
            let (key, value) = self.table.remove_entry(name.as_ref())?;
            let DeValue::Table(table) = value.into_inner() else {
                return None;
            };
            let path = format!("{}{name}", self.path);
            let heading = format!("[{path}]");
            let mut inner = Section::new(format!("{path}."), heading, table, self.text, key.span());
            let value = body(&name, &mut inner);
            let mut inner = inner.finish();
            inner.keys.retain(|key| key.span.is_some());
            self.absorb(inner);
            Some(value)
        });
        read.collect()
    }

    /// The tables of a list, each with what opens it; anything else under the name is reported.
    fn written_tables(&mut self, name: &str, path: &str) -> Vec<(DeTable<'t>, Range<usize>)> {
        let Some((key, value)) = self.table.remove_entry(name) else {
            return Vec::new();
        };
        let help = format!("write [[{path}]] on a line of its own, before each of them");
        let DeValue::Array(elements) = value.into_inner() else {
            let message = format!("{path} is a list of tables");
            self.list
                .push(Diagnostic::error(key.span(), message).with_help(help));
            return Vec::new();
        };
        let mut tables = Vec::new();
        for element in elements {
            let span = element.span();
            match element.into_inner() {
                DeValue::Table(table) => tables.push((table, span)),
                other => {
                    let message = format!("{path} is a list of tables, not of {}", shown(&other));
                    self.list
                        .push(Diagnostic::error(span, message).with_help(help.as_str()));
                }
            }
        }
        tables
    }

    /// The line that this table begins in, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        place(self.text, self.head.start).0
    }

    fn absorb(&mut self, inner: Section<'t>) {
        self.keys.extend(inner.keys);
        self.homes.extend(inner.homes);
        self.list.extend(inner.list);
        self.unknown.extend(inner.unknown);
    }

    /// Where the value of a declared key is written; none when it is left out.
    #[must_use]
    pub fn span(&self, name: &str) -> Option<Range<usize>> {
        let path = format!("{}{name}", self.path);
        self.keys.iter().find(|key| key.path == path)?.span.clone()
    }

    /// Reports an error about a declared key's value, or about the start of the text when it is left out.
    pub fn error(&mut self, name: &str, message: impl std::fmt::Display, help: impl Into<String>) {
        let span = self.span(name).unwrap_or(0..0);
        let message = format!("{}{name}: {message}", self.path);
        self.list.push(Diagnostic::error(span, message).with_help(help));
    }

    /// Reports a warning about a declared key's value, or about the start of the text when it is left out.
    pub fn warning(&mut self, name: &str, message: impl std::fmt::Display, help: impl Into<String>) {
        let span = self.span(name).unwrap_or(0..0);
        let message = format!("{}{name}: {message}", self.path);
        self.list.push(Diagnostic::warning(span, message).with_help(help));
    }

    /// Reports a warning about the table as a whole.
    pub fn remark(&mut self, message: impl Into<String>, help: impl Into<String>) {
        self.list
            .push(Diagnostic::warning(self.head.clone(), message).with_help(help));
    }

    /// Reports an error about the table as a whole.
    pub fn fault(&mut self, message: impl Into<String>, help: impl Into<String>) {
        self.list
            .push(Diagnostic::error(self.head.clone(), message).with_help(help));
    }

    /// Removes a key that must not be there. Returns the spans of name and value.
    pub fn forbid(
        &mut self,
        name: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<Range<usize>> {
        let (key, value) = self.table.remove_entry(name)?;
        self.list
            .push(Diagnostic::error(key.span(), message).with_help(help));
        Some(value.span())
    }

    fn declare<F: ValueType>(
        &mut self,
        name: &'static str,
        form: &F,
        fallback: DefaultValue,
        doc: &'static str,
    ) -> Option<F::Value> {
        self.names.push(name);
        self.homes.push(KeyLocation {
            name,
            heading: self.heading.clone(),
        });
        let path = format!("{}{name}", self.path);
        let written = self.table.remove(name);
        let span = written.as_ref().map(Spanned::span);
        let said = span.clone().and_then(|span| self.text.get(span));
        let has_token = said.is_some_and(holds_token);
        let value = written.and_then(|written| match form.read(&written) {
            _ if has_token => {
                self.list.push(Diagnostic::token(written.span()));
                None
            }
            Ok(value) => {
                self.list.extend(form.remarks(&written).into_iter().map(|misfit| {
                    let remark = Diagnostic::warning(misfit.span, format!("{path}: {}", misfit.message));
                    match misfit.help {
                        Some(help) => remark.with_help(help),
                        None => remark,
                    }
                }));
                Some(value)
            }
            Err(misfits) => {
                self.list.extend(misfits.into_iter().map(|misfit| {
                    let help = misfit
                        .help
                        .unwrap_or_else(|| format!("write {}", form.describe()));
                    Diagnostic::error(misfit.span, format!("{path}: {}", misfit.message)).with_help(help)
                }));
                None
            }
        });
        self.keys.push(Key {
            path,
            form: form.describe(),
            value: match (&value, &fallback) {
                (Some(value), _) => Some(form.write(value)),
                (None, DefaultValue::Value(value)) => Some(value.clone()),
                (None, DefaultValue::Nothing(_)) => None,
            },
            fallback,
            doc,
            span,
        });
        value
    }

    /// Reports the keys that were not declared.
    fn finish(mut self) -> Self {
        let left = std::mem::take(&mut self.table);
        self.unknown.extend(left.into_iter().map(|(key, _)| Unknown {
            parent: self.path.clone(),
            span: key.span(),
            name: key.into_inner().into_owned(),
            siblings: self.names.clone(),
        }));
        self
    }
}

#[cfg(test)]
mod tests;
