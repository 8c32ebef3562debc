//! Fields of a protobuf message, by number, without a schema.

use super::file::FormatError;

/// A message with its place in the file, for errors.
#[derive(Debug, Clone)]
pub(super) struct Message<'a> {
    place: String,
    bytes: &'a [u8],
}

/// The value of a field.
#[derive(Debug, Clone, Copy)]
enum Value<'a> {
    /// A variable-length integer, or the bits of a fixed one.
    Number(u64),
    /// Bytes, text or a message.
    Bytes(&'a [u8]),
}

impl<'a> Message<'a> {
    /// A message that `place` names.
    pub(super) fn new(place: &str, bytes: &'a [u8]) -> Self {
        Self {
            place: place.to_owned(),
            bytes,
        }
    }

    /// An error about a part of this message.
    pub(super) fn error(
        &self,
        part: &str,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> FormatError {
        FormatError {
            place: format!("{}{part}", self.place),
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// The message of a field; the last one if there are several, `None` if there is none.
    pub(super) fn child(&self, number: u64, name: &str) -> Result<Option<Self>, FormatError> {
        Ok(self.bytes(number, name)?.map(|bytes| self.named(name, bytes)))
    }

    /// All messages of a repeated field, at most `limit`.
    pub(super) fn children(&self, number: u64, name: &str, limit: usize) -> Result<Vec<Self>, FormatError> {
        let mut found = Vec::new();
        self.each(number, |value| {
            let Value::Bytes(bytes) = value else {
                return Err(self.error(&format!(".{name}"), "a message", "a number"));
            };
            if found.len() == limit {
                return Err(self.error(&format!(".{name}"), format!("at most {limit}"), "more"));
            }
            found.push(self.named(&format!("{name}[{}]", found.len()), bytes));
            Ok(())
        })?;
        Ok(found)
    }

    /// The bytes of a field; `None` if there is none.
    pub(super) fn bytes(&self, number: u64, name: &str) -> Result<Option<&'a [u8]>, FormatError> {
        match self.last(number)? {
            None => Ok(None),
            Some(Value::Bytes(bytes)) => Ok(Some(bytes)),
            Some(Value::Number(_)) => Err(self.error(&format!(".{name}"), "bytes", "a number")),
        }
    }

    /// An integer, or the bits of a float; `None` if there is none.
    pub(super) fn number(&self, number: u64, name: &str) -> Result<Option<u64>, FormatError> {
        match self.last(number)? {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(Some(number)),
            Some(Value::Bytes(_)) => Err(self.error(&format!(".{name}"), "a number", "bytes")),
        }
    }

    fn named(&self, name: &str, bytes: &'a [u8]) -> Self {
        Self {
            place: format!("{}.{name}", self.place),
            bytes,
        }
    }

    fn last(&self, number: u64) -> Result<Option<Value<'a>>, FormatError> {
        let mut last = None;
        self.each(number, |value| {
            last = Some(value);
            Ok(())
        })?;
        Ok(last)
    }

    /// Calls `visit` with every value of a field.
    fn each(
        &self,
        number: u64,
        mut visit: impl FnMut(Value<'a>) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        let mut rest = self.bytes;
        while !rest.is_empty() {
            let at = self.bytes.len() - rest.len();
            let Some((found, value)) = field(&mut rest) else {
                let found = format!("something else at byte {at} of {}", self.bytes.len());
                return Err(self.error("", "a protobuf field", found));
            };
            if found == number {
                visit(value)?;
            }
        }
        Ok(())
    }
}

/// Takes one field off the front: its number and value. `None` if there is no whole one.
fn field<'a>(rest: &mut &'a [u8]) -> Option<(u64, Value<'a>)> {
    let key = varint(rest)?;
    let value = match key & 7 {
        0 => Value::Number(varint(rest)?),
        1 => Value::Number(u64::from_le_bytes(take(rest, 8)?.try_into().ok()?)),
        2 => {
            let length = varint(rest)?;
            Value::Bytes(take(rest, usize::try_from(length).ok()?)?)
        }
        5 => Value::Number(u32::from_le_bytes(take(rest, 4)?.try_into().ok()?).into()),
        _ => return None,
    };
    Some((key >> 3, value))
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = take(rest, 1)?[0];
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}
