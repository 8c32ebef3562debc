//! What carries Sparring to other machines: units, image, packages, manifests, workflows.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    process::Command,
};

use sparring::config;

use crate::root;

#[test]
fn the_settings_for_kubernetes_are_settings_and_the_pod_waits_for_its_games() {
    let text = fs::read_to_string(root().join("packaging/kubernetes/sparring.yaml")).unwrap();
    let settings: Vec<&str> = text
        .lines()
        .skip_while(|line| *line != "  bot.toml: |")
        .skip(1)
        .take_while(|line| *line != "---")
        .map(|line| line.trim_start_matches(' '))
        .collect();
    let (config, findings) = config::read("bot.toml", &settings.join("\n"));
    assert_eq!(findings.to_string(), "");
    let config = config.unwrap();
    let grace = text.split("terminationGracePeriodSeconds: ").nth(1).unwrap();
    let grace: u64 = grace.lines().next().unwrap().parse().unwrap();
    assert!(grace * 1000 >= config.games.drain.0 + 30_000, "{grace}");
    let listen = config.status.listen.unwrap().to_string();
    let probes = format!("\"live\", \"{listen}\"");
    assert_eq!(text.matches(&probes).count(), 2);
    assert!(text.contains(&format!("\"ready\", \"{listen}\"")));
}

#[test]
fn the_units_score_an_exposure_of_at_most_1_5() {
    for name in ["sparring.service", "sparring@.service", "sparring-push@.service"] {
        let unit = root().join("systemd").join(name);
        let asked = Command::new("systemd-analyze")
            // The exposure is told in tenths: 1.5.
            .args(["security", "--offline=true", "--no-pager", "--threshold=15"])
            .arg(&unit)
            .output();
        match asked {
            Ok(output) => assert!(
                output.status.success(),
                "{name}: {}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            ),
            Err(why) if why.kind() == ErrorKind::NotFound => {
                eprintln!("not run, there is no systemd-analyze here")
            }
            Err(why) => panic!("{why}"),
        }
    }
}

/// Whether `.dockerignore` keeps a file from docker: the last line that fits decides, and a folder speaks for what is in it.
fn is_kept_from_docker(rules: &str, path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let prefixes: Vec<Vec<&str>> = (1..=parts.len()).map(|count| parts[..count].to_vec()).collect();
    let rules = rules
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    rules.fold(false, |kept, rule| {
        let pattern: Vec<&str> = rule.trim_start_matches('!').split('/').collect();
        match prefixes.iter().any(|prefix| fits(&pattern, prefix)) {
            true => !rule.starts_with('!'),
            false => kept,
        }
    })
}

fn fits(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => (0..=path.len()).any(|skipped| fits(rest, &path[skipped..])),
        ([first, rest @ ..], [name, below @ ..]) => fits_name(first, name) && fits(rest, below),
        _ => false,
    }
}

fn fits_name(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, rest)) => name.strip_prefix(before).is_some_and(|left| {
            let ends = (0..=left.len()).filter(|at| left.is_char_boundary(*at));
            ends.into_iter().any(|at| fits_name(rest, &left[at..]))
        }),
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

#[test]
fn docker_gets_what_the_build_needs_and_no_token() {
    let rules = fs::read_to_string(root().join(".dockerignore")).unwrap();
    for secret in [
        "token",
        "lichess-token",
        "my.token",
        "dashboard-password",
        ".env",
        ".env.local",
        "club.toml",
        "etc/bot.toml",
        "etc/token",
        "state/archive.db",
        "state/last-good.toml",
        ".git/config",
        "books/token",
        "books/notes.txt",
        "personalities/token",
        "personalities/club.toml~",
        "src/token",
        "crates/lichess/src/lichess-token",
        "web/.npmrc",
        "web/.env",
        "web/src/token",
        "web/node_modules/a.js",
        "target/debug/sparring",
        "config.yml",
    ] {
        assert!(
            is_kept_from_docker(&rules, secret),
            "{secret} would get into an image"
        );
    }
    let needed = ["src", "crates", "examples", "lab/src", "testkit", "web/src"]
        .iter()
        .flat_map(|folder| files_below(&root().join(folder)));
    let shown = ["books", "personalities"]
        .iter()
        .flat_map(|folder| files_below(&root().join(folder)));
    let shown = shown.filter(|path| {
        path.extension()
            .is_some_and(|ending| ending == "book" || ending == "toml")
    });
    for path in needed.chain(shown) {
        let path = path.strip_prefix(root()).unwrap().to_str().unwrap();
        assert!(!is_kept_from_docker(&rules, path), "{path} is needed");
    }
    // Everything is copied by name, and all of that is there.
    let dockerfile = fs::read_to_string(root().join("Dockerfile")).unwrap();
    let copied = dockerfile
        .lines()
        .filter(|line| line.starts_with("COPY ") && !line.contains("--from="));
    let mut sources: Vec<&str> = copied
        .flat_map(|line| {
            let words: Vec<&str> = line.split(' ').skip(1).collect();
            words[..words.len() - 1].to_vec()
        })
        .collect();
    sources.sort_unstable();
    assert!(sources.len() >= 12, "{sources:?}");
    for source in &sources {
        assert!(
            root().join(source).exists() && !matches!(*source, "." | "./" | "web" | "web/"),
            "{source}"
        );
        let is_there = !is_kept_from_docker(&rules, source) || matches!(*source, "books" | "personalities");
        assert!(is_there, "{source} is copied and kept away");
    }
    for file in [
        "Cargo.toml",
        "Cargo.lock",
        "build.rs",
        "bot.toml",
        "src",
        "crates",
        "examples",
        "books",
        "personalities",
        "packaging/image-root.sh",
    ] {
        assert!(sources.contains(&file), "{file} is not copied");
    }
}

