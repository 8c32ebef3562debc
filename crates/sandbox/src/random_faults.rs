//! Random fault injection: a seeded share of a bot's requests and stream lines fails.
//!
//! What goes wrong is drawn for each of them from the seed and from what it is: the third move in the second game against
//! Ana, say. So it does not depend on what others ask in between. It cannot be the same in every run, since how often a
//! program asks is its own affair.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use axum::body::Bytes;
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use super::scripted_faults::FaultKind;
use sparring_chess::units::Millis;
use sparring_lichess::model::{GameId, UserId};

/// Who is in trouble: nobody, until it is let loose.
#[derive(Debug, Default)]
pub(super) struct RandomFaults(Mutex<Option<LooseEnds>>);

#[derive(Debug)]
struct LooseEnds {
    share: f64,
    seed: u64,
    /// How often each kind of thing has come.
    seen: BTreeMap<String, u64>,
    /// How games and challenges are called here. Their ids follow from the order in which they were asked for.
    names: BTreeMap<GameId, String>,
    spoiled: u64,
    struck: Vec<InjectedFault>,
}

/// A stream that is cut, or of which a line cannot be read, is opened again within this time, if nothing else goes wrong.
const CUT: Millis = Millis(250);

/// A request or a line that went wrong by chance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InjectedFault {
    /// Its method and path, or the game whose stream was cut.
    pub about: String,
    /// When it came, by the sandbox's clock.
    pub at: Millis,
    /// The time that nobody could have saved: how long it was held, or has to be waited before the next try.
    pub cost: Millis,
}

/// A line as it goes out after all.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Spoiled {
    /// In these pieces.
    pub pieces: VecDeque<Bytes>,
    /// After them the stream is cut.
    pub ends: bool,
    /// Whether the line can still be read, from this stream.
    pub is_whole: bool,
}

impl Spoiled {
    /// The line as it is.
    pub(super) fn whole(line: Bytes) -> Self {
        Self {
            pieces: VecDeque::from([line]),
            ends: false,
            is_whole: true,
        }
    }
}

impl RandomFaults {
    /// From now on this share of requests and lines goes wrong, none at 0. The seed decides which and how, each counted
    /// from now on.
    pub(super) fn let_loose(&self, share: f64, seed: u64) {
        self.with(|chaos| {
            let loose = chaos.get_or_insert_with(|| LooseEnds {
                share: 0.0,
                seed,
                seen: BTreeMap::new(),
                names: BTreeMap::new(),
                spoiled: 0,
                struck: Vec::new(),
            });
            loose.share = share.clamp(0.0, 1.0);
            loose.seed = seed;
            loose.seen.clear();
            loose.names.clear();
        });
    }

    /// How much went wrong so far.
    pub(super) fn spoiled(&self) -> u64 {
        self.with(|chaos| chaos.as_ref().map_or(0, |loose| loose.spoiled))
    }

    /// What goes wrong with a request, if anything does. `about` is the game or challenge that it names, and who plays it
    /// with the bot.
    pub(super) fn mishap(
        &self,
        request: &str,
        about: Option<&(GameId, UserId)>,
        now: Millis,
    ) -> Option<FaultKind> {
        self.with(|chaos| {
            let loose = chaos.as_mut()?;
            let kind = loose.kind(request, about);
            let mut rng = loose.strikes(kind)?;
            let what = mishap(&mut rng);
            let cost = match &what {
                FaultKind::Answer { status: 429, .. } => Millis::from_secs(1),
                FaultKind::Answer { .. } => Millis::ZERO,
                FaultKind::Delay { by } | FaultKind::LoseAnswer { after: by } => *by,
            };
            loose.struck.push(InjectedFault {
                about: request.to_owned(),
                at: now,
                cost,
            });
            Some(what)
        })
    }

    /// What becomes of a line of a stream. `about` is the game, if it is a game's.
    pub(super) fn spoil(&self, line: Bytes, about: Option<&GameId>, now: Millis) -> Spoiled {
        self.with(|chaos| {
            let Some(loose) = chaos else {
                return Spoiled::whole(line);
            };
            let of = about.map_or("events", |game| loose.name_of(game));
            let kind = format!("line of {of}");
            let Some(mut rng) = loose.strikes(kind) else {
                return Spoiled::whole(line);
            };
            let spoiled = spoil(line, about.is_some(), &mut rng);
            if let Some(game) = about.filter(|_| spoiled.ends || !spoiled.is_whole) {
                loose.struck.push(InjectedFault {
                    about: game.to_string(),
                    at: now,
                    cost: CUT,
                });
            }
            spoiled
        })
    }

    /// Every request and line that cost time so far.
    pub(super) fn struck(&self) -> Vec<InjectedFault> {
        self.with(|chaos| chaos.as_ref().map_or_else(Vec::new, |loose| loose.struck.clone()))
    }

    /// Whether anything can go wrong.
    pub(super) fn is_loose(&self) -> bool {
        self.with(|chaos| chaos.as_ref().is_some_and(|loose| loose.share > 0.0))
    }

