//! The fields of a request, whether they came as a form, as JSON or in the address.

use std::collections::BTreeMap;

use super::api_error::ApiError;

/// Named texts. An empty text counts as absent, as lichess has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields(BTreeMap<String, String>);

impl Fields {
    /// A field's text, if it was given and is not empty.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|text| !text.is_empty())
    }

    /// Whether a field is `true`. Missing is `false`.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.flag_or(name, false)
    }

    /// Whether a field is `true`, with a default.
    #[must_use]
    pub fn flag_or(&self, name: &str, absent: bool) -> bool {
        self.text(name)
            .map_or(absent, |text| matches!(text, "true" | "1" | "on" | "yes"))
    }

    /// A field's number.
    ///
    /// # Errors
    /// A form error when it is there and not a whole number of at least 0.
    pub fn number(&self, name: &'static str) -> Result<Option<u64>, ApiError> {
        self.text(name)
            .map(|text| {
                text.parse()
                    .map_err(|_| ApiError::form(name, "Numeric value expected"))
            })
            .transpose()
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Fields {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(
            pairs
                .into_iter()
                .map(|(name, text)| (name.into(), text.into()))
                .collect(),
        )
    }
}
