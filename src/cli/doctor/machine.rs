//! Doctor checks of the machine: clock, disk, port of the dashboard, service.

use std::{
    io::ErrorKind,
    net::TcpListener,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::Line;
use crate::config::{Dashboard, Listen};
use sparring_chess::units::Millis;
use sparring_http_server::OpenFiles;

/// A clock that is further off than this makes dates wrong and certificates doubtful.
const SKEW: Millis = Millis::from_secs(60);
/// With less room than this, in MiB, an archive will not grow for long.
const ROOM: u64 = 200;
/// Where services of systemd are installed.
const UNITS: [&str; 3] = [
    "/etc/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
];

/// Whether the clock of this machine agrees with the server's.
pub(super) fn clock(server: Option<Millis>) -> Line {
    const WHAT: &str = "clock";
    let Some(server) = server else {
        return Line::worth(
            WHAT,
            "the server did not say what time it is",
            "compare it yourself",
        );
    };
    let now = Millis::since_1970(SystemTime::now());
    let off = Millis(now.0.abs_diff(server.0));
    let found = format!("{} s from the server's", off.0 / 1000);
    if off > SKEW {
        Line::worth(WHAT, found, "set it, for example by systemd-timesyncd")
    } else {
        Line::fine(WHAT, found)
    }
}

/// Whether systemd would start the bot, whose settings may be those of an instance: empty for the unit of one bot.
pub(super) fn unit(instance: Option<&Path>) -> Line {
    const WHAT: &str = "service";
    if !Path::new("/run/systemd/system").exists() {
        return Line::fine(WHAT, "no systemd here");
    }
    let names = names(instance);
    match installed(&UNITS.map(Path::new), names) {
        Some(path) => Line::fine(WHAT, path.display().to_string()),
        None => Line::worth(
            WHAT,
            format!("{} is not installed", names.join(" or ")),
            format!(
                "copy systemd/{} to /etc/systemd/system to have it started at boot",
                names[0]
            ),
        ),
    }
}

/// The unit of one bot, or the template of many; where the settings leave it open, either.
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

/// Whether there is room where the archive grows. `None` where the system does not tell.
pub(super) fn disk(state: &Path) -> Option<Line> {
    // The folder may be yet to be made: the room is that of where it will be.
    let there = state
        .ancestors()
        .find(|path| path.exists())
        .unwrap_or(Path::new("."));
    let stat = rustix::fs::statvfs(there).ok()?;
    Some(room(stat.f_bavail.saturating_mul(stat.f_frsize) >> 20))
}

/// Whether so many MiB are room enough.
fn room(free: u64) -> Line {
    const WHAT: &str = "disk";
    let found = format!("{free} MiB free for the archive");
    if free < ROOM {
        // Nothing in an archive is ever deleted.
        const REMEDY: &str = "make room, or name a folder on another disk by folder in [state]; archive = false there keeps no games";
        Line::worth(WHAT, found, REMEDY)
    } else {
        Line::fine(WHAT, found)
    }
}

/// Who else could press the buttons of the dashboard: on an address of this machine nobody is asked who he is. `None` where
/// nobody could, or there is a password. `handed` is a password that systemd hands over.
pub(super) fn others(dashboard: &Dashboard, handed: &Path, accounts: &str) -> Option<Line> {
    let has_password = || {
        let handed = std::fs::metadata(handed).is_ok_and(|file| file.len() > 0);
        handed || dashboard.password_file.is_some()
    };
    let is_open = dashboard.listen.as_ref().is_some_and(Listen::is_loopback);
    let may = match (dashboard.has_controls(), dashboard.edit) {
        (true, true) => "press its buttons and write books",
        (true, false) => "press its buttons",
        (false, true) => "write books",
        (false, false) => return None,
    };
    let people = people(accounts);
    if !is_open || people.len() < 2 || has_password() {
        return None;
    }
    let found = format!("every user of this machine can {may}: {}", people.join(", "));
    let remedy = "name a password-file in [dashboard], or listen on unix:PATH";
    Some(Line::worth("dashboard", found, remedy))
}

/// The accounts with which people log in, of a text as in `/etc/passwd`.
fn people(accounts: &str) -> Vec<&str> {
    accounts.lines().filter_map(person).collect()
}

/// The name of an account, if it is a person's: what runs services has no shell, or a number below 1000.
fn person(account: &str) -> Option<&str> {
    let mut fields = account.split(':');
    let (name, number, shell) = (fields.next()?, fields.nth(1)?, fields.next_back()?);
    let logs_in = !shell.ends_with("/nologin") && !shell.ends_with("/false");
    let is_person = (1000..65_534).contains(&number.parse::<u32>().ok()?);
    (logs_in && is_person).then_some(name)
}

/// Whether as many files may be open at once as games and pages need.
pub(super) fn files(limit: OpenFiles) -> Line {
    const WHAT: &str = "open files";
    match limit.remedy() {
        Some(remedy) => Line::worth(WHAT, limit.to_string(), remedy),
        None => Line::fine(WHAT, limit.to_string()),
    }
}

/// Whether the dashboard could be served where the settings want it.
pub(super) fn port(listen: &Listen) -> Line {
    const WHAT: &str = "dashboard";
    let Listen::Tcp(address) = listen else {
        return Line::fine(WHAT, listen.to_string());
    };
    match TcpListener::bind(address) {
        Ok(_) => Line::fine(WHAT, format!("{listen} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => Line::worth(
            WHAT,
            format!("{listen} is taken"),
            "all is well if by this bot, which runs; if not, the pages wait until it is free: name another by listen in [dashboard]",
        ),
        Err(error) => Line::worth(
            WHAT,
            format!("{listen} cannot be served: {error}"),
            "name another by listen in [dashboard]",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_is_taken_is_told_of_and_a_free_one_is_fine() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let listen = Listen::Tcp(taken.local_addr().unwrap());
        assert!(port(&listen).to_string().starts_with("warn  dashboard"));
        drop(taken);
        assert!(port(&listen).to_string().starts_with("ok    dashboard"));
    }

    #[test]
    fn who_shares_the_machine_is_told_that_the_dashboard_asks_nobody() {
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
            "press its buttons and write books: ana, ben",
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
    fn the_room_of_a_folder_to_be_made_is_that_of_where_it_will_be() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b/state");
        let room = |path: &Path| disk(path).unwrap().to_string();
        assert!(room(&deep).contains("MiB free"), "{}", room(&deep));
    }

    #[test]
    fn what_the_doctor_says_of_a_disk_without_room_can_be_set() {
        assert!(room(ROOM).to_string().starts_with("ok    disk"));
        let said = room(ROOM - 1).to_string();
        assert!(said.starts_with("warn  disk"), "{said}");
        assert!(
            said.contains("folder in [state]") && said.contains("archive = false"),
            "{said}"
        );
        let text = "[state]\nfolder = \"/elsewhere\"\narchive = false\n";
        let (config, findings) = crate::config::read("bot.toml", text);
        let state = config.unwrap_or_else(|| panic!("{findings}")).state;
        assert!(!state.archive && state.folder.is_some());
    }

    #[test]
    fn a_template_for_many_bots_is_a_service_too() {
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
