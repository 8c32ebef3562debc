//! Lenient decoding of single values: null, negative or fractional clocks, and unknown speeds.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;

use super::Speed;
use sparring_chess::units::Millis;

/// A game's speed; `None` if this program does not know it.
pub(super) fn optional_speed<'de, D: Deserializer<'de>>(wire: D) -> Result<Option<Speed>, D::Error> {
    let name = Option::<String>::deserialize(wire)?;
    Ok(name.and_then(|name| Speed::ALL.into_iter().find(|speed| speed.key() == name)))
}

/// As [`optional_speed`], with [`some_speed`] for an unknown one.
pub(super) fn speed<'de, D: Deserializer<'de>>(wire: D) -> Result<Speed, D::Error> {
    optional_speed(wire).map(|speed| speed.unwrap_or_else(some_speed))
}

/// Default of flags that are true when missing.
pub(super) fn surely() -> bool {
    true
}

/// The speed when none is given.
pub(super) fn some_speed() -> Speed {
    Speed::Classical
}

/// A clock reading: null or nonsense is `None`, negative is zero.
pub(super) fn millis<'de, D: Deserializer<'de>>(wire: D) -> Result<Option<Millis>, D::Error> {
    let number = Option::<Number>::deserialize(wire)?;
    Ok(number.and_then(|number| {
        number
            .as_u64()
            .or_else(|| number.as_f64().map(|value| value.max(0.0) as u64))
            .map(Millis)
    }))
}

/// A span in whole seconds on the wire, the same quantity as [`Millis`] in here.
pub(super) mod seconds {
    use super::{Deserialize as _, Deserializer, Millis, Serialize as _, Serializer};

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(wire: D) -> Result<Millis, D::Error> {
        Ok(Millis::from_secs(u64::deserialize(wire)?))
    }

    pub(in super::super) fn serialize<S: Serializer>(span: &Millis, wire: S) -> Result<S::Ok, S::Error> {
        (span.0 / 1000).serialize(wire)
    }
}

/// Like [`seconds`], for spans that may be missing.
pub(super) mod optional_seconds {
    use super::{Deserialize as _, Deserializer, Millis, Number, Serialize as _, Serializer};

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        wire: D,
    ) -> Result<Option<Millis>, D::Error> {
        let number = Option::<Number>::deserialize(wire)?;
        // Truncated to whole seconds, as they are written: reading what was written gives the same value.
        Ok(number
            .and_then(|number| number.as_f64())
            .map(|secs| Millis::from_secs(secs.max(0.0) as u64)))
    }

    pub(in super::super) fn serialize<S: Serializer>(
        span: &Option<Millis>,
        wire: S,
    ) -> Result<S::Ok, S::Error> {
        span.map(|span| span.0 / 1000).serialize(wire)
    }
}
