//! Game status by name; numbers are not used, since sources disagree about them.

use serde::{Deserialize, Deserializer, Serialize};

/// The state of a game.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// Created, no player has connected.
    Created,
    /// Running.
    #[default]
    Started,
    /// Ended before it counted.
    Aborted,
    /// Checkmate.
    Mate,
    /// A player resigned.
    Resign,
    /// No legal move and no check: a draw.
    Stalemate,
    /// A player left, and the other claimed.
    Timeout,
    /// Drawn by agreement or by rule.
    Draw,
    /// A flag fell. Without a winner it is a draw: the other side could not mate.
    #[serde(rename = "outoftime")]
    OutOfTime,
    /// A player cheated.
    Cheat,
    /// A player did not make the first move.
    NoStart,
    /// Ended in an unknown way.
    UnknownFinish,
    /// A draw was claimed against a side that can no longer mate.
    InsufficientMaterialClaim,
    /// Ended by the variant's own rule.
    VariantEnd,
    /// A status newer than this program.
    #[serde(untagged)]
    Other(String),
}

impl Status {
    const KNOWN: [(&'static str, u16, Self); 14] = [
        ("created", 10, Self::Created),
        ("started", 20, Self::Started),
        ("aborted", 25, Self::Aborted),
        ("mate", 30, Self::Mate),
        ("resign", 31, Self::Resign),
        ("stalemate", 32, Self::Stalemate),
        ("timeout", 33, Self::Timeout),
        ("draw", 34, Self::Draw),
        ("outoftime", 35, Self::OutOfTime),
        ("cheat", 36, Self::Cheat),
        ("noStart", 37, Self::NoStart),
        ("unknownFinish", 38, Self::UnknownFinish),
        ("insufficientMaterialClaim", 39, Self::InsufficientMaterialClaim),
        ("variantEnd", 60, Self::VariantEnd),
    ];

    fn from_name(name: &str) -> Self {
        Self::KNOWN
            .into_iter()
            .find(|(known, ..)| *known == name)
            .map_or_else(|| Self::Other(name.to_owned()), |(.., status)| status)
    }

    /// The name on the wire, as in `outoftime`.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Other(name) => name,
            known => Self::KNOWN
                .iter()
                .find(|(.., status)| status == known)
                .map_or("", |(name, ..)| name),
        }
    }

    /// The number on the wire; 0 for an unknown status.
    #[must_use]
    pub fn id(&self) -> u16 {
        Self::KNOWN
            .iter()
            .find(|(.., status)| status == self)
            .map_or(0, |(_, id, _)| *id)
    }

    /// Whether moves can still be made. An unknown status counts as running while there is no winner.
    #[must_use]
    pub fn is_running(&self) -> bool {
        matches!(self, Self::Created | Self::Started)
    }
}

/// Reads the bare name of game streams and the `{id, name}` of the event stream alike.
impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(wire: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Shape {
            Name(String),
            Object { name: String },
        }
        let (Shape::Name(name) | Shape::Object { name }) = Shape::deserialize(wire)?;
        Ok(Self::from_name(&name))
    }
}

/// A status written as the event stream has it: `{"id":20,"name":"started"}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusInfo(pub Status);

impl Serialize for StatusInfo {
    fn serialize<S: serde::Serializer>(&self, wire: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Object<'a> {
            id: u16,
            name: &'a str,
        }
        Object {
            id: self.0.id(),
            name: self.0.name(),
        }
        .serialize(wire)
    }
}

impl<'de> Deserialize<'de> for StatusInfo {
    fn deserialize<D: Deserializer<'de>>(wire: D) -> Result<Self, D::Error> {
        Status::deserialize(wire).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes_mean_the_same() {
        let bare: Status = serde_json::from_str("\"outoftime\"").unwrap();
        let object: StatusInfo = serde_json::from_str(r#"{"id":35,"name":"outoftime"}"#).unwrap();
        assert_eq!(bare, object.0);
        assert_eq!(serde_json::to_string(&bare).unwrap(), "\"outoftime\"");
        assert_eq!(
            serde_json::to_string(&object).unwrap(),
            r#"{"id":35,"name":"outoftime"}"#
        );
    }

    #[test]
    fn strangers_keep_their_name() {
        let status: Status = serde_json::from_str("\"exploded\"").unwrap();
        assert_eq!(status, Status::Other("exploded".into()));
        assert_eq!(serde_json::to_string(&status).unwrap(), "\"exploded\"");
        assert!(!status.is_running());
    }

    #[test]
    fn every_known_name_is_written_as_it_is_read() {
        for (name, _, status) in Status::KNOWN {
            assert_eq!(serde_json::to_string(&status).unwrap(), format!("\"{name}\""));
            assert_eq!(status.name(), name);
        }
    }
}
