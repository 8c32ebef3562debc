//! The catalogue of faults: each has its tests, and the page that lists them is true.

mod sources;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use sources::{product_sources, sources};

/// The last number of the catalogue.
const LAST: u32 = 54;

/// The numbers that a test's name begins with: `f2_f46_bytes` gives 2 and 46.
fn numbers(name: &str) -> Vec<u32> {
    let number = |part: &str| part.strip_prefix('f')?.parse().ok();
    name.split('_').map_while(number).collect()
}

/// Every test that names a fault, with the faults it names.
fn tests() -> BTreeMap<String, Vec<u32>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = product_sources();
    files.extend(sources(&root.join("tests")));
    let mut tests = BTreeMap::new();
    for path in files {
        let source = fs::read_to_string(path).unwrap();
        let mut is_test = false;
        for line in source.lines().map(str::trim_start) {
            let name = line
                .strip_prefix("async fn ")
                .or_else(|| line.strip_prefix("fn "));
            if let Some(name) = name.and_then(|rest| rest.split('(').next()).filter(|_| is_test) {
                let faults = numbers(name);
                if !faults.is_empty() {
                    let before = tests.insert(name.to_owned(), faults);
                    assert_eq!(before, None, "two tests are called {name}");
                }
            }
            let is_attribute = line.starts_with("#[");
            is_test =
                line.starts_with("#[test]") || line.starts_with("#[tokio::test") || (is_test && is_attribute);
            // Inside proptest the attribute and the name are indented, but look the same.
        }
    }
    tests
}

#[test]
fn every_fault_has_its_tests_and_the_page_lists_them_all() {
    let tests = tests();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/faults.md")).unwrap();
    let mut rows = BTreeMap::new();
    for line in page.lines().filter(|line| line.starts_with("| F")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [fault, what, reaction, listed] = cells[..] else {
            panic!("not four cells: {line}");
        };
        assert!(!what.is_empty() && !reaction.is_empty(), "{line}");
        let number: u32 = fault.trim_start_matches('F').parse().unwrap();
        let listed: BTreeSet<&str> = listed.split(", ").map(|name| name.trim_matches('`')).collect();
        assert_eq!(rows.insert(number, listed), None, "F{number} stands there twice");
    }
    for fault in 1..=LAST {
        let expected: BTreeSet<&str> = tests
            .iter()
            .filter(|(_, faults)| faults.contains(&fault))
            .map(|(name, _)| name.as_str())
            .collect();
        assert!(!expected.is_empty(), "F{fault} has no test");
        assert_eq!(
            rows.get(&fault),
            Some(&expected),
            "the tests of F{fault} in docs/faults.md"
        );
    }
    assert_eq!(rows.len(), LAST as usize);
}