fn manifest(path: &str) -> toml::Table {
    fs::read_to_string(root().join(path)).unwrap().parse().unwrap()
}

#[test]
fn packages_have_only_what_they_name() {
    let (package, sandbox) = (manifest("Cargo.toml"), manifest("crates/sandbox/Cargo.toml"));
    let names = |list: &toml::Value| -> Vec<String> {
        let entries = list.as_array().unwrap().iter();
        entries
            .map(|entry| {
                entry
                    .as_str()
                    .unwrap_or_else(|| entry[0].as_str().unwrap())
                    .to_owned()
            })
            .collect()
    };
    let package = &package["package"];
    let all = [
        names(&package["include"]),
        names(&sandbox["package"]["include"]),
        names(&package["metadata"]["deb"]["assets"]),
    ]
    .concat();
    assert!(all.len() > 20, "{all:?}");
    for name in all {
        let file = name.rsplit('/').next().unwrap();
        assert!(
            !matches!(file, "" | "*" | "**") && !["books", "personalities", "web", "dist"].contains(&file),
            "{name} takes whatever lies there"
        );
    }
}

#[test]
fn packages_name_each_other_by_the_version_of_all() {
    let workspace = &manifest("Cargo.toml")["workspace"];
    let version = &workspace["package"]["version"];
    let dependencies = workspace["dependencies"].as_table().unwrap().iter();
    let parts: Vec<_> = dependencies
        .filter(|(_, part)| part.get("path").is_some())
        .collect();
    assert!(parts.len() > 10, "{parts:?}");
    for (name, part) in parts {
        assert_eq!(part.get("version"), Some(version), "{name}: make version");
    }
}

#[test]
fn workflows_take_actions_by_commit_the_compiler_of_the_manifest_and_no_rights_by_default() {
    let workspace = &manifest("Cargo.toml")["workspace"];
    let compiler = workspace["package"]["rust-version"].as_str().unwrap();
    for name in ["ci.yml", "release.yml"] {
        let text = fs::read_to_string(root().join(".github/workflows").join(name)).unwrap();
        assert!(text.contains("\npermissions: {}\n"), "{name}");
        assert!(
            text.contains(&format!("\n  RUSTUP_TOOLCHAIN: \"{compiler}\"\n")),
            "{name}"
        );
        let used: Vec<&str> = text.split("uses: ").skip(1).collect();
        assert!(used.len() >= 3, "{name}");
        for action in used {
            let (_, commit) = action.split_once('@').unwrap();
            let (commit, _) = commit.split_once(" # v").expect("the version in words");
            assert!(
                commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit()),
                "{name}: {commit}"
            );
        }
    }
    let dockerfile = fs::read_to_string(root().join("Dockerfile")).unwrap();
    assert!(dockerfile.contains(&format!("\nFROM rust:{compiler}-alpine AS build\n")));
}

#[test]
fn the_image_has_nothing_below_it_one_layer_and_no_root() {
    let dockerfile = fs::read_to_string(root().join("Dockerfile")).unwrap();
    let (_, last) = dockerfile.split_once("\nFROM scratch\n").unwrap();
    let count = |word: &str| last.lines().filter(|line| line.starts_with(word)).count();
    assert_eq!(
        [count("COPY "), count("ADD "), count("RUN "), count("FROM ")],
        [1, 0, 0, 0]
    );
    assert!(last.contains("\nUSER 10001:10001\n"));
}

#[test]
fn the_units_show_what_is_wrong_before_they_start() {
    for name in ["sparring.service", "sparring@.service"] {
        let unit = fs::read_to_string(root().join("systemd").join(name)).unwrap();
        assert!(
            unit.contains("\nExecStartPre=-/usr/bin/sparring check /etc/sparring/"),
            "{name}"
        );
    }
}

#[test]
fn the_units_hand_over_secrets_start_without_them_and_keep_accounts_apart() {
    let units = [
        ("sparring.service", "", "sparring"),
        ("sparring@.service", "/%i", "sparring-%i"),
    ];
    for (name, folder, place) in units {
        let unit = fs::read_to_string(root().join("systemd").join(name)).unwrap();
        let has = |line: &str| unit.lines().any(|found| found == line);
        for secret in ["lichess-token", "dashboard-password"] {
            let file = format!("/etc/sparring{folder}/{secret}");
            assert!(has(&format!("LoadCredential={secret}:{file}")), "{name}");
            // An empty value would be no default at all: systemd calls it a mistake and passes over it.
            assert!(has(&format!(r"SetCredential={secret}:\n")), "{name}");
        }
        // A folder in another unit's: systemd starts neither once the other has run.
        assert!(has(&format!("StateDirectory={place}")), "{name}");
        assert!(has(&format!("RuntimeDirectory={place}")), "{name}");
    }
}

#[test]
fn the_manifests_name_the_image_of_this_version() {
    for name in ["sparring.yaml", "shards.yaml"] {
        let text = fs::read_to_string(root().join("packaging/kubernetes").join(name)).unwrap();
        let images = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("image: "));
        let images: Vec<&str> = images.collect();
        assert!(!images.is_empty(), "{name}");
        for image in images {
            let (repository, tag) = image.split_once(':').unwrap();
            assert_eq!(tag, env!("CARGO_PKG_VERSION"), "{name}: make version");
            assert_eq!(
                repository,
                repository.to_lowercase(),
                "Kubernetes takes no capitals"
            );
        }
    }
}
