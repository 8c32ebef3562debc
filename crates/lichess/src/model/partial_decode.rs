//! Partial decoding: a field that does not decode is removed, and the rest of the value is kept.
//!
//! A required field (one without a serde default) takes the value that contains it along.

use serde::{Deserialize, Deserializer, de::DeserializeOwned, de::Error as _};
use serde_json::{Error, Value};
use serde_path_to_error::Segment;
use tracing::debug;

/// A value with more bad fields than this is rejected as a whole.
const MOST_MISFITS: usize = 40;
/// Integers up to here are exact as `f64`.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// A value decoded without its fields that do not decode.
pub struct PartialDecode<T>(pub T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for PartialDecode<T> {
    fn deserialize<D: Deserializer<'de>>(wire: D) -> Result<Self, D::Error> {
        decode_partially("answer", Value::deserialize(wire)?)
            .map(Self)
            .map_err(|misfit| D::Error::custom(misfit.source))
    }
}

/// A value that does not decode, by its first bad field.
pub(super) struct FieldError {
    /// Path of the field; `.` is the whole value.
    pub(super) field: String,
    /// serde's error.
    pub(super) source: Error,
}

/// Decodes a value. A fraction or a numeric text is tried as an integer; any other field that does not decode is removed.
///
/// # Errors
/// [`FieldError`] when a required field does not decode.
pub(super) fn decode_partially<T: DeserializeOwned>(kind: &str, mut value: Value) -> Result<T, FieldError> {
    // Fields that were removed, and why.
    let mut misfits: Vec<(String, FieldError)> = Vec::new();
    loop {
        let error = match serde_path_to_error::deserialize(&value) {
            Ok(read) => {
                if !misfits.is_empty() {
                    let fields: Vec<&str> = misfits.iter().map(|(_, misfit)| misfit.field.as_str()).collect();
                    debug!("{kind}: fields that do not decode are rounded or left out: {fields:?}");
                }
                return Ok(read);
            }
            Err(error) => error,
        };
        let steps: Vec<Segment> = error.path().iter().cloned().collect();
        let place = error.path().to_string();
        let source = error.into_inner();
        // A field reported missing may have been removed: then its own error is the one to report. This is all that the text of
        // serde's error decides.
        let cause = misfits.iter().position(|(place, _)| is_missing(place, &source));
        let misfit = match cause {
            Some(index) => misfits.swap_remove(index).1,
            None => FieldError {
                field: place.clone(),
                source,
            },
        };
        if misfits.len() >= MOST_MISFITS || !take_out(&mut value, &steps) {
            return Err(misfit);
        }
        misfits.push((place, misfit));
    }
}

/// Whether an error reports the removed field at this path as missing.
fn is_missing(place: &str, error: &Error) -> bool {
    let name = place.rsplit('.').next().unwrap_or(place);
    error.to_string().starts_with(&format!("missing field `{name}`"))
}

