//! Random fault injection: a seeded share of a bot's requests and stream lines fails.
//!
//! Each fault is drawn from the seed and the identity of the request, such as the third move in the second game against Ana,
//! so that it does not depend on requests in between. Runs still differ, because the number of requests does.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use axum::body::Bytes;
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use super::scripted_faults::FaultKind;
use sparring_chess::units::Millis;
use sparring_lichess::model::{GameId, UserId};

/// Random fault injection; off until [`set_share`](Self::set_share).
#[derive(Debug, Default)]
pub(super) struct RandomFaults(Mutex<Option<FaultState>>);

#[derive(Debug)]
struct FaultState {
    share: f64,
    seed: u64,
    /// Count by kind of request or line.
    seen: BTreeMap<String, u64>,
    /// Seed-independent names of games and challenges: their ids depend on the order of requests.
    names: BTreeMap<GameId, String>,
    count: u64,
    injected: Vec<InjectedFault>,
}

/// A cut stream, or one with a bad line, is reopened within this time if nothing else goes wrong.
const CUT: Millis = Millis(250);

/// A fault that was injected at random.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InjectedFault {
    /// Method and path of the request, or the game whose stream was cut.
    pub about: String,
    /// When it happened, by the sandbox's clock.
    pub at: Millis,
    /// Unavoidable delay: how long the request was held, or the wait before a retry.
    pub cost: Millis,
}

/// A line after fault injection.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FaultyLine {
    /// The chunks to send.
    pub pieces: VecDeque<Bytes>,
    /// Whether the stream is cut after them.
    pub ends: bool,
    /// Whether the client can still read the line.
    pub is_whole: bool,
}

impl FaultyLine {
    /// The line unchanged.
    pub(super) fn whole(line: Bytes) -> Self {
        Self {
            pieces: VecDeque::from([line]),
            ends: false,
            is_whole: true,
        }
    }
}

impl RandomFaults {
    /// Injects faults into this share of requests and lines from now on; 0 is off. The seed decides which and how. Counts of
    /// requests start anew.
    pub(super) fn set_share(&self, share: f64, seed: u64) {
        self.with(|faults| {
            let state = faults.get_or_insert_with(|| FaultState {
                share: 0.0,
                seed,
                seen: BTreeMap::new(),
                names: BTreeMap::new(),
                count: 0,
                injected: Vec::new(),
            });
            state.share = share.clamp(0.0, 1.0);
            state.seed = seed;
            state.seen.clear();
            state.names.clear();
        });
    }

    /// Faults injected so far.
    pub(super) fn count(&self) -> u64 {
        self.with(|faults| faults.as_ref().map_or(0, |state| state.count))
    }

    /// The fault of a request, if it gets one. `about` is the game or challenge that it names, and the bot's opponent.
    pub(super) fn request_fault(
        &self,
        request: &str,
        about: Option<&(GameId, UserId)>,
        now: Millis,
    ) -> Option<FaultKind> {
        self.with(|faults| {
            let state = faults.as_mut()?;
            let kind = state.kind(request, about);
            let mut rng = state.draw_fault(kind)?;
            let what = random_kind(&mut rng);
            let cost = match &what {
                FaultKind::Answer { status: 429, .. } => Millis::from_secs(1),
                FaultKind::Answer { .. } | FaultKind::CutAnswer { .. } => Millis::ZERO,
                FaultKind::Delay { by } | FaultKind::LoseAnswer { after: by } => *by,
            };
            state.injected.push(InjectedFault {
                about: request.to_owned(),
                at: now,
                cost,
            });
            Some(what)
        })
    }

    /// A stream's line with its fault, if it gets one. `about` is the game of a game stream.
    pub(super) fn apply_to_line(&self, line: Bytes, about: Option<&GameId>, now: Millis) -> FaultyLine {
        self.with(|faults| {
            let Some(state) = faults else {
                return FaultyLine::whole(line);
            };
            let of = about.map_or("events", |game| state.name_of(game));
            let kind = format!("line of {of}");
            let Some(mut rng) = state.draw_fault(kind) else {
                return FaultyLine::whole(line);
            };
            let broken = break_line(line, about.is_some(), &mut rng);
            if let Some(game) = about.filter(|_| broken.ends || !broken.is_whole) {
                state.injected.push(InjectedFault {
                    about: game.to_string(),
                    at: now,
                    cost: CUT,
                });
            }
            broken
        })
    }

    /// Faults so far that cost time.
    pub(super) fn injected(&self) -> Vec<InjectedFault> {
        self.with(|faults| {
            faults
                .as_ref()
                .map_or_else(Vec::new, |state| state.injected.clone())
        })
    }

