//! A game as PGN, in lichess' layout.

use std::fmt::Write as _;

use jiff::{Timestamp, tz::TimeZone};

use super::{Cause, Game, RATING, Users, export::san_moves};
use crate::{
    chess::{Color, Rules as _},
    lichess::model::{Status, TimeControl},
    units::Millis,
};

/// What an export should contain.
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
        let mut text = String::new();
        if contents.tags {
            for (name, value) in self.tags(users, site) {
                // A quote or backslash would end the value early.
                let value = value.replace('\\', "\\\\").replace('"', "\\\"");
                let _ = writeln!(text, "[{name} \"{value}\"]"); // writing to a String cannot fail
            }
            text.push('\n');
        }
        if contents.moves {
            self.write_moves(&mut text, contents.clocks);
        }
        text.push_str(self.ending.map_or("*", super::Ending::result));
        text.push_str("\n\n");
        text
    }

    fn tags(&self, users: &Users, site: &str) -> Vec<(&'static str, String)> {
        let profile = |color| users.profile(&self.seats.get(color).user);
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
        format!("{rated} {} game", self.speed())
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

    fn write_moves(&self, text: &mut String, clocks: bool) {
        let start = self.line.start();
        let black_begins = usize::from(start.turn() == Color::Black);
        let first = start.fullmoves().get() as usize;
        for (index, san) in san_moves(&self.line).into_iter().enumerate() {
            let ply = index + black_begins;
            let number = first + ply / 2;
            let clock = self.clocks.get(index).copied().flatten().filter(|_| clocks);
            // Black's moves repeat their number after a comment, and when the game begins with one.
            let _ = match (ply % 2 == 0, clock.is_some() || index == 0) {
                (true, _) => write!(text, "{number}. {san} "),
                (false, true) => write!(text, "{number}... {san} "),
                (false, false) => write!(text, "{san} "),
            };
            if let Some(left) = clock {
                let _ = write!(text, "{{ [%clk {}] }} ", clock_text(left));
            }
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
