//! `sparring probe`: asks a running bot for its health, where a container has no shell and no other program.

use std::{
    io::{self, Read, Write},
    net::TcpStream,
    path::PathBuf,
    sync::mpsc::channel,
    thread,
    time::Duration,
};

use anyhow::Context as _;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use clap::ValueEnum;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

use crate::{
    cli::{
        exit::{Exit, Failure},
        print,
    },
    config::Listen,
    platform::connect_socket,
    web::listener::{known_password, reachable},
};

/// Asks a running bot whether it is live or ready. Reads no bot.toml: a mistake in it must not end a bot that plays on with
/// the last good settings.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring probe live 127.0.0.1:9464
  sparring probe ready unix:/run/sparring/status.sock

The password comes from a systemd credential (dashboard-password) or --password-file.
Exit codes: 0 yes, 1 no or no answer, with the reason in a sentence.")]
pub struct Args {
    /// What to ask.
    question: Question,
    /// Where the bot listens: `listen` in [dashboard] of bot.toml.
    #[arg(value_parser = address)]
    address: Listen,
    /// The file with the dashboard's password, if it has one.
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

/// What is asked.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Question {
    /// Whether the bot answers, whatever the server does: restart it if not.
    Live,
    /// Whether the bot takes challenges: its event stream is open.
    Ready,
}

/// Longer than the bot itself takes to find out that its event loop does not answer.
const PATIENCE: Duration = Duration::from_secs(8);
/// At most so many bytes of an answer are read.
const MOST: u64 = 64 << 10;

fn address(text: &str) -> Result<Listen, String> {
    Listen::parse(text).ok_or_else(|| {
        "write a numeric address and a port, as in 127.0.0.1:9464, or unix: and the path of a socket"
            .to_owned()
    })
}

/// Asks, and prints a sentence.
///
/// # Errors
/// [`Exit::Failed`] when the answer is no, or there is none.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let (path, word) = match args.question {
        Question::Live => ("/livez", "live"),
        Question::Ready => ("/readyz", "ready"),
    };
    let password = known_password(args.password_file.clone()).map_err(anyhow::Error::new)?;
    let answer = in_time(args.address.clone(), path, password)
        .with_context(|| format!("no answer from {}", args.address))?;
    match refusal(&answer) {
        None => print(word),
        // The bot has the password of its start, the file may have a newer one: no reason to restart it.
        Some(("401", _)) if matches!(args.question, Question::Live) => {
            print("live, as far as can be seen: the password was refused")
        }
        Some((_, why)) => Err(Failure::error(Exit::Failed, format!("not {word}: {why}"))),
    }
}

/// The answer, if it comes in time, however slowly its bytes come.
fn in_time(address: Listen, path: &'static str, password: Option<SecretString>) -> io::Result<String> {
    let (tx, rx) = channel();
    // It ends with the program.
    thread::spawn(move || tx.send(ask(&address, path, password.as_ref())));
    rx.recv_timeout(PATIENCE)
        .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// The whole answer to a GET request.
fn ask(address: &Listen, path: &str, password: Option<&SecretString>) -> io::Result<String> {
    match address {
        Listen::Tcp(address) => {
            let stream = TcpStream::connect_timeout(&reachable(*address), PATIENCE)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            exchange(stream, path, password)
        }
        Listen::Unix(socket) => exchange(connect_socket(socket, PATIENCE)?, path, password),
    }
}

fn exchange(
    mut stream: impl Read + Write,
    path: &str,
    password: Option<&SecretString>,
) -> io::Result<String> {
    let authorization = password.map_or_else(String::new, |password| {
        let pair = BASE64_STANDARD.encode(format!("probe:{}", password.expose_secret()));
        format!("Authorization: Basic {pair}\r\n")
    });
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{authorization}\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.take(MOST).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Why an answer is not yes, with its status; an empty one of what is not HTTP.
fn refusal(answer: &str) -> Option<(&str, String)> {
    #[derive(Deserialize)]
    struct Body {
        why: Option<String>,
        error: Option<String>,
    }
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    let status = head.split(' ').nth(1).unwrap_or_default();
    let status = if head.starts_with("HTTP/1.") { status } else { "" };
    if status == "200" {
        return None;
    }
    let said = serde_json::from_str(body)
        .ok()
        .and_then(|body: Body| body.why.or(body.error));
    let why = said.unwrap_or_else(|| match status {
        "" => "the answer is not HTTP".to_owned(),
        status => format!("the answer is {status}"),
    });
    Some((status, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_200_is_yes_and_what_was_said_is_the_reason() {
        assert_eq!(refusal("HTTP/1.1 200 OK\r\n\r\n{\"ok\":true}"), None);
        assert_eq!(
            refusal("HTTP/1.1 401 x\r\n\r\n").map(|(status, _)| status),
            Some("401")
        );
        for (answer, why) in [
            (
                "HTTP/1.1 503 Service Unavailable\r\na: b\r\n\r\n{\"ok\":false,\"why\":\"stopping\"}",
                "stopping",
            ),
            (
                "HTTP/1.1 401 x\r\n\r\n{\"error\":\"a password is needed\"}",
                "a password is needed",
            ),
            ("HTTP/1.1 404 Not Found\r\n\r\n", "the answer is 404"),
            ("SSH-2.0", "the answer is not HTTP"),
            ("", "the answer is not HTTP"),
        ] {
            let said = refusal(answer).map(|(_, why)| why);
            assert_eq!(said.as_deref(), Some(why), "{answer}");
        }
    }
}