    fn with<T>(&self, act: impl FnOnce(&mut Option<LooseEnds>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl LooseEnds {
    /// Whether something goes wrong with the next of this kind, and if so, the chance that says what.
    fn strikes(&mut self, kind: String) -> Option<ChaCha8Rng> {
        let of_kind = hash(&kind);
        let number = self.seen.entry(kind).or_default();
        *number += 1;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ of_kind);
        rng.set_stream(*number);
        let strikes = rng.random_bool(self.share);
        self.spoiled += u64::from(strikes);
        strikes.then_some(rng)
    }

    /// What a request is, whenever it comes: without ids, and without the move where it is one.
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

    /// The name of a game or challenge: the how-manieth it is with this opponent.
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

    /// What a game is called, if a request has named it before, as the one for its stream does.
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

fn mishap(rng: &mut ChaCha8Rng) -> FaultKind {
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

/// Only a game's stream goes on after a line that cannot be read: it says all when it is opened again, while a challenge
/// that got lost among events is not told of twice.
fn spoil(line: Bytes, is_of_game: bool, rng: &mut ChaCha8Rng) -> Spoiled {
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
        // A blank line would tell nobody that something is missing.
        _ => (
            vec![Bytes::from_static(b"{"), head, Bytes::from_static(b"\n")],
            false,
            false,
        ),
    };
    Spoiled {
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
            let chaos = RandomFaults::default();
            chaos.let_loose(0.25, seed);
            let line = Bytes::from_static(b"{\"type\":\"gameState\"}\n");
            let lines: Vec<Spoiled> = (0..400)
                .map(|_| chaos.spoil(line.clone(), None, Millis(1)))
                .collect();
            let requests: Vec<Option<FaultKind>> = (0..400)
                .map(|_| chaos.mishap("POST /x", None, Millis(1)))
                .collect();
            (lines, requests, chaos.spoiled())
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
        assert!((120..280).contains(&run(7).2), "{}", run(7).2);
    }

    #[test]
    fn a_game_whose_stream_was_cut_or_garbled_has_lost_time() {
        let chaos = RandomFaults::default();
        chaos.let_loose(1.0, 3);
        let (line, game) = (Bytes::from_static(b"{}\n"), "abcd1234".parse().unwrap());
        let spoiled: Vec<Spoiled> = (0..80)
            .map(|_| chaos.spoil(line.clone(), Some(&game), Millis(5)))
            .collect();
        let cuts = spoiled.iter().filter(|spoiled| spoiled.ends).count();
        let garbled = spoiled
            .iter()
            .filter(|spoiled| !spoiled.ends && !spoiled.is_whole)
            .count();
        let struck = chaos.struck();
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
        let chaos = RandomFaults::default();
        chaos.let_loose(1.0, 4);
        let (line, game) = (
            Bytes::from_static(b"{\"type\":\"gameState\"}\n"),
            "abcd1234".parse().unwrap(),
        );
        let mut garbled = 0;
        for _ in 0..200 {
            let spoiled = chaos.spoil(line.clone(), Some(&game), Millis(5));
            if !spoiled.ends && !spoiled.is_whole {
                let text: Vec<u8> = spoiled.pieces.iter().flatten().copied().collect();
                assert!(text.ends_with(b"\n") && text.trim_ascii() != line.trim_ascii());
                assert!(!text.trim_ascii().is_empty());
                garbled += 1;
            }
            let event = chaos.spoil(line.clone(), None, Millis(5));
            assert!(event.ends || event.is_whole);
        }
        assert!(garbled > 10);
    }

    #[test]
    fn nothing_goes_wrong_before_it_is_let_loose() {
        let chaos = RandomFaults::default();
        let line = Bytes::from_static(b"x\n");
        assert_eq!(chaos.spoil(line.clone(), None, Millis(1)).pieces, [line]);
        assert_eq!(
            (chaos.mishap("POST /x", None, Millis(1)), chaos.spoiled()),
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
            let chaos = RandomFaults::default();
            chaos.let_loose(0.3, 9);
            let (ana, bob) = (with("ana", id), with("bob", "bobsgame"));
            let line = Bytes::from_static(b"{\"type\":\"gameState\"}\n");
            let mut seen = Vec::new();
            for number in 0..100 {
                for _ in 0..others {
                    chaos.mishap("POST /api/bot/game/bobsgame/move/d2d4", Some(&bob), Millis(1));
                    chaos.spoil(line.clone(), Some(&bob.0), Millis(1));
                }
                let request = format!("POST /api/bot/game/{id}/move/a{}a{}", number % 8, others);
                let mishap = chaos.mishap(&request, Some(&ana), Millis(1));
                seen.push((mishap, chaos.spoil(line.clone(), Some(&ana.0), Millis(1))));
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
        let chaos = RandomFaults::default();
        chaos.let_loose(0.5, 9);
        let ana: UserId = "ana".parse().unwrap();
        let game = |id: &str| {
            let about = (id.parse().unwrap(), ana.clone());
            let request = format!("POST /api/bot/game/{id}/move/e2e4");
            let mishaps: Vec<Option<FaultKind>> = (0..50)
                .map(|_| chaos.mishap(&request, Some(&about), Millis(1)))
                .collect();
            mishaps
        };
        assert_ne!(game("abcd1234"), game("efgh5678"));
    }
}