    /// Whether faults are injected.
    pub(super) fn is_active(&self) -> bool {
        self.with(|faults| faults.as_ref().is_some_and(|state| state.share > 0.0))
    }

    fn with<T>(&self, act: impl FnOnce(&mut Option<FaultState>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl FaultState {
    /// Whether the next request of this kind gets a fault; if so, the random generator that decides which.
    fn draw_fault(&mut self, kind: String) -> Option<ChaCha8Rng> {
        let of_kind = hash(&kind);
        let number = self.seen.entry(kind).or_default();
        *number += 1;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ of_kind);
        rng.set_stream(*number);
        let is_hit = rng.random_bool(self.share);
        self.count += u64::from(is_hit);
        is_hit.then_some(rng)
    }

    /// The kind of a request: its method and path without ids and moves.
    fn kind(&mut self, request: &str, about: Option<&(GameId, UserId)>) -> String {
        let request = request
            .split_once("/move/")
            .map_or_else(|| request.to_owned(), |(before, _)| format!("{before}/move"));
        match about {
            Some((id, opponent)) => {
                let name = self.name(id, opponent);
                request.replace(id.as_str(), &name)
            }
            None => request,
        }
    }

    /// The name of a game or challenge: the opponent and a running number.
    fn name(&mut self, id: &GameId, opponent: &UserId) -> String {
        if let Some(name) = self.names.get(id) {
            return name.clone();
        }
        let number = self.seen.entry(format!("game with {opponent}")).or_default();
        *number += 1;
        let name = format!("{opponent}#{number}");
        self.names.insert(id.clone(), name.clone());
        name
    }

    /// The name of a game, if a request has named it before; else its id.
    fn name_of<'a>(&'a self, game: &'a GameId) -> &'a str {
        self.names.get(game).map_or(game.as_str(), String::as_str)
    }
}

/// 64-bit FNV-1a: small, and the same on every machine.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn random_kind(rng: &mut ChaCha8Rng) -> FaultKind {
    let answer = |status, body: &str, content_type: &str| FaultKind::Answer {
        status,
        body: body.to_owned(),
        content_type: content_type.to_owned(),
        retry_after: None,
    };
    match rng.random_range(0..10) {
        0 => answer(500, "Sorry, something went wrong.", "text/plain"),
        1 => answer(502, "<html>502 Bad Gateway</html>", "text/html"),
        2 => answer(503, "", "text/plain"),
        3 => answer(200, "<html>maintenance</html>", "text/html"),
        4 => answer(
            429,
            r#"{"error":"Too many requests.","ratelimit":{"key":"chaos","seconds":1}}"#,
            "application/json",
        ),
        5 | 6 => FaultKind::LoseAnswer {
            after: Millis(rng.random_range(0..200)),
        },
        _ => FaultKind::Delay {
            by: Millis(rng.random_range(20..400)),
        },
    }
}

/// Only game streams get unreadable lines without an end: they resend the whole state when reopened, while the event stream does not
/// repeat every event.
fn break_line(line: Bytes, is_of_game: bool, rng: &mut ChaCha8Rng) -> FaultyLine {
    let middle = rng.random_range(0..=line.len());
    let (head, tail) = (line.slice(..middle), line.slice(middle..));
    let (pieces, ends, is_whole) = match rng.random_range(0..if is_of_game { 7 } else { 6 }) {
        0 | 1 => (vec![head], true, false),
        2 => (vec![line], true, true),
        3 => (vec![head, tail], false, true),
        4 => (vec![line.clone(), line], false, true),
        5 => (
            vec![Bytes::from_static(b"<html>\n{\"type\":\"surprise\"}\n"), line],
            false,
            true,
        ),
        // Not a blank line, which would hide that a line is missing.
        _ => (
            vec![Bytes::from_static(b"{"), head, Bytes::from_static(b"\n")],
            false,
            false,
        ),
    };
    FaultyLine {
        pieces: pieces.into_iter().filter(|piece| !piece.is_empty()).collect(),
        ends,
        is_whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_spoils_the_same_and_about_the_share_that_was_asked_for() {
        let run = |seed| {
            let faults = RandomFaults::default();
            faults.set_share(0.25, seed);
            let line = Bytes::from_static(b"{\"type\":\"gameState\"}\n");
            let lines: Vec<FaultyLine> = (0..400)
                .map(|_| faults.apply_to_line(line.clone(), None, Millis(1)))
                .collect();
            let requests: Vec<Option<FaultKind>> = (0..400)
                .map(|_| faults.request_fault("POST /x", None, Millis(1)))
                .collect();
            (lines, requests, faults.count())
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
        assert!((120..280).contains(&run(7).2), "{}", run(7).2);
    }

    #[test]
    fn a_game_whose_stream_was_cut_or_garbled_has_lost_time() {
        let faults = RandomFaults::default();
        faults.set_share(1.0, 3);
        let (line, game) = (Bytes::from_static(b"{}\n"), "abcd1234".parse().unwrap());
        let spoiled: Vec<FaultyLine> = (0..80)
            .map(|_| faults.apply_to_line(line.clone(), Some(&game), Millis(5)))
            .collect();
        let cuts = spoiled.iter().filter(|spoiled| spoiled.ends).count();
        let garbled = spoiled
            .iter()
            .filter(|spoiled| !spoiled.ends && !spoiled.is_whole)
            .count();
        let struck = faults.injected();
        assert!(cuts > 5 && garbled > 3, "{cuts} cuts, {garbled} garbled");
        assert_eq!(
            struck.len(),
            cuts + garbled,
            "lines that came late or twice took no time"
        );
        assert_eq!(
            (struck[0].about.as_str(), struck[0].at, struck[0].cost),
            ("abcd1234", Millis(5), CUT)
        );
    }

    #[test]
    fn a_line_that_cannot_be_read_is_seen_to_be_none_and_stands_only_in_games() {
        let faults = RandomFaults::default();
        faults.set_share(1.0, 4);
        let (line, game) = (
            Bytes::from_static(b"{\"type\":\"gameState\"}\n"),
            "abcd1234".parse().unwrap(),
        );
        let mut garbled = 0;
        for _ in 0..200 {
            let spoiled = faults.apply_to_line(line.clone(), Some(&game), Millis(5));
            if !spoiled.ends && !spoiled.is_whole {
                let text: Vec<u8> = spoiled.pieces.iter().flatten().copied().collect();
                assert!(text.ends_with(b"\n") && text.trim_ascii() != line.trim_ascii());
                assert!(!text.trim_ascii().is_empty());
                garbled += 1;
            }
            let event = faults.apply_to_line(line.clone(), None, Millis(5));
            assert!(event.ends || event.is_whole);
        }
        assert!(garbled > 10);
    }

    #[test]
    fn nothing_goes_wrong_before_it_is_let_loose() {
        let faults = RandomFaults::default();
        let line = Bytes::from_static(b"x\n");
        assert_eq!(faults.apply_to_line(line.clone(), None, Millis(1)).pieces, [line]);
        assert_eq!(
            (faults.request_fault("POST /x", None, Millis(1)), faults.count()),
            (None, 0)
        );
    }
    #[test]
    fn what_goes_wrong_with_a_game_does_not_depend_on_others_nor_on_ids() {
        let with = |user: &str, id: &str| {
            let id: GameId = id.parse().unwrap();
            let user: UserId = user.parse().unwrap();
            (id, user)
        };
        // The requests and lines of Ana's first game, whatever its id and whatever else comes between them.
        let run = |id: &str, others: usize| {
            let faults = RandomFaults::default();
            faults.set_share(0.3, 9);
            let (ana, bob) = (with("ana", id), with("bob", "bobsgame"));
            let line = Bytes::from_static(b"{\"type\":\"gameState\"}\n");
            let mut seen = Vec::new();
            for number in 0..100 {
                for _ in 0..others {
                    faults.request_fault("POST /api/bot/game/bobsgame/move/d2d4", Some(&bob), Millis(1));
                    faults.apply_to_line(line.clone(), Some(&bob.0), Millis(1));
                }
                let request = format!("POST /api/bot/game/{id}/move/a{}a{}", number % 8, others);
                let mishap = faults.request_fault(&request, Some(&ana), Millis(1));
                seen.push((
                    mishap,
                    faults.apply_to_line(line.clone(), Some(&ana.0), Millis(1)),
                ));
            }
            seen
        };
        assert_eq!(run("abcd1234", 0), run("efgh5678", 2));
        let struck = run("abcd1234", 0);
        let hit = struck.iter().filter(|(mishap, _)| mishap.is_some()).count();
        assert!((15..50).contains(&hit), "{hit}");
    }

    #[test]
    fn two_games_with_one_opponent_fare_differently() {
        let faults = RandomFaults::default();
        faults.set_share(0.5, 9);
        let ana: UserId = "ana".parse().unwrap();
        let game = |id: &str| {
            let about = (id.parse().unwrap(), ana.clone());
            let request = format!("POST /api/bot/game/{id}/move/e2e4");
            let mishaps: Vec<Option<FaultKind>> = (0..50)
                .map(|_| faults.request_fault(&request, Some(&about), Millis(1)))
                .collect();
            mishaps
        };
        assert_ne!(game("abcd1234"), game("efgh5678"));
    }
}
