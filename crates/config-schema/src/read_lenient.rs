//! Reads one section of a TOML text that has errors elsewhere.

use toml::de::DeTable;

use super::section::Section;

/// Reads one section with `body`, even if other parts of the text are invalid. If the text is not TOML, only the lines
/// from `[name]` to the next section are parsed. Errors are discarded.
#[must_use]
pub fn read_section_lenient<T>(
    text: &str,
    name: &'static str,
    body: impl FnOnce(&mut Section<'_>) -> T,
) -> T {
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
