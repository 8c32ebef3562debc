//! Doctor checks of the machine: clock, disk, port of the dashboard, service.

use std::{
    io::ErrorKind,
    net::TcpListener,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::Line;
use crate::{
    config::{Dashboard, Listen},
    platform::free_space,
};
use sparring_chess::units::Millis;
use sparring_http_server::OpenFiles;

/// A larger clock skew makes dates wrong, and may make certificates invalid.
const SKEW: Millis = Millis::from_secs(60);
/// Less free space than this, in MiB, is a warning.
const MIN_FREE: u64 = 200;
/// The folders of installed systemd units.
const UNITS: [&str; 3] = [
    "/etc/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
];

/// Whether the clock of this machine agrees with the server's.
pub(super) fn clock(server: Option<Millis>) -> Line {
    const WHAT: &str = "clock";
    let Some(server) = server else {
        return Line::warning(WHAT, "the server sent no date", "compare the clock yourself");
    };
    let now = Millis::since_1970(SystemTime::now());
    let off = Millis(now.0.abs_diff(server.0));
    let found = format!("{} s off the server's", off.0 / 1000);
    if off > SKEW {
        Line::warning(WHAT, found, "set the clock, for example with systemd-timesyncd")
    } else {
        Line::ok(WHAT, found)
    }
}

/// Whether the bot's systemd unit is installed. `instance` is the name of a template's instance; empty for the unit of a single
/// bot; none where the settings' path leaves that open.
pub(super) fn unit(instance: Option<&Path>) -> Line {
    const WHAT: &str = "service";
    if !Path::new("/run/systemd/system").exists() {
        return Line::ok(WHAT, "no systemd here");
    }
    let names = names(instance);
    match installed(&UNITS.map(Path::new), names) {
        Some(path) => Line::ok(WHAT, path.display().to_string()),
        None => Line::warning(
            WHAT,
            format!("{} is not installed", names.join(" or ")),
            format!(
                "copy systemd/{} to /etc/systemd/system to start the bot at boot",
                names[0]
            ),
        ),
    }
}

/// The names of units that would start the bot.
fn names(instance: Option<&Path>) -> &'static [&'static str] {
    const NAMES: &[&str] = &["sparring.service", "sparring@.service"];
    match instance {
        Some(name) if name.as_os_str().is_empty() => &NAMES[..1],
        Some(_) => &NAMES[1..],
        None => NAMES,
    }
}

fn installed(folders: &[&Path], names: &[&str]) -> Option<PathBuf> {
    let paths = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    paths.into_iter().find(|path| path.exists())
}

/// Whether the disk of the archive has enough free space. None where the system does not say.
pub(super) fn disk(state: &Path) -> Option<Line> {
    // The folder may not exist yet: the nearest existing parent is on the same disk.
    let existing = state
        .ancestors()
        .find(|path| path.exists())
        .unwrap_or(Path::new("."));
    Some(free_mib(free_space(existing)? >> 20))
}

/// Whether so many MiB are enough.
fn free_mib(free: u64) -> Line {
    const WHAT: &str = "disk";
    let found = format!("{free} MiB free for the archive");
    if free < MIN_FREE {
        // Nothing in an archive is ever deleted.
        const REMEDY: &str = "free disk space, or set `folder` in [state] to another disk; `archive = false` there keeps no games";
        Line::warning(WHAT, found, REMEDY)
    } else {
        Line::ok(WHAT, found)
    }
}

/// A warning if other users of this machine can use the dashboard's controls, since a loopback address needs no password. None
/// where there are no other users, no controls, or a password. `handed` is the path of systemd's password credential.
pub(super) fn others(dashboard: &Dashboard, handed: &Path, accounts: &str) -> Option<Line> {
    let has_password = || {
        let handed = std::fs::metadata(handed).is_ok_and(|file| file.len() > 0);
        handed || dashboard.password_file.is_some()
    };
    let is_open = dashboard.listen.as_ref().is_some_and(Listen::is_loopback);
    let may = match (dashboard.has_controls(), dashboard.edit) {
        (true, true) => "use its controls and edit books",
        (true, false) => "use its controls",
        (false, true) => "edit books",
        (false, false) => return None,
    };
    let people = people(accounts);
    if !is_open || people.len() < 2 || has_password() {
        return None;
    }
    let found = format!("every user of this machine can {may}: {}", people.join(", "));
    let remedy = "set `password-file` in [dashboard], or `listen = \"unix:PATH\"`";
    Some(Line::warning("dashboard", found, remedy))
}

/// The login names of people in the text of `/etc/passwd`.
fn people(accounts: &str) -> Vec<&str> {
    accounts.lines().filter_map(person).collect()
}

/// The name of an account if it is a person's: service accounts have no shell, or a uid below 1000.
fn person(account: &str) -> Option<&str> {
    let mut fields = account.split(':');
    let (name, number, shell) = (fields.next()?, fields.nth(1)?, fields.next_back()?);
    let logs_in = !shell.ends_with("/nologin") && !shell.ends_with("/false");
    let is_person = (1000..65_534).contains(&number.parse::<u32>().ok()?);
    (logs_in && is_person).then_some(name)
}

