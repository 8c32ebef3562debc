//! The name of an opening as a span of the text: the comment of a line, or what comments share.

/// Bytes of the text that tell what an opening is called; empty for nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct NameSpan {
    /// The first byte.
    pub start: u32,
    /// How many bytes.
    pub len: u32,
}

impl NameSpan {
    /// Its text, if there is any.
    pub fn text(self, source: &str) -> Option<&str> {
        let start = self.start as usize;
        source
            .get(start..start + self.len as usize)
            .filter(|text| !text.is_empty())
    }

    /// What two names have in common: `Ruy Lopez` of `Ruy Lopez, Berlin` and `Ruy Lopez, Open`.
    ///
    /// The first moves of a book are shared by many lines, so the name of one of them would mislead.
    pub fn common(self, other: Self, source: &str) -> Self {
        if self == other {
            return self;
        }
        let (Some(mine), Some(theirs)) = (self.text(source), other.text(source)) else {
            return Self::default();
        };
        let alike = mine
            .split_inclusive(PARTS)
            .zip(theirs.split_inclusive(PARTS))
            .take_while(|(one, other)| bare(one) == bare(other));
        let len: usize = alike.map(|(one, _)| one.len()).sum();
        Self {
            start: self.start,
            len: bare(&mine[..len]).len() as u32,
        }
    }
}

/// What divides the name of an opening into parts, from the family to the line.
const PARTS: [char; 2] = [',', ':'];

fn bare(part: &str) -> &str {
    part.trim_end_matches(|c: char| c.is_whitespace() || PARTS.contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(one: &str, other: &str) -> Option<String> {
        let source = format!("{one}{other}");
        let one = NameSpan {
            start: 0,
            len: one.len() as u32,
        };
        let other = NameSpan {
            start: one.len,
            len: other.len() as u32,
        };
        one.common(other, &source).text(&source).map(str::to_owned)
    }

    #[test]
    fn names_of_openings_share_their_first_parts() {
        assert_eq!(
            common("Ruy Lopez, Berlin", "Ruy Lopez, Open"),
            Some("Ruy Lopez".into())
        );
        assert_eq!(common("Ruy Lopez, Berlin", "Ruy Lopez"), Some("Ruy Lopez".into()));
        assert_eq!(
            common("Ruy Lopez: Open: A", "Ruy Lopez: Open, B"),
            Some("Ruy Lopez: Open".into())
        );
        assert_eq!(common("Ruy Lopez", "Ruy Lopes"), None);
        assert_eq!(common("Ruy Lopez", ""), None);
    }
}
