//! Unified diff of two texts, as `patch` takes it.

use std::fmt::Write as _;

/// A patch between two texts of which only single lines differ. Empty where none does.
pub(super) fn unified(name: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (
        old.split_inclusive('\n').collect(),
        new.split_inclusive('\n').collect(),
    );
    let mut patch = String::new();
    for (index, (before, after)) in old.iter().zip(&new).enumerate() {
        if before == after {
            continue;
        }
        if patch.is_empty() {
            patch = format!("--- {name}\n+++ {name}\n");
        }
        let number = index + 1;
        let _ = write!(
            patch,
            "@@ -{number} +{number} @@\n-{}+{}",
            ended(before),
            ended(after)
        );
    }
    patch
}

/// A line of a patch; one at the end of a text without an ending says so.
fn ended(line: &str) -> String {
    if line.ends_with('\n') {
        line.to_owned()
    } else {
        format!("{line}\n\\ No newline at end of file\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patch_holds_the_lines_that_change() {
        assert_eq!(
            unified(
                "a.book",
                "# x\ne4 60 | d4 40\ne4 e5\nc4 5",
                "# x\ne4 50 | d4 50\ne4 e5\nc4 6"
            ),
            "--- a.book\n+++ a.book\n@@ -2 +2 @@\n-e4 60 | d4 40\n+e4 50 | d4 50\n\
             @@ -4 +4 @@\n-c4 5\n\\ No newline at end of file\n+c4 6\n\\ No newline at end of file\n"
        );
        assert_eq!(unified("a.book", "same\n", "same\n"), "");
    }
}
