//! Rows of SQLite as the text that `COPY ... FROM STDIN` reads.

use std::io::Write as _;

use rusqlite::types::ValueRef;

/// Appends a value and the tab before the next one.
pub(super) fn push_value(line: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => line.extend(b"\\N"),
        // Writing to memory cannot fail.
        ValueRef::Integer(number) => drop(write!(line, "{number}")),
        ValueRef::Real(number) => drop(write!(line, "{number}")),
        ValueRef::Text(text) | ValueRef::Blob(text) => match std::str::from_utf8(text) {
            Ok(text) => push_text(line, text),
            Err(_) => push_text(line, &String::from_utf8_lossy(text)),
        },
    }
    line.push(b'\t');
}

/// Appends a text and the tab before the next value.
pub(super) fn push_key(line: &mut Vec<u8>, text: &str) {
    push_text(line, text);
    line.push(b'\t');
}

/// Ends a row.
pub(super) fn end_row(line: &mut Vec<u8>) {
    line.pop();
    line.push(b'\n');
}

/// Escapes what separates values and rows. PostgreSQL's texts have no NUL.
fn push_text(line: &mut Vec<u8>, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'\\' => line.extend(b"\\\\"),
            b'\t' => line.extend(b"\\t"),
            b'\n' => line.extend(b"\\n"),
            b'\r' => line.extend(b"\\r"),
            0 => {}
            _ => line.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_line_whatever_is_in_it() {
        let mut line = Vec::new();
        push_key(&mut line, "a\tb\\c\nd\re\0f");
        for value in [
            ValueRef::Null,
            ValueRef::Integer(-7),
            ValueRef::Text("é\\N".as_bytes()),
            ValueRef::Text(b"\xff"),
        ] {
            push_value(&mut line, value);
        }
        end_row(&mut line);
        assert_eq!(
            String::from_utf8(line).unwrap(),
            "a\\tb\\\\c\\nd\\ref\t\\N\t-7\té\\\\N\t\u{fffd}\n"
        );
    }
}
