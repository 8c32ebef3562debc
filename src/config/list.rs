//! `[[list]]`: user lists, inline, in a file or at an address.

use std::path::PathBuf;

use super::{PATH, value_types::UserForm};
use sparring_config_schema::{List, Name, Section, Text};
use sparring_lichess::model::UserId;

/// A user list for rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserList {
    /// Its name.
    pub name: String,
    /// Users in bot.toml.
    pub users: Vec<UserId>,
    /// A file with one name per line.
    pub file: Option<PathBuf>,
    /// The URL of such a file.
    pub url: Option<String>,
}

/// Declares all lists.
pub(super) fn declare(file: &mut Section<'_>) -> Vec<UserList> {
    let mut names: Vec<String> = Vec::new();
    file.tables("list", |list| {
        let form = Name {
            what: "list",
            known: None,
        };
        let written = list.optional(
            "name",
            form,
            "an error",
            "What rules call it, in their key lists.",
        );
        let name = written.unwrap_or_default();
        if name.is_empty() {
            list.fault(
                "a list without a name",
                "write name = \"blocked\", and lists = [\"blocked\"] in a rule",
            );
        } else if names.contains(&name) {
            list.error(
                "name",
                format!("there are two lists \"{name}\""),
                "join them, or rename one",
            );
        }
        names.push(name.clone());
        let read = UserList {
            name,
            users: list
                .optional(
                    "users",
                    List(UserForm),
                    "nobody",
                    "Users on it, in any spelling of case.",
                )
                .unwrap_or_default(),
            file: list
                .optional(
                    "file",
                    PATH,
                    "no file",
                    "A file with more, one name a line; # begins a comment.",
                )
                .map(PathBuf::from),
            url: list.optional(
                "url",
                Text(1000),
                "no address",
                "The address of such a file, looked at every half hour; https unless on this machine.",
            ),
        };
        if read.url.as_deref().is_some_and(|url| !is_safe(url)) {
            list.error(
                "url",
                "the address is neither https nor on this machine",
                "write https://, as in \"https://example.org/blocked.txt\"",
            );
        }
        if read.users.is_empty() && read.file.is_none() && read.url.is_none() {
            list.remark("nobody is on this list", "give it users, a file or a url");
        }
        read
    })
}

/// Whether an address may be fetched: encrypted, or on this machine.
fn is_safe(url: &str) -> bool {
    let on_this_machine = |host: &str| matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    match url.split_once("://") {
        Some(("https", rest)) => !rest.is_empty(),
        Some(("http", rest)) => {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
            let host = match authority.rsplit_once(':') {
                Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
                _ => authority,
            };
            on_this_machine(host)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_encrypted_or_at_home() {
        for good in [
            "https://a.example/x",
            "http://127.0.0.1:80/x",
            "http://localhost",
            "http://[::1]:9/",
        ] {
            assert!(is_safe(good), "{good}");
        }
        for bad in [
            "http://a.example",
            "http://localhost.evil.example/",
            "http://localhost@evil.example/",
            "ftp://x",
            "x",
            "https://",
        ] {
            assert!(!is_safe(bad), "{bad}");
        }
    }
}