/// Replaces the field by an integer, or removes it. Whether there was one.
fn take_out(value: &mut Value, steps: &[Segment]) -> bool {
    let Some((last, before)) = steps.split_last() else {
        return false;
    };
    let parent = before.iter().try_fold(value, |value, step| match step {
        Segment::Map { key } => value.get_mut(key),
        Segment::Seq { index } => value.get_mut(*index),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    match (parent, last) {
        (Some(Value::Object(fields)), Segment::Map { key }) => match fields.get(key).and_then(whole) {
            Some(number) => fields.insert(key.clone(), number.into()).is_some(),
            None => fields.remove(key).is_some(),
        },
        (Some(Value::Array(rows)), Segment::Seq { index }) if *index < rows.len() => {
            rows.remove(*index);
            true
        }
        _ => false,
    }
}

/// A fraction or a numeric text as an integer.
fn whole(value: &Value) -> Option<i64> {
    let number = match value {
        Value::Number(number) if number.is_f64() => number.as_f64()?,
        Value::String(text) => text.parse().ok()?,
        _ => return None,
    };
    (number.abs() <= LARGEST).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::{Account, Event, GameEvent, NowPlaying, TimeControl};

    fn game_full() -> Value {
        json!({
            "type": "gameFull", "id": "abcd1234", "speed": "blitz", "perf": {"name": "Blitz"}, "rated": true,
            "variant": {"key": "standard", "name": "Standard", "short": "Std"}, "createdAt": 1_786_000_000_000_u64,
            "white": {"id": "bot", "name": "Bot", "title": "BOT", "rating": 1850},
            "black": {"id": "ana", "name": "Ana", "title": "GM", "rating": 1620, "provisional": true},
            "initialFen": "startpos", "clock": {"initial": 60_000, "increment": 2000}, "tournamentId": "may24lta",
            "state": {"type": "gameState", "moves": "e2e4", "wtime": 60_000, "btime": 60_000, "winc": 2000,
                "binc": 2000, "status": "started", "bdraw": true, "rematch": "abcd0002"}
        })
    }

    fn challenge() -> Value {
        json!({"type": "challenge", "compat": {"bot": true, "board": false}, "challenge": {
            "id": "abcd1234", "url": "https://lichess.org/abcd1234", "status": "created", "rated": true,
            "challenger": {"id": "ana", "name": "Ana", "rating": 1620, "title": "GM", "online": true},
            "destUser": {"id": "auda", "name": "Auda", "rating": 1850, "title": "BOT"},
            "variant": {"key": "standard", "name": "Standard", "short": "Std"}, "speed": "blitz",
            "timeControl": {"type": "clock", "limit": 180, "increment": 2, "show": "3+2"}, "color": "white",
            "finalColor": "white", "perf": {"icon": "x", "name": "Blitz"}, "rules": ["noAbort"]
        }})
    }

    fn game_start() -> Value {
        json!({"type": "gameStart", "game": {
            "fullId": "abcd1234ab12", "gameId": "abcd1234", "id": "abcd1234", "color": "white", "lastMove": "e7e5",
            "status": {"id": 20, "name": "started"}, "variant": {"key": "standard", "name": "Standard"},
            "speed": "blitz", "perf": "blitz", "rated": true, "hasMoved": true, "isMyTurn": true, "secondsLeft": 180,
            "opponent": {"id": "ana", "username": "Ana", "rating": 1620}, "compat": {"bot": true, "board": true}
        }})
    }

    /// The value with another at this place, or with nothing there.
    fn with(mut value: Value, place: &str, other: Option<Value>) -> String {
        let (parent, key) = place.rsplit_once('.').unwrap_or(("", place));
        let path: String = parent
            .split('.')
            .filter(|step| !step.is_empty())
            .map(|step| format!("/{step}"))
            .collect();
        let fields = value.pointer_mut(&path).unwrap().as_object_mut().unwrap();
        match other {
            Some(other) => fields.insert(key.to_owned(), other),
            None => fields.remove(key),
        };
        value.to_string()
    }

    /// Each misfit is read as if something else or nothing stood in its place, and can be written and read again.
    fn are_read<T: PartialEq + std::fmt::Debug + serde::Serialize>(
        line: fn() -> Value,
        read: fn(&str) -> Result<T, crate::model::DecodeError>,
        misfits: Vec<(&str, Value, Option<Value>)>,
    ) {
        for (place, misfit, instead) in misfits {
            let spoiled = with(line(), place, Some(misfit));
            let value = read(&spoiled).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(value, read(&with(line(), place, instead)).unwrap(), "{spoiled}");
            assert_eq!(
                read(&serde_json::to_string(&value).unwrap()).unwrap(),
                value,
                "{spoiled}"
            );
        }
    }

    #[test]
    fn f31_fields_of_a_game_that_decide_nothing_cost_only_themselves() {
        are_read(
            game_full,
            GameEvent::decode,
            vec![
                ("perf", json!(null), None),
                ("perf", json!("blitz"), None),
                ("perf.name", json!(null), None),
                ("speed", json!(3), None),
                ("createdAt", json!(null), None),
                (
                    "createdAt",
                    json!(1_786_000_000_000.5),
                    Some(json!(1_786_000_000_000_u64)),
                ),
                ("rated", json!(null), Some(json!(true))),
                ("rated", json!("no"), Some(json!(true))),
                ("black", json!(null), None),
                ("black", json!("ana"), None),
                ("black.rating", json!(1620.7), Some(json!(1620))),
                ("black.rating", json!("1620"), Some(json!(1620))),
                ("black.rating", json!("strong"), None),
                ("black.rating", json!(-3), None),
                ("black.rating", json!(1e30), None),
                ("black.title", json!(7), None),
                ("black.provisional", json!(null), None),
                ("black.id", json!("not a name"), None),
                ("variant.name", json!(null), None),
                ("variant.short", json!([]), None),
                ("tournamentId", json!(5), None),
                ("clock.initial", json!(60_000.0), Some(json!(60_000))),
                ("clock.initial", json!("60000"), Some(json!(60_000))),
                ("clock", json!("1+2"), None),
                ("initialFen", json!(null), None),
                ("daysPerTurn", json!("x"), None),
                ("state.wdraw", json!(null), None),
                ("state.bdraw", json!(1), None),
                ("state.wtime", json!("60000"), Some(json!(60_000))),
                ("state.wtime", json!({}), None),
                ("state.rematch", json!("zz"), None),
                ("state.winner", json!("nobody"), None),
            ],
        );
        let clock = with(game_full(), "clock.increment", Some(json!(null)));
        let without = with(game_full(), "clock", None);
        assert_eq!(
            GameEvent::decode(&clock).unwrap(),
            GameEvent::decode(&without).unwrap()
        );
    }

    #[test]
    fn f31_what_decides_how_a_game_stands_is_never_made_up() {
        for (place, misfit, told) in [
            ("id", json!(7), "id"),
            ("variant", json!(null), "variant"),
            ("variant.key", json!(960), "variant"),
            ("state.moves", json!(["e2e4"]), "state"),
            ("state.status", json!(20), "state"),
        ] {
            // Another bad field must not be reported as the reason.
            let line: Value = serde_json::from_str(&with(game_full(), place, Some(misfit))).unwrap();
            let error = GameEvent::decode(&with(line, "perf", Some(json!(null)))).unwrap_err();
            assert!(error.field.starts_with(told), "{error}: {}", error.source);
        }
        let rules: Vec<Value> = (0..100).map(Value::from).collect();
        assert!(Event::decode(&with(challenge(), "challenge.rules", Some(rules.into()))).is_err());
    }

    #[test]
    fn f31_fields_of_events_that_decide_nothing_cost_only_themselves() {
        are_read(
            challenge,
            Event::decode,
            vec![
                ("challenge.perf", json!(null), None),
                ("challenge.perf", json!("blitz"), None),
                ("challenge.url", json!(null), None),
                ("challenge.rules", json!(null), None),
                ("challenge.rules", json!([5, "noAbort"]), Some(json!(["noAbort"]))),
                ("challenge.color", json!(null), None),
                ("challenge.finalColor", json!("purple"), None),
                ("challenge.status", json!(3), None),
                ("challenge.challenger.rating", json!(1620.4), Some(json!(1620))),
                ("challenge.challenger.name", json!(null), None),
                ("challenge.destUser", json!("auda"), None),
                ("challenge.variant", json!("standard"), None),
                ("challenge.speed", json!("glacial"), None),
                ("challenge.speed", json!(null), None),
                ("challenge.timeControl.show", json!(5), None),
                ("challenge.timeControl.limit", json!(180.0), Some(json!(180))),
                ("challenge.timeControl.increment", json!("2"), Some(json!(2))),
                ("compat.board", json!(null), None),
                (
                    "compat",
                    json!({"bot": true}),
                    Some(json!({"bot": true, "board": false})),
                ),
                ("compat", json!("all"), None),
            ],
        );
        are_read(
            game_start,
            Event::decode,
            vec![
                ("game.fullId", json!(null), None),
                ("game.id", json!(7), None),
                ("game.color", json!("purple"), None),
                ("game.lastMove", json!(null), None),
                ("game.status", json!(20), None),
                ("game.variant", json!("standard"), None),
                ("game.speed", json!(3), None),
                ("game.perf", json!({"key": "blitz"}), None),
                ("game.rated", json!(null), None),
                ("game.hasMoved", json!("yes"), None),
                ("game.opponent", json!("ana"), None),
                ("game.opponent.rating", json!("1620"), Some(json!(1620))),
                ("game.secondsLeft", json!("180"), Some(json!(180))),
                ("game.compat", json!([]), None),
            ],
        );
    }

    #[test]
    fn f31_clocks_of_challenges_that_say_too_little_are_of_an_unknown_kind() {
        for clock in [
            json!(null),
            json!("3+2"),
            json!({}),
            json!({"type": 5}),
            json!({"type": "clock", "limit": null, "increment": 2}),
            json!({"type": "clock", "limit": 180}),
            json!({"type": "correspondence", "daysPerTurn": "x"}),
            json!({"type": "hourglass", "limit": 180, "increment": 2}),
        ] {
            let line = with(challenge(), "challenge.timeControl", Some(clock));
            let Ok(Event::Challenge { challenge, .. }) = Event::decode(&line) else {
                panic!("{line}");
            };
            assert_eq!(challenge.time_control, TimeControl::Unknown, "{line}");
        }
    }

    #[test]
    fn f31_rows_and_accounts_are_read_without_what_does_not_fit() {
        let row = with(game_start()["game"].take(), "color", Some(json!("purple")));
        let list = format!(r#"{{"nowPlaying": [{row}]}}"#);
        let list: NowPlaying = serde_json::from_str(&list).unwrap();
        assert!(list.now_playing[0].is_my_turn && list.now_playing[0].color.is_none());
        let account = json!({"id": "ana", "username": "Ana", "title": 7, "count": {"all": "31"}, "disabled": null,
            "perfs": {"blitz": {"games": 3.0, "rating": "1620"}, "puzzle": "none"}});
        let PartialDecode(account) = serde_json::from_value::<PartialDecode<Account>>(account).unwrap();
        assert_eq!((account.games(), account.rating("blitz").unwrap().0), (31, 1620));
        assert!(serde_json::from_str::<PartialDecode<Account>>(r#"{"username": "Ana"}"#).is_err());
    }
}
