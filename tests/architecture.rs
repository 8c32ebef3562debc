//! What the compiler cannot keep: which code may open files, ask what time of day it is or which system it runs on. Cargo keeps the layers.

mod sources;

use std::{
    fs,
    path::{Path, PathBuf},
};

use sources::product_sources;

/// What opens a path without asking whether it is a file, and without a limit.
const UNGUARDED: [&str; 3] = ["fs::read(", "fs::read_to_string(", "File::open("];
/// Who may open so all the same: a folder that is synced, the system's own files, and a damaged archive, known to be a file and read
/// by pages.
const GUARDED_OTHERWISE: [&str; 3] = [
    "crates/files/src/atomic_file.rs",
    "src/cli/threads.rs",
    "src/store/salvage/pages.rs",
];

#[test]
fn files_are_read_with_a_limit_and_only_if_they_are_files() {
    for path in product_sources() {
        let name = name_of(&path);
        let source = fs::read_to_string(&path).unwrap();
        // Tests read what they have written, and the kernel's own files end, as those of threads do.
        let code = source.split("\nmod tests {").next().unwrap_or(&source);
        let unguarded = code
            .lines()
            .filter(|line| UNGUARDED.iter().any(|word| line.contains(word)) && !line.contains("\"/proc/"));
        let unguarded: Vec<&str> = unguarded.collect();
        assert!(
            unguarded.is_empty()
                || name.starts_with("crates/files/src/")
                || name.ends_with("tests.rs")
                || name.contains("/tests/")
                || GUARDED_OTHERWISE.contains(&name.as_str()),
            "{name} reads what may be a pipe, a device or far too large; use sparring_files: {unguarded:?}"
        );
    }
}

/// Words of one kind of operating system.
const SYSTEMS: [&str; 10] = [
    "(unix",
    "(windows",
    "target_os",
    "std::os::",
    "os::unix",
    "libc::",
    "rustix",
    "windows_sys",
    "sd_notify",
    "signal::unix",
];

#[test]
fn only_the_platform_module_knows_operating_systems() {
    let mut found = Vec::new();
    for path in product_sources() {
        let name = name_of(&path);
        let is_elsewhere = name.starts_with("src/") && !name.starts_with("src/platform/");
        if !is_elsewhere || name.ends_with("tests.rs") {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        // Tests may make files that only one system has.
        let code = source.split("\nmod tests {").next().unwrap_or(&source);
        for (number, line) in (1..).zip(code.lines()) {
            found.extend(
                SYSTEMS
                    .iter()
                    .filter(|word| line.contains(**word))
                    .map(|word| format!("{name}:{number}: \"{word}\" belongs into src/platform")),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Beginnings of names of clients of databases, brokers and clusters.
const CLUSTER_CLIENTS: [&str; 12] = [
    "tokio-postgres",
    "postgres",
    "sqlx",
    "diesel",
    "mysql",
    "mongodb",
    "redis",
    "kube",
    "async-nats",
    "rdkafka",
    "lapin",
    "etcd",
];

#[test]
fn the_default_build_has_no_client_of_a_cluster_or_a_database_server() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [manifest, lock]: [toml::Table; 2] = ["Cargo.toml", "Cargo.lock"]
        .map(|name| fs::read_to_string(root.join(name)).unwrap().parse().unwrap());
    let features = manifest["features"].as_table().unwrap();
    assert!(
        !features.contains_key("default"),
        "every feature is off by default"
    );
    let is_optional = |entry: &toml::Value| {
        entry
            .get("optional")
            .is_some_and(|yes| yes.as_bool() == Some(true))
    };
    let targets = manifest["target"].as_table().unwrap().values();
    let (optional, always): (Vec<_>, Vec<_>) = targets
        .map(|target| &target["dependencies"])
        .chain([&manifest["dependencies"]])
        .flat_map(|table| table.as_table().unwrap())
        .partition(|(_, entry)| is_optional(entry));
    let clients = |from: Vec<(&String, &toml::Value)>| -> Vec<String> {
        let names = from.into_iter().map(|(name, _)| name.clone()).collect();
        let mut found = closure(&lock, names);
        found.retain(|name| CLUSTER_CLIENTS.iter().any(|client| name.starts_with(client)));
        found
    };
    assert_eq!(clients(always), [""; 0]);
    assert!(
        clients(optional).contains(&"tokio-postgres".to_owned()),
        "the lock file is read"
    );
}

/// These packages and all that any version of them needs.
fn closure(lock: &toml::Table, mut next: Vec<String>) -> Vec<String> {
    let packages = lock["package"].as_array().unwrap();
    let mut found: Vec<String> = Vec::new();
    while let Some(name) = next.pop() {
        if found.contains(&name) {
            continue;
        }
        let named = packages
            .iter()
            .filter(|package| package["name"].as_str() == Some(&name));
        for needed in named
            .filter_map(|package| package.get("dependencies")?.as_array())
            .flatten()
        {
            // After the name may come a version.
            let needed = needed.as_str().unwrap().split(' ').next().unwrap();
            next.push(needed.to_owned());
        }
        found.push(name);
    }
    found
}

/// Files that may ask what time of day it is: for dates, never for how long something takes.
const CALENDARS: [&str; 2] = ["src/bot/wall_clock.rs", "crates/lichess/src/response.rs"];

#[test]
fn f51_no_time_of_day_decides_how_long_anything_takes() {
    let rooms = [
        "src/bot",
        "crates/lichess",
        "crates/engine",
        "crates/personality",
        "crates/chess",
        "crates/book",
    ];
    let files: Vec<PathBuf> = product_sources()
        .into_iter()
        .filter(|path| rooms.iter().any(|room| name_of(path).starts_with(room)))
        .collect();
    assert!(files.len() > 50, "the sources are found");
    for path in files {
        let source = fs::read_to_string(&path).unwrap();
        let name = name_of(&path);
        let asks = ["SystemTime", "jiff::", "UNIX_EPOCH"]
            .iter()
            .any(|word| source.contains(word));
        assert!(
            !asks || CALENDARS.contains(&name.as_str()) || name == UNITS,
            "{name} reads the clock on the wall, which may be set at any moment; use tokio's Instant"
        );
    }
    for name in CALENDARS {
        assert!(
            Path::new(env!("CARGO_MANIFEST_DIR")).join(name).exists(),
            "{name} is gone: take it off the list"
        );
    }
}

/// Where the clock on the wall becomes a unit.
const UNITS: &str = "crates/chess/src/units.rs";

/// The path of a source from the root of the repository.
fn name_of(path: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    path.strip_prefix(root).unwrap().to_str().unwrap().to_owned()
}
