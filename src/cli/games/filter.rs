//! Filters of games and challenges, as arguments.

use anyhow::Context as _;
use clap::{ValueEnum, builder::PossibleValuesParser};
use jiff::tz::TimeZone;

use crate::store::{ChallengeFilter, Filter, GameResult};
use sparring_chess::{Variant, units::Millis};
use sparring_lichess::model::{Side, Speed, UserId};

/// Which games.
#[derive(Debug, clap::Args)]
pub(super) struct GameArgs {
    /// Against this opponent.
    #[arg(long, value_parser = UserId::parse_written)]
    pub(super) opponent: Option<UserId>,
    #[command(flatten)]
    days: Days,
    /// Only rated games.
    #[arg(long, conflicts_with = "casual")]
    rated: bool,
    /// Only casual games.
    #[arg(long)]
    casual: bool,
    /// Only against people.
    #[arg(long, conflicts_with = "bots")]
    humans: bool,
    /// Only against bots.
    #[arg(long)]
    bots: bool,
    /// In which the bot had this side.
    #[arg(long, ignore_case = true)]
    color: Option<Color>,
    /// That ended so for the bot.
    #[arg(long, ignore_case = true)]
    result: Option<EndArg>,
    /// Of this variant, as in chess960.
    #[arg(long, ignore_case = true, value_parser = PossibleValuesParser::new(Variant::ALL.map(Variant::key)))]
    variant: Option<String>,
    /// Of this speed, as in blitz.
    #[arg(long, ignore_case = true, value_parser = PossibleValuesParser::new(Speed::ALL.map(Speed::key)))]
    speed: Option<String>,
    /// Played by this personality, which may be gone by now.
    #[arg(long)]
    personality: Option<String>,
    /// No more than so many.
    #[arg(long)]
    most: Option<u32>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Color {
    White,
    Black,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EndArg {
    Won,
    Lost,
    Drawn,
    /// Aborted, or never begun.
    Void,
    /// Not ended yet.
    Runs,
}

impl GameArgs {
    /// The same as a question to the archive.
    ///
    /// # Errors
    /// When a day lies beyond the calendar.
    pub(super) fn filter(&self) -> anyhow::Result<Filter> {
        Ok(Filter {
            opponent: self.opponent.clone(),
            since: self.days.since()?,
            until: self.days.until()?,
            rated: (self.rated || self.casual).then_some(self.rated),
            bots: (self.bots || self.humans).then_some(self.bots),
            side: self.color.map(|color| match color {
                Color::White => Side::White,
                Color::Black => Side::Black,
            }),
            result: self.result.map(|result| match result {
                EndArg::Won => GameResult::Won,
                EndArg::Lost => GameResult::Lost,
                EndArg::Drawn => GameResult::Drawn,
                EndArg::Void => GameResult::Void,
                EndArg::Runs => GameResult::Runs,
            }),
            variant: self.variant.clone(),
            speed: self.speed.clone(),
            personality: self.personality.clone(),
            after: None,
            most: self.most,
        })
    }
}

/// Which challenges.
#[derive(Debug, clap::Args)]
pub(super) struct ChallengeArgs {
    /// From or to this opponent.
    #[arg(long, value_parser = UserId::parse_written)]
    opponent: Option<UserId>,
    #[command(flatten)]
    days: Days,
    /// Only those that the bot sent.
    #[arg(long, conflicts_with = "received")]
    sent: bool,
    /// Only those that others sent.
    #[arg(long)]
    received: bool,
    /// No more than so many.
    #[arg(long)]
    most: Option<u32>,
}

impl ChallengeArgs {
    /// The same as a question to the archive.
    ///
    /// # Errors
    /// When a day lies beyond the calendar.
    pub(super) fn filter(&self) -> anyhow::Result<ChallengeFilter> {
        Ok(ChallengeFilter {
            opponent: self.opponent.clone(),
            since: self.days.since()?,
            until: self.days.until()?,
            sent: (self.sent || self.received).then_some(self.sent),
            most: self.most,
        })
    }
}

#[derive(Debug, clap::Args)]
struct Days {
    /// Of this day, UTC, or later.
    #[arg(long, value_name = "YYYY-MM-DD")]
    since: Option<jiff::civil::Date>,
    /// Of this day, UTC, or earlier.
    #[arg(long, value_name = "YYYY-MM-DD")]
    until: Option<jiff::civil::Date>,
}

impl Days {
    fn since(&self) -> anyhow::Result<Option<Millis>> {
        self.since.map(midnight).transpose()
    }

    fn until(&self) -> anyhow::Result<Option<Millis>> {
        self.until.map(end_of).transpose()
    }
}

/// The first moment of a day, UTC.
fn midnight(day: jiff::civil::Date) -> anyhow::Result<Millis> {
    let midnight = day.to_zoned(TimeZone::UTC).context("that day")?.timestamp();
    Ok(Millis(
        u64::try_from(midnight.as_millisecond()).unwrap_or_default(),
    ))
}

/// The first moment after a day, UTC.
fn end_of(day: jiff::civil::Date) -> anyhow::Result<Millis> {
    midnight(day.tomorrow().context("the day after that")?)
}
