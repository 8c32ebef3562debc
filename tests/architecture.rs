//! The floors of the house: a module imports only from the floors below it, never upward and never from a sibling.
//!
//! The plan is drawn in `src/lib.rs`; this test reads the imports themselves, so the drawing cannot drift.

mod sources;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use sources::sources;

/// The floors from the ground up. A room is a path below `src`, longest match first; rooms of one floor are
/// blind to each other.
const FLOORS: &[&[&str]] = &[
    &[
        "units",
        "diagnostic",
        "settings",
        "chess",
        "atomic_file",
        "files",
        "lines",
    ],
    &["engine", "book", "lichess/model"],
    &["personality"],
    &[
        "arena",
        "tuning",
        "config",
        "lists",
        "store",
        "watch",
        "uci",
        "lichess",
        "http_server",
    ],
    &["bot", "sandbox"],
    &["cli", "main", "bin", "lib"],
];

/// Rooms of one floor that may see each other, each with its reason.
const NEIGHBOURS: &[(&str, &str)] = &[
    // The ground is one floor of definitions: settings report diagnostics, and chess counts in units.
    ("settings", "diagnostic"),
    ("settings", "units"),
    ("chess", "units"),
    // Names in PGN files have near misses, as keys of settings have.
    ("chess", "diagnostic"),
    // The poller publishes what the configuration names.
    ("watch", "config"),
    // What is kept fresh is what the configuration declares.
    ("lists", "config"),
];

fn room_of(module: &str) -> Option<(usize, &'static str)> {
    FLOORS
        .iter()
        .enumerate()
        .flat_map(|(floor, rooms)| rooms.iter().map(move |room| (floor, *room)))
        .filter(|(_, room)| module == *room || module.starts_with(&format!("{room}/")))
        .max_by_key(|(_, room)| room.len())
}

/// What a source refers to inside the crate: `crate::a::b` gives `a/b`, and a brace list each of its entries.
fn references(source: &str) -> BTreeSet<String> {
    let code: String = source
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n");
    let mut found = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        let path: String = after
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_' || *c == ':')
            .collect();
        let segments: Vec<&str> = path.split("::").filter(|segment| !segment.is_empty()).collect();
        if let Some(list) = after[path.len()..].strip_prefix('{') {
            found.extend(
                entries(list)
                    .into_iter()
                    .map(|entry| [segments.join("/"), entry].join("/")),
            );
        } else {
            found.insert(segments.join("/"));
        }
    }
    found
        .into_iter()
        .map(|path| path.trim_matches('/').to_owned())
        .collect()
}

/// The entries of a brace list at its own level, each as the path it begins with.
fn entries(list: &str) -> Vec<String> {
    let mut depth = 0_i32;
    let mut found = vec![String::new()];
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => found.push(String::new()),
            c if depth == 0 && !c.is_whitespace() => {
                if let Some(entry) = found.last_mut() {
                    entry.push(c);
                }
            }
            _ => {}
        }
    }
    found
        .into_iter()
        .filter(|entry| !entry.is_empty())
        .map(|entry| entry.replace("::", "/"))
        .collect()
}

#[test]
fn imports_point_down_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = sources(&src);
    assert!(files.len() > 10, "the sources were found");
    let mut wrong = Vec::new();
    for file in files {
        let module = file
            .strip_prefix(&src)
            .unwrap()
            .with_extension("")
            .display()
            .to_string();
        let module = module.trim_end_matches("/mod");
        let Some((floor, room)) = room_of(module) else {
            wrong.push(format!("src/{module} is on no floor: add it to the plan"));
            continue;
        };
        for reference in references(&fs::read_to_string(&file).unwrap()) {
            let Some((below, other)) = room_of(&reference) else {
                continue;
            };
            let neighbours = NEIGHBOURS.contains(&(room, other));
            if room != other && below >= floor && !neighbours {
                wrong.push(format!(
                    "src/{module} ({room}, floor {floor}) uses {reference} ({other}, floor {below})"
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "imports that do not point down:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_reader_of_imports_sees_what_it_should() {
    let source = "use crate::{\n    chess::{self, Move},\n    units::Millis,\n};\nfn f() { crate::bot::go() } // crate::cli";
    let found: Vec<String> = references(source).into_iter().collect();
    assert_eq!(
        found,
        ["bot/go", "chess/", "units/Millis"].map(|path| path.trim_end_matches('/').to_owned())
    );
    assert_eq!(room_of("lichess/model/game"), Some((1, "lichess/model")));
    assert_eq!(room_of("lichess/client"), Some((3, "lichess")));
    assert_eq!(room_of("bottom"), None);
}

/// What opens a path without asking whether it is a file, and without a limit.
const UNGUARDED: [&str; 3] = ["fs::read(", "fs::read_to_string(", "File::open("];
/// Who may open so all the same: a folder that is synced, the system's own files, and a damaged archive, known to be a file and read
/// by pages.
const GUARDED_OTHERWISE: [&str; 4] = [
    "atomic_file.rs",
    "cli/threads.rs",
    "cli/soak/strain.rs",
    "store/salvage/pages.rs",
];

#[test]
fn files_are_read_with_a_limit_and_only_if_they_are_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in sources(&root) {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        let source = fs::read_to_string(&path).unwrap();
        // Tests read what they have written, and the kernel's own files end, as those of threads do.
        let code = source.split("\nmod tests {").next().unwrap_or(&source);
        let unguarded = code
            .lines()
            .filter(|line| UNGUARDED.iter().any(|word| line.contains(word)) && !line.contains("\"/proc/"));
        let unguarded: Vec<&str> = unguarded.collect();
        assert!(
            unguarded.is_empty()
                || name.starts_with("files/")
                || name.ends_with("tests.rs")
                || name.contains("/tests/")
                || GUARDED_OTHERWISE.contains(&name.as_str()),
            "{name} reads what may be a pipe, a device or far too large; use crate::files: {unguarded:?}"
        );
    }
}

/// Files that may ask what time of day it is: for dates, never for how long something takes.
const CALENDARS: [&str; 2] = ["bot/desk.rs", "lichess/answer.rs"];

#[test]
fn f51_no_time_of_day_decides_how_long_anything_takes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rooms = ["bot", "lichess", "engine", "personality", "chess", "book"];
    let files: Vec<PathBuf> = rooms.iter().flat_map(|room| sources(&root.join(room))).collect();
    assert!(files.len() > 50, "the sources are found");
    for path in files {
        let source = fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
        let asks = ["SystemTime", "jiff::", "UNIX_EPOCH"]
            .iter()
            .any(|word| source.contains(word));
        assert!(
            !asks || CALENDARS.contains(&name),
            "{name} reads the clock on the wall, which may be set at any moment; use tokio's Instant"
        );
    }
    for name in CALENDARS {
        assert!(root.join(name).exists(), "{name} is gone: take it off the list");
    }
}
