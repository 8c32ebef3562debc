//! "Did you mean": the known word nearest to a misspelt one.

/// The nearest known word, if it is near enough to suggest.
///
/// Letter case and `_` for `-` do not count as differences.
#[must_use]
pub fn nearest<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let plain = |word: &str| word.to_lowercase().replace('_', "-");
    let written = plain(written);
    known
        .into_iter()
        .map(|word| (strsim::jaro_winkler(&written, &plain(word)), word))
        .filter(|(likeness, _)| *likeness >= CLOSE)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, word)| word)
}

/// The nearest known word as the end of a sentence about one that is not known; nothing where none is near enough.
#[must_use]
pub fn did_you_mean<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    nearest(written, known).map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"))
}

/// Below this likeness a suggestion is more often noise than help; found by trying misspelt keys of ours.
const CLOSE: f64 = 0.8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_recognised_and_strangers_are_not() {
        let known = ["min-rating", "max-rating", "move-overhead", "speeds"];
        assert_eq!(nearest("min-ratng", known), Some("min-rating"));
        assert_eq!(nearest("move_overhead", known), Some("move-overhead"));
        assert_eq!(nearest("Speed", known), Some("speeds"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("", known), None);
    }
}
