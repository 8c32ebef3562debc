//! Blocks of the pages in `docs/` that are made from the code: compared here, and written by `make docs`.

use std::{
    env, fs,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// Blocks of one page are written one after the other.
static WRITING: Mutex<()> = Mutex::new(());

/// Compares the block `name` of a page, given by its path from the top of the repository, with what it should hold.
/// With `SPARRING_WRITE_DOCS` set, as `make docs` sets it, the block is written instead.
///
/// # Panics
/// When the page has no such block, or another text in it.
pub fn check_block(page: &str, name: &str, expected: &str) {
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = fs::read_to_string(&path).unwrap();
    let begin = format!("<!-- generated: {name} -->\n");
    let (before, rest) = text
        .split_once(&begin)
        .unwrap_or_else(|| panic!("{page} has no line {begin}"));
    let (found, after) = rest
        .split_once("<!-- end -->")
        .unwrap_or_else(|| panic!("{page} does not end the block {name}"));
    if found == expected {
        return;
    }
    if env::var_os("SPARRING_WRITE_DOCS").is_some() {
        fs::write(&path, format!("{before}{begin}{expected}<!-- end -->{after}")).unwrap();
        return;
    }
    let differs = expected
        .lines()
        .find(|line| !found.lines().any(|old| old == *line));
    panic!("the block \"{name}\" of {page} is out of date: run `make docs`\nfirst new line: {differs:?}");
}

/// A table of Markdown. A bar in a cell is escaped.
pub fn table(heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}