/// Whether the limit of open files is enough for games and pages.
pub(super) fn files(limit: OpenFiles) -> Line {
    const WHAT: &str = "open files";
    match limit.remedy() {
        Some(remedy) => Line::warning(WHAT, limit.to_string(), remedy),
        None => Line::ok(WHAT, limit.to_string()),
    }
}

/// Whether the dashboard's address can be bound.
pub(super) fn port(listen: &Listen) -> Line {
    const WHAT: &str = "dashboard";
    let Listen::Tcp(address) = listen else {
        return Line::ok(WHAT, listen.to_string());
    };
    match TcpListener::bind(address) {
        Ok(_) => Line::ok(WHAT, format!("{listen} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => Line::warning(
            WHAT,
            format!("{listen} is in use"),
            "fine if this bot is running; otherwise the dashboard waits until it is free: set another `listen` in [dashboard]",
        ),
        Err(error) => Line::warning(
            WHAT,
            format!("cannot listen on {listen}: {error}"),
            "set another `listen` in [dashboard]",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_in_use_is_a_warning_and_a_free_one_is_ok() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let listen = Listen::Tcp(taken.local_addr().unwrap());
        assert!(port(&listen).to_string().starts_with("warn  dashboard"));
        drop(taken);
        assert!(port(&listen).to_string().starts_with("ok    dashboard"));
    }

    #[test]
    fn other_users_of_the_machine_and_a_dashboard_without_password_are_a_warning() {
        const ALONE: &str = "root:x:0:0::/root:/bin/bash\nana:x:1000:1000:Ana:/home/ana:/bin/bash\n\
            games:x:5:60::/:/usr/sbin/nologin\nsparring:x:1001:1001::/:/usr/sbin/nologin\nbroken\n\
            nobody:x:65534:65534::/:/usr/sbin/nologin\n";
        let shared = format!("{ALONE}ben:x:1002:1002::/home/ben:/bin/zsh\n");
        let folder = tempfile::tempdir().unwrap();
        let handed = folder.path().join("dashboard-password");
        let with = |listen: &str| Dashboard {
            listen: Some(if listen.contains('/') {
                Listen::Unix(listen.into())
            } else {
                Listen::Tcp(listen.parse().unwrap())
            }),
            edit: true,
            ..Dashboard::default()
        };
        let told = others(&with("127.0.0.1:9464"), &handed, &shared)
            .unwrap()
            .to_string();
        for part in [
            "warn  dashboard",
            "use its controls and edit books: ana, ben",
            "password-file",
        ] {
            assert!(told.contains(part), "{told}");
        }
        let looking = Dashboard {
            controls: Some(false),
            edit: false,
            ..with("127.0.0.1:9464")
        };
        let guarded = Dashboard {
            password_file: Some("password".into()),
            ..with("127.0.0.1:9464")
        };
        for (dashboard, accounts) in [
            (&with("127.0.0.1:9464"), ALONE),
            (&with("/run/status.sock"), &shared),
            (&Dashboard::default(), &shared),
            (&looking, &shared),
            (&guarded, &shared),
        ] {
            assert_eq!(others(dashboard, &handed, accounts), None, "{dashboard:?}");
        }
        std::fs::write(&handed, "correct horse\n").unwrap();
        assert_eq!(others(&with("127.0.0.1:9464"), &handed, &shared), None);
    }

    #[test]
    fn the_free_space_of_a_missing_folder_is_that_of_its_parent() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b/state");
        let line = disk(&deep).unwrap().to_string();
        assert!(line.contains("MiB free"), "{line}");
    }

    #[test]
    fn the_fix_for_a_full_disk_names_keys_that_exist() {
        assert!(free_mib(MIN_FREE).to_string().starts_with("ok    disk"));
        let line = free_mib(MIN_FREE - 1).to_string();
        assert!(line.starts_with("warn  disk"), "{line}");
        assert!(
            line.contains("`folder` in [state]") && line.contains("archive = false"),
            "{line}"
        );
        let text = "[state]\nfolder = \"/elsewhere\"\narchive = false\n";
        let (config, findings) = crate::config::read("bot.toml", text);
        let state = config.unwrap_or_else(|| panic!("{findings}")).state;
        assert!(!state.archive && state.folder.is_some());
    }

    #[test]
    fn a_template_unit_counts_as_an_installed_service() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let paths = [folders[0].path(), folders[1].path()];
        let [one, any] = [Some(""), None].map(|name| names(name.map(Path::new)));
        let many = names(Some(Path::new("club")));
        assert_eq!(installed(&paths, any), None);
        let template = paths[1].join("sparring@.service");
        std::fs::write(&template, "").unwrap();
        assert_eq!(installed(&paths, any), Some(template.clone()));
        assert_eq!(installed(&paths, one), None);
        let own = paths[1].join("sparring.service");
        std::fs::write(&own, "").unwrap();
        assert_eq!(installed(&paths, any), Some(own.clone()));
        assert_eq!(installed(&paths, one), Some(own));
        assert_eq!(installed(&paths, many), Some(template));
    }
}
