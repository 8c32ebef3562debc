//! Every sample of lichess' wire decodes into the shared model, and what we write reads back the same.
//!
//! Our own samples lie in `tests/fixtures/lichess`; a larger collection is read from `../shared`. Its test is ignored
//! where that is not there.

mod shared;

use std::{collections::BTreeMap, fs, path::Path, process::ExitCode};

use libtest_mimic::Arguments;
use serde_json::Value;
use shared::{plain_trial, trial};
use sparring_lichess::model::{
    Account, Challenge, ChallengeDone, ChatMessage, ErrorBody, Event, GameEvent, GameEventInfo, NowPlaying,
    TokenInfo, decode,
};

fn main() -> ExitCode {
    let trials = vec![
        plain_trial("our_samples_decode_and_read_back", our_samples),
        trial(
            "every_shared_sample_decodes_and_reads_back",
            "lichess/examples",
            shared_samples,
        ),
        plain_trial(
            "strangers_are_tolerated_and_misfits_are_named",
            strangers_and_misfits,
        ),
        plain_trial("odd_clocks_are_clamped", odd_clocks),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

#[derive(serde::Deserialize)]
struct ChallengeList {
    r#in: Vec<Challenge>,
    out: Vec<Challenge>,
}

/// Reads one value or line of a file as what its name promises; says what kind it took it for.
fn read(file: &str, text: &str) -> Result<&'static str, String> {
    fn fits<T: serde::de::DeserializeOwned>(kind: &'static str, text: &str) -> Result<&'static str, String> {
        decode::<T>(kind, text)
            .map(|_| kind)
            .map_err(|error| error.to_string())
    }
    let tagged = serde_json::from_str::<Value>(text).map_err(|error| error.to_string())?;
    match tagged.get("type").and_then(Value::as_str) {
        Some("gameStart" | "gameFinish" | "challenge" | "challengeCanceled" | "challengeDeclined") => {
            return event_reads_back(text).map(|()| "event");
        }
        Some("gameFull" | "gameState" | "chatLine" | "opponentGone") => {
            return game_event_reads_back(text).map(|()| "game event");
        }
        Some(other) => return Err(format!("no sample should be of kind {other}")),
        None => {}
    }
    let name = Path::new(file)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or(file);
    match name.split('.').next().unwrap_or(name) {
        "account" | "user" | "botOnline" => fits::<Account>("account", text),
        "challenge" if name == "challenge.list.json" => {
            let list: ChallengeList = decode("challenge list", text).map_err(|error| error.to_string())?;
            assert!(list.r#in.len() + list.out.len() > 0);
            Ok("challenge list")
        }
        "challenge" if tagged.get("done").is_some() => {
            #[derive(serde::Deserialize)]
            struct Done {
                #[serde(rename = "done")]
                _done: ChallengeDone,
            }
            fits::<Done>("done", text)
        }
        "challenge" => fits::<Challenge>("challenge", text),
        "chat" => fits::<Vec<ChatMessage>>("chat", text),
        "error" => fits::<ErrorBody>("error", text),
        "nowPlaying" => fits::<NowPlaying>("playing", text),
        "tokenTest" => fits::<BTreeMap<String, Option<TokenInfo>>>("token", text),
        "challengeAi" | "seek" => fits::<GameEventInfo>("game", text),
        // Ours to read as plain values: exports, explorers and lists of other people's games.
        "ok" | "usersStatus" | "cloudEval" | "explorer" | "tablebase" | "gameExport" | "streamGame" => {
            Ok("value")
        }
        _ => Err(format!("no reader for {name}")),
    }
}

fn event_reads_back(line: &str) -> Result<(), String> {
    let event = Event::decode(line).map_err(|error| error.to_string())?;
    assert!(!matches!(event, Event::Unknown { .. }), "{line}");
    let written = serde_json::to_string(&event).map_err(|error| error.to_string())?;
    assert_eq!(Event::decode(&written).map_err(|error| error.to_string())?, event);
    Ok(())
}

fn game_event_reads_back(line: &str) -> Result<(), String> {
    let event = GameEvent::decode(line).map_err(|error| error.to_string())?;
    assert!(!matches!(event, GameEvent::Unknown { .. }), "{line}");
    let written = serde_json::to_string(&event).map_err(|error| error.to_string())?;
    assert_eq!(
        GameEvent::decode(&written).map_err(|error| error.to_string())?,
        event
    );
    Ok(())
}

/// Reads all samples of a folder and returns how many values they held.
fn read_folder(folder: &Path) -> usize {
    let mut values = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.display().to_string();
        let Some(extension) = path.extension().and_then(|extension| extension.to_str()) else {
            continue;
        };
        if !matches!(extension, "json" | "ndjson") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = match extension {
            "ndjson" => text.lines().filter(|line| !line.trim().is_empty()).collect(),
            _ => vec![text.as_str()],
        };
        for line in lines {
            if let Err(error) = read(&file, line) {
                panic!("{file}: {error}");
            }
            values += 1;
        }
    }
    values
}

fn our_samples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/lichess");
    assert!(read_folder(&folder) > 30);
}

fn shared_samples(folder: &Path) {
    let values =
        read_folder(folder) + read_folder(&folder.join("captured")) + read_folder(&folder.join("derived"));
    assert!(values > 100, "{values}");
}

fn strangers_and_misfits() {
    let event = Event::decode(r#"{"type":"fireworks","color":"red"}"#).unwrap();
    assert_eq!(
        event,
        Event::Unknown {
            kind: "fireworks".into()
        }
    );
    let error = GameEvent::decode(r#"{"type":"gameState","moves":7,"status":"started"}"#).unwrap_err();
    assert_eq!(error.field, "moves");
    assert!(GameEvent::decode("{\"type\":\"gameState\",").is_err());
    assert!(GameEvent::decode("[]").is_err());
}

fn odd_clocks() {
    let line =
        r#"{"type":"gameState","moves":"","wtime":-50,"btime":null,"winc":1.5,"status":"started","new":1}"#;
    let GameEvent::State(state) = GameEvent::decode(line).unwrap() else {
        panic!("a state")
    };
    assert_eq!(state.wtime.map(|time| time.0), Some(0));
    assert_eq!(state.btime, None);
    assert_eq!(state.winc.map(|time| time.0), Some(1));
}
