//! What one section says in a text that cannot be used as a whole.

use toml::de::DeTable;

use super::section::Section;

/// What a function makes of one section, whatever else is wrong with the text. Of a text that is not TOML it sees the lines
/// from `[name]` to the next section, as far as they are. Nothing that was found counts.
#[must_use]
pub fn glean<T>(text: &str, name: &'static str, body: impl FnOnce(&mut Section<'_>) -> T) -> T {
    let lines = lines_of(text, name);
    let table = DeTable::parse(text).unwrap_or_else(|_| DeTable::parse_recoverable(&lines).0);
    Section::top(table.into_inner(), text).section(name, body)
}

/// The lines of a section, its head among them.
fn lines_of(text: &str, name: &str) -> String {
    let head = format!("[{name}]");
    let mut is_inside = false;
    let lines = text.split_inclusive('\n').filter(|line| {
        let line = line.trim_start();
        if line.starts_with('[') {
            is_inside = line.starts_with(&head);
        }
        is_inside
    });
    lines.collect()
}
