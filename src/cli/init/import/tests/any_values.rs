//! Whatever a file holds, nothing panics and the new files can be used.

use std::ops::Range;

use proptest::prelude::*;

use super::*;

/// The places of all values without parts.
fn scalars(node: &Node) -> Vec<Range<usize>> {
    match &node.value {
        yaml::Value::List(list) => list.iter().flat_map(scalars).collect(),
        yaml::Value::Map(entries) => entries.iter().flat_map(|entry| scalars(&entry.node)).collect(),
        _ => vec![node.span.clone()],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn whatever_the_values_are_the_new_files_can_be_used(
        which in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..VALUES.len()), 1..4),
    ) {
        let mut text = if which { LICHESS_BOT } else { BOTLI }.to_owned();
        for (at, value) in changes {
            let Ok((root, _)) = yaml::parse(&text) else { break };
            let places = scalars(&root);
            let place = places[at.index(places.len())].clone();
            text.replace_range(place, VALUES[value]);
        }
        if let Ok((import, _)) = translate("config.yml", &text, Path::new("/nowhere")) {
            let settings = import.settings(SHIPPED);
            prop_assert!(settings.is_ok(), "{:?}\n{text}", settings.err());
            let (moved, findings) = sparring_personality::read("moved.toml", &file(&import, "personalities/moved.toml"));
            prop_assert!(moved.is_some(), "{findings}\n{text}");
            prop_assert!(!import.report().contains("anary"));
        }
    }

    #[test]
    fn no_text_stops_the_reader(text in "\\PC*", at in any::<prop::sample::Index>()) {
        let mut mixed = LICHESS_BOT.to_owned();
        let at = mixed.floor_char_boundary(at.index(mixed.len()));
        mixed.insert_str(at, &text);
        for text in [&text, &mixed] {
            let _ = yaml::parse(text);
        }
    }
}

/// Values that a setting of any kind may be given.
const VALUES: [&str; 20] = [
    "-5",
    "0",
    "1",
    "9223372036854775807",
    "-9223372036854775807",
    "0.5",
    "1.0e+300",
    ".inf",
    "-.inf",
    ".nan",
    "yes",
    "no",
    "\"\"",
    "\"a\\nb\\0 \\\" # x\"",
    "null",
    "[]",
    "[a, 1, \"\\n\"]",
    "{a: 1}",
    "{\"a\\nb\": {tc: 5+3, dir: x, names: [Own]}}",
    "\"{opponent}{me}{level}{x}{ http://example.org\"",
];
