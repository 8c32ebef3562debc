//! Command-line filters of games and challenges.

use anyhow::Context as _;
use clap::{ValueEnum, builder::PossibleValuesParser};
use jiff::tz::TimeZone;

use crate::store::{ChallengeFilter, Filter, GameResult};
use sparring_chess::{Variant, units::Millis};
use sparring_lichess::model::{Side, Speed, UserId};

/// Filter of games.
#[derive(Debug, clap::Args)]
pub(super) struct GameArgs {
    /// Only games against this opponent.
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
    /// Only games in which the bot had this color.
    #[arg(long, ignore_case = true)]
    color: Option<Color>,
    /// Only games with this result for the bot.
    #[arg(long, ignore_case = true)]
    result: Option<EndArg>,
    /// Only this variant.
    #[arg(long, ignore_case = true, value_parser = PossibleValuesParser::new(Variant::ALL.map(Variant::key)))]
    variant: Option<String>,
    /// Only this speed.
    #[arg(long, ignore_case = true, value_parser = PossibleValuesParser::new(Speed::ALL.map(Speed::key)))]
    speed: Option<String>,
    /// Only games of this personality, which may no longer exist.
    #[arg(long)]
    personality: Option<String>,
    /// At most so many.
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
    /// Aborted or never begun.
    Void,
    /// Still running.
    Runs,
}

impl GameArgs {
    /// The archive's filter.
    ///
    /// # Errors
    /// When a day is out of range.
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

/// Filter of challenges.
#[derive(Debug, clap::Args)]
pub(super) struct ChallengeArgs {
    /// Only challenges from or to this opponent.
    #[arg(long, value_parser = UserId::parse_written)]
    opponent: Option<UserId>,
    #[command(flatten)]
    days: Days,
    /// Only challenges that the bot sent.
    #[arg(long, conflicts_with = "received")]
    sent: bool,
    /// Only challenges that the bot received.
    #[arg(long)]
    received: bool,
    /// At most so many.
    #[arg(long)]
    most: Option<u32>,
}

impl ChallengeArgs {
    /// The archive's filter.
    ///
    /// # Errors
    /// When a day is out of range.
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
    /// Only from this day (UTC) on.
    #[arg(long, value_name = "YYYY-MM-DD")]
    since: Option<jiff::civil::Date>,
    /// Only up to this day (UTC), inclusive.
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

/// The start of a day in UTC.
fn midnight(day: jiff::civil::Date) -> anyhow::Result<Millis> {
    let midnight = day.to_zoned(TimeZone::UTC).context("that day")?.timestamp();
    Ok(Millis(
        u64::try_from(midnight.as_millisecond()).unwrap_or_default(),
    ))
}

/// The end of a day in UTC, which is the start of the next.
fn end_of(day: jiff::civil::Date) -> anyhow::Result<Millis> {
    midnight(day.tomorrow().context("the day after that")?)
}
