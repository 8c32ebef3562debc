//! Decodes UTF-8, or names the encoding the bytes have instead.

use super::{Diagnostic, Diagnostics};

/// Windows-1252 from 0x80 to 0x9F; above that it equals Unicode. Five bytes are undefined.
const WINDOWS_1252: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// The text of a file.
///
/// # Errors
/// Where it stops to be UTF-8, and how to save it.
pub fn utf8<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str, Diagnostics> {
    let is_utf16 = is_utf16(bytes);
    let error = match std::str::from_utf8(bytes) {
        Ok(text) if !is_utf16 => return Ok(text),
        Ok(_) => None,
        Err(error) => Some(error.valid_up_to()),
    };
    let at = error.filter(|_| !is_utf16).unwrap_or_default();
    let (before, from) = bytes.split_at(at);
    let (message, help) = match from.first() {
        _ if is_utf16 => (
            "this is UTF-16, not UTF-8",
            "save the file as UTF-8 (in Windows' editor: Save as, and there Encoding)".to_owned(),
        ),
        _ if bytes.contains(&0) => ("this is not a text", "save the file as UTF-8".to_owned()),
        Some(byte) => (
            "this is not UTF-8",
            format!(
                "save the file as UTF-8; it may be Windows-1252 (\"ANSI\"), where byte {byte:02X} is \"{}\"",
                windows_1252(*byte)
            ),
        ),
        None => ("this is not UTF-8", "save the file as UTF-8".to_owned()),
    };
    let text = String::from_utf8_lossy(before);
    let finding = Diagnostic::error(text.len()..text.len(), message).with_help(help);
    Err(Diagnostics::new(name, text, vec![finding]))
}

/// Whether this is UTF-16: by its byte order mark, or by zero bytes, as most text is Latin.
fn is_utf16(bytes: &[u8]) -> bool {
    let zeros =
        |first: usize| bytes.len() >= 4 && bytes.iter().skip(first).step_by(2).take(8).all(|byte| *byte == 0);
    bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) || zeros(1) != zeros(0)
}

fn windows_1252(byte: u8) -> char {
    let special = usize::from(byte).checked_sub(0x80);
    special
        .and_then(|index| WINDOWS_1252.chars().nth(index))
        .unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_utf8_warned_about_files_with_its_place_and_what_it_may_be() {
        let said = |bytes: &[u8]| utf8("a", bytes).unwrap_err().to_string();
        assert_eq!(
            said(b"# Gr\xfc\xdfe\n"),
            "a:1:5: error: this is not UTF-8; save the file as UTF-8; it may be Windows-1252 (\"ANSI\"), where byte FC is \
             \"ü\""
        );
        assert!(said(b"a = \x93b\x94").ends_with("where byte 93 is \"“\""));
        assert!(said(b"a\n\xff\0\0").contains("a:2:1: error: this is not a text"));
        let wide = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
        let little: Vec<u8> = wide("max = 3").into_iter().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = wide("\u{feff}max = ü")
            .into_iter()
            .flat_map(u16::to_be_bytes)
            .collect();
        for bytes in [&little, &big] {
            assert!(said(bytes).starts_with("a:1:1: error: this is UTF-16, not UTF-8; save"));
        }
        for good in ["", "a", "ab\0", "\u{feff}max = ü", "\0\0\0\0"] {
            assert_eq!(utf8("a", good.as_bytes()), Ok(good));
        }
    }
}
