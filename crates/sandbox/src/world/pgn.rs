//! A game as PGN, in lichess' layout.

use jiff::{Timestamp, tz::TimeZone};

use super::{Cause, Game, RATING, Users, challenge::perf_key};
use sparring_chess::{Color, Pgn, units::Millis};
use sparring_lichess::model::{Status, TimeControl};

/// Contents of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contents {
    /// The moves.
    pub moves: bool,
    /// The header.
    pub tags: bool,
    /// A clock after each move, where the game had one.
    pub clocks: bool,
}

impl Game {
    /// The game as PGN, with an empty line at the end.
    #[must_use]
    pub fn pgn(&self, users: &Users, site: &str, contents: Contents) -> String {
        let result = self.ending.map_or("*", super::Ending::result);
        let clock = |left: &Option<Millis>| left.map(|left| format!("[%clk {}]", clock_text(left)));
        let comments = self.clocks.iter().map(|left| clock(left).unwrap_or_default());
        let pgn = Pgn {
            line: &self.history,
            tags: self.tags(users, site),
            comments: if contents.clocks {
                comments.collect()
            } else {
                Vec::new()
            },
            result,
            width: None,
        };
        let header = if contents.tags {
            pgn.header() + "\n"
        } else {
            String::new()
        };
        let moves = if contents.moves {
            pgn.movetext()
        } else {
            result.to_owned()
        };
        format!("{header}{moves}\n\n")
    }

    fn tags(&self, users: &Users, site: &str) -> Vec<(&'static str, String)> {
        let profile = |color| users.profile(&self.players.get(color).user);
        let name = |color| profile(color).map_or_else(|| "?".to_owned(), |profile| profile.name.clone());
        let (date, time) = date_and_time(self.created_at);
        let mut tags = vec![
            ("Event", self.event_name()),
            ("Site", format!("{site}/{}", self.id)),
            ("Date", date.clone()),
            ("Round", "-".to_owned()),
            ("White", name(Color::White)),
            ("Black", name(Color::Black)),
            (
                "Result",
                self.ending.map_or("*", super::Ending::result).to_owned(),
            ),
            ("GameId", self.id.to_string()),
            ("UTCDate", date),
            ("UTCTime", time),
            ("WhiteElo", RATING.to_string()),
            ("BlackElo", RATING.to_string()),
        ];
        for (tag, color) in [("WhiteTitle", Color::White), ("BlackTitle", Color::Black)] {
            if let Some(title) = profile(color).and_then(super::Profile::title) {
                tags.push((tag, title));
            }
        }
        tags.push(("Variant", self.terms.variant.name().to_owned()));
        tags.push(("TimeControl", self.time_control_tag()));
        if let Some(fen) = &self.terms.initial_fen {
            tags.push(("FEN", fen.clone()));
            tags.push(("SetUp", "1".to_owned()));
        }
        tags.push(("Termination", self.termination().to_owned()));
        tags
    }

    fn event_name(&self) -> String {
        let rated = if self.terms.rated { "rated" } else { "casual" };
        format!("{rated} {} game", perf_key(self.terms.variant, self.speed()))
    }

    fn time_control_tag(&self) -> String {
        match self.terms.control {
            TimeControl::Clock { limit, increment, .. } => {
                format!("{}+{}", limit.0 / 1000, increment.0 / 1000)
            }
            TimeControl::Correspondence { days_per_turn } => {
                format!("1/{}", u64::from(days_per_turn) * 86_400)
            }
            TimeControl::Unlimited | TimeControl::Unknown => "-".to_owned(),
        }
    }

    fn termination(&self) -> &'static str {
        match (self.ending.map(|ending| ending.cause), self.status()) {
            (None, _) => "Unterminated",
            (Some(Cause::Aborted | Cause::Left), _) => "Abandoned",
            (Some(Cause::FlagWithOffer), _) | (_, Status::OutOfTime) => "Time forfeit",
            _ => "Normal",
        }
    }
}

/// Hours, minutes and seconds, as in `0:05:03`.
fn clock_text(left: Millis) -> String {
    let seconds = left.0 / 1000;
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn date_and_time(at: Millis) -> (String, String) {
    let at = i64::try_from(at.0)
        .ok()
        .and_then(|millis| Timestamp::from_millisecond(millis).ok())
        .unwrap_or_default()
        .to_zoned(TimeZone::UTC);
    (
        at.strftime("%Y.%m.%d").to_string(),
        at.strftime("%H:%M:%S").to_string(),
    )
}
