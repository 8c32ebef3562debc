//! Form of the names in lists of books: a book, or an online source with `online:` before its name.

use sparring_config_schema::{Name, TypeError, ValueType};
use toml::{Spanned, de::DeValue};

/// What stands before the name of an online source.
const PREFIX: &str = "online:";

/// The name of a book or of an online source, as `main` or `online:masters`.
#[derive(Debug, Clone, Copy)]
pub struct BookName<'k> {
    /// The books there are; without them any name will do.
    pub books: Option<&'k [String]>,
    /// The online sources there are; without them any name will do.
    pub sources: Option<&'k [String]>,
}

/// The online source that an entry of a list of books names; none for a book.
#[must_use]
pub fn online_source(entry: &str) -> Option<&str> {
    entry.strip_prefix(PREFIX)
}

impl ValueType for BookName<'_> {
    type Value = String;

    fn describe(&self) -> String {
        "the name of a book, as its file is called without the ending, or online: and the name of an online source".to_owned()
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<String, Vec<TypeError>> {
        let source = match value.get_ref() {
            DeValue::String(text) => online_source(text),
            _ => None,
        };
        let Some(source) = source else {
            return Name {
                what: "book",
                known: self.books,
            }
            .read(value);
        };
        let source = Spanned::new(value.span(), DeValue::String(source.into()));
        let form = Name {
            what: "online source",
            known: self.sources,
        };
        form.read(&source).map(|name| format!("{PREFIX}{name}"))
    }

    fn write(&self, value: &String) -> String {
        format!("\"{value}\"")
    }
}
