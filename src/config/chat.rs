//! `[chat]`: the chat commands on offer, and whether spectators are spoken to.

use std::ops::RangeInclusive;

use super::{Known, game_settings::personalities};
use sparring_chess::units::Elo;
use sparring_config_schema::{Bool, List, Section};
use sparring_personality::Level;

/// The chat commands that opponents may use, and whether spectators are spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chat {
    /// Whether any command is accepted.
    pub commands: bool,
    /// The levels that may be requested; none where no level may be.
    pub levels: RangeInclusive<Elo>,
    /// The personalities that may be requested; all where none are named.
    pub personalities: Option<Vec<String>>,
    /// Whether spectators are greeted and answered.
    pub spectators: bool,
}

impl Default for Chat {
    /// Everything to opponents, nothing to spectators.
    fn default() -> Self {
        let (least, most) = (Elo(*Level::RANGE.start()), Elo(*Level::RANGE.end()));
        Self {
            commands: true,
            levels: least..=most,
            personalities: None,
            spectators: false,
        }
    }
}

impl Chat {
    /// Whether a personality may be requested.
    #[must_use]
    pub fn offers(&self, personality: &str) -> bool {
        let named = self.personalities.as_ref();
        self.commands && named.is_none_or(|named| named.iter().any(|name| name == personality))
    }

    /// Whether a level may be requested.
    #[must_use]
    pub fn offers_level(&self, level: Elo) -> bool {
        self.commands && self.levels.contains(&level)
    }
}

/// Declares the section's keys.
pub(super) fn declare(chat: &mut Section<'_>, known: Option<Known<'_>>) -> Chat {
    let (least, most) = Chat::default().levels.into_inner();
    let read = Chat {
        commands: chat.key(
            "commands",
            Bool,
            true,
            "Whether opponents can ask for anything, as !help tells them.",
        ),
        levels: chat.key(
            "min-level",
            Level,
            least,
            "The weakest level that they can ask for, in casual games.",
        )..=chat.key("max-level", Level, most, "And the strongest."),
        personalities: chat.optional(
            "personalities",
            List(personalities(known)),
            "all of them",
            "The personalities that they can ask for, in casual games; [] for none.",
        ),
        spectators: chat.key(
            "spectators",
            Bool,
            false,
            "Greets spectators, and answers !eval, !pv, !book and !help in their room, about the bot's last move.",
        ),
    };
    if read.levels.is_empty() {
        chat.warning(
            "min-level",
            "min-level is more than max-level",
            "nobody can ask for a level",
        );
    }
    read
}
