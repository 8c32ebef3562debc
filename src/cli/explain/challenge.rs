//! `sparring explain challenge`: which rule decides on a challenge, why the rules above it do not match, and which personality
//! would play. Makes no call to a server.

use std::{fmt::Write as _, path::Path};

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    super::exit::{Exit, Failure},
    context::ArchiveContext,
};
use crate::{
    bot::{
        BOT_GAMES,
        challenges::{
            rule_context::{LocalContext, RuleContext, minute_of_day},
            rules::{self, DecidedBy},
        },
    },
    config::{Action, Config, EMBEDDED, GameSettings, TimeControlLimit},
    store::{OpponentScore, RequestedPersona},
};
use sparring_chess::{
    Color,
    units::{Elo, Millis},
};
use sparring_config_schema::ValueType as _;
use sparring_files as files;
use sparring_lichess::{
    Escaped,
    model::{Challenge, Compat, Speed, TimeControl, UserId},
};
use sparring_personality::{Delay, strength::Strength};

/// A challenge given by options, and the time of its arrival.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "A challenge to explain")]
pub struct HypotheticalChallenge {
    /// The challenger's name; describes the challenge by options instead of a file.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// The challenger is a bot.
    #[arg(long, requires = "user")]
    bot: bool,
    /// The challenger's rating.
    #[arg(long, requires = "user")]
    rating: Option<u32>,
    /// The challenger's title.
    #[arg(long, requires = "user", conflicts_with = "bot")]
    title: Option<String>,
    /// The challenger's rating is provisional.
    #[arg(long, requires = "rating")]
    provisional: bool,
    /// A rated game.
    #[arg(long, requires = "user")]
    rated: bool,
    /// The variant.
    #[arg(long, requires = "user", default_value = "standard")]
    variant: String,
    /// The clock.
    #[arg(
        long,
        requires = "user",
        value_name = "MINUTES+SECONDS",
        default_value = "5+3"
    )]
    clock: String,
    /// Correspondence with so many days per move, instead of a clock.
    #[arg(long, requires = "user", conflicts_with = "clock")]
    days: Option<u32>,
    /// No time limit.
    #[arg(long, requires = "user", conflicts_with_all = ["clock", "days"])]
    unlimited: bool,
    /// A rematch.
    #[arg(long, requires = "user")]
    rematch: bool,
    /// The bot's rating in this variant and speed.
    #[arg(long)]
    own_rating: Option<u32>,
    /// Games with the challenger begun today; by default as in the archive.
    #[arg(long)]
    played_today: Option<u32>,
    /// Games ever finished with the challenger; by default as in the archive.
    #[arg(long)]
    games_ever: Option<u32>,
    /// The bot's score in those games, in percent.
    #[arg(long, requires = "games_ever", value_parser = clap::value_parser!(u32).range(0..=100))]
    score: Option<u32>,
    /// The bot's level in the last casual game with the challenger; by default as in the archive.
    #[arg(long)]
    last_level: Option<u32>,
    /// Running games with the challenger.
    #[arg(long, default_value_t = 0)]
    running: u32,
    /// The time of day in UTC; by default now.
    #[arg(long, value_name = "HH:MM")]
    at: Option<String>,
}

/// Explains how the settings decide on a challenge, from a file (`-` for standard input) or from options.
///
/// # Errors
/// When no challenge is given, or the file holds none.
pub(super) fn explain(
    file: Option<&str>,
    made: &HypotheticalChallenge,
    config: &Config,
    settings: &Path,
    now: Millis,
) -> anyhow::Result<String> {
    let (challenge, compat) = match (file, &made.user) {
        (Some(file), None) => read(file)?,
        (None, Some(user)) => (made.challenge(user)?, None),
        _ => {
            let sentence = "name a file with a challenge, or put one together with --user NAME";
            return Err(Failure::error(Exit::Usage, sentence));
        }
    };
    let background = ArchiveContext::gather(config, settings, &challenge, now);
    let moment = made.moment(&challenge, &background, now)?;
    let said = explain_challenge(config, &challenge, compat, &moment);
    Ok(said + &beyond_rules(config, &challenge, compat, &moment, &background))
}

/// The limits that the daemon checks besides the rules.
fn beyond_rules(
    config: &Config,
    challenge: &Challenge,
    compat: Option<Compat>,
    moment: &LocalContext,
    background: &ArchiveContext,
) -> String {
    let mut said = String::new();
    let facts = RuleContext::of_challenge(challenge, moment);
    let ruling = rules::judge(&config.rules, challenge, compat, &facts);
    if !matches!(ruling.then, Action::Decline(_)) {
        if facts.is_bot && background.bots_today >= BOT_GAMES {
            said += &format!("  But {BOT_GAMES} games with bots were played today: declined, later\n");
        } else if facts.is_bot && background.is_closed_to_bots {
            said +=
                "  But lichess has said that the games of the day with bots are played: declined, later\n";
        }
        let who = rules::casting(&config.rules, &facts, &config.play).personality;
        let most = super::profile_named(&config.paths, &who).and_then(|profile| profile.rematches);
        if let (Some(row), Some(most)) = (background.row, most)
            && row > most
        {
            said += &format!("  But {most} rematches in a row are enough for {who}: declined, later\n");
        }
    }
    if !facts.rated && !matches!(ruling.then, Action::Decline(_)) {
        said += &asked_for(config, &background.asked);
    }
    for name in &background.unknown {
        said += &format!("  The list \"{name}\" was not fetched: its users are not known here\n");
    }
    said
}

/// The persona that the challenger requested in an earlier game, as far as it is allowed.
fn asked_for(config: &Config, asked: &RequestedPersona) -> String {
    let personality = asked.personality.as_ref().filter(|name| config.chat.offers(name));
    let level = asked.level.filter(|level| config.chat.offers_level(*level));
    let asked: Vec<String> = personality
        .cloned()
        .into_iter()
        .chain(level.map(|level| format!("level {level}")))
        .collect();
    if asked.is_empty() {
        return String::new();
    }
    format!(
        "  But they have asked for {} by chat: so it will be\n",
        asked.join(", ")
    )
}

/// The decision on a challenge, rule by rule.
#[must_use]
pub fn explain_challenge(
    config: &Config,
    challenge: &Challenge,
    compat: Option<Compat>,
    moment: &LocalContext,
) -> String {
    let facts = RuleContext::of_challenge(challenge, moment);
    let ruling = rules::judge(&config.rules, challenge, compat, &facts);
    let mut said = format!("{}\n", headline(challenge));
    for (index, rule) in config.rules.iter().enumerate() {
        let title = rules::title(&config.rules, DecidedBy::Rule(index));
        let what = match rules::misfit(&rule.when, &facts) {
            Some(why) => format!("does not fit, {why}"),
            None if ruling.by == DecidedBy::Rule(index) => "fits, and decides".to_owned(),
            None if rule.then.is_none() => "fits, and says how to play".to_owned(),
            None if rule.settings != GameSettings::default() => {
                "fits, and says how to play, but something above decides".to_owned()
            }
            None => "fits, but something above decides".to_owned(),
        };
        let _ = writeln!(said, "  {title}: {what}"); // writing to a string cannot fail
    }
    let by = match ruling.by {
        DecidedBy::Nobody => "no rule decides: what has a clock is welcome, games of days are not".to_owned(),
        by => rules::title(&config.rules, by),
    };
    let _ = writeln!(said, "{} ({by})", capitalised(&rules::describe(ruling.then)));
    said + &match ruling.then {
        Action::Decline(reason) => format!("  The challenger reads: \"{}\"\n", reason.text()),
        Action::Accept | Action::Queue => played(config, &facts),
    }
}

/// The personality that would play, and its settings. What the rules do not set comes from the personality's file.
fn played(config: &Config, facts: &RuleContext) -> String {
    let cast = rules::casting(&config.rules, facts, &config.play);
    let own = super::profile_named(&config.paths, &cast.personality);
    let follows = own.as_ref().and_then(|own| own.level_setting);
    let followed = follows.and_then(|wish| wish.resolve(facts.meeting()));
    let level = match (cast.level, followed, &own) {
        (Some(level), ..) => format!("level {level}{}", as_last(config, facts)),
        (None, Some(level), _) => format!("level {level}, as the personality follows the opponent"),
        (None, None, Some(own)) => Strength::of(own, None).to_string(),
        (None, None, None) => "its own level".to_owned(),
    };
    let books = |ruled: &Option<Vec<String>>, color| match (ruled, &own) {
        (Some(books), _) => books.join(", "),
        (None, Some(own)) => own.books_of(color).join(", "),
        (None, None) => "its own".to_owned(),
    };
    let (white, black) = (
        books(&cast.books_white, Color::White),
        books(&cast.books_black, Color::Black),
    );
    let books = match (white == black, white.is_empty()) {
        (true, true) => "no books".to_owned(),
        (true, false) => format!("books: {white}"),
        (false, _) => format!("books: {white} as White, {black} as Black"),
    };
    let pace = match (cast.fast, cast.delay, cast.tempo) {
        (true, ..) => ", without pauses".to_owned(),
        (false, delay, tempo) => {
            let delay = delay.map(|delay| format!(", delay {}", Delay::Off.write(&delay)));
            let tempo = tempo.map(|tempo| format!(", tempo {tempo}"));
            delay.unwrap_or_default() + &tempo.unwrap_or_default()
        }
    };
    let named = own.as_ref().and_then(|own| own.engine.clone());
    let engine = match cast.engine.or(named) {
        Some(engine) if engine != EMBEDDED => format!(", by the engine {engine}"),
        _ => String::new(),
    };
    format!(
        "  Played by {}, {level}{engine}{pace}; {books}\n",
        cast.personality
    )
}

/// The rule that continues at the level of the last game, if any.
fn as_last(config: &Config, facts: &RuleContext) -> String {
    let asked = rules::level(&config.rules, facts).filter(|(_, by)| rules::goes_on(&config.rules, *by));
    asked.map_or_else(String::new, |(_, by)| {
        format!(
            " as in the last casual game ({})",
            rules::title(&config.rules, by)
        )
    })
}

fn headline(challenge: &Challenge) -> String {
    let name = challenge.challenger.as_ref().map_or_else(
        || "somebody".to_owned(),
        |user| {
            let title = user
                .title
                .as_ref()
                .map(|title| format!("{title} "))
                .unwrap_or_default();
            let rating = user
                .rating
                .map(|rating| format!(" ({rating})"))
                .unwrap_or_default();
            format!("{title}{}{rating}", user.name)
        },
    );
    format!(
        "{}: {}{}",
        Escaped(&name),
        rules::what(challenge),
        if challenge.rematch_of.is_some() {
            ", a rematch"
        } else {
            ""
        },
    )
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A challenge as lichess sends it: alone, or inside an event.
fn read(file: &str) -> anyhow::Result<(Challenge, Option<Compat>)> {
    #[derive(Deserialize)]
    struct Event {
        challenge: Challenge,
        compat: Option<Compat>,
    }
    let text = if file == "-" {
        let bytes = files::read_at_most(std::io::stdin(), files::TEXT).context("standard input")?;
        String::from_utf8_lossy(&bytes).into_owned()
    } else {
        files::read_text(file.as_ref(), files::TEXT)
            .map_err(|error| Failure::error(Exit::Usage, format!("cannot read {file}: {error}")))?
    };
    let no_challenge = |error: serde_json::Error| {
        Failure::error(
            Exit::Failed,
            format!("{file} holds no challenge as lichess sends it: {error}"),
        )
    };
    let value: Value = serde_json::from_str(&text).map_err(no_challenge)?;
    if value.get("challenge").is_some() {
        let event: Event = serde_json::from_value(value).map_err(no_challenge)?;
        return Ok((event.challenge, event.compat));
    }
    Ok((serde_json::from_value(value).map_err(no_challenge)?, None))
}

impl HypotheticalChallenge {
    fn challenge(&self, user: &str) -> anyhow::Result<Challenge> {
        let wrong = |sentence: String| Failure::error(Exit::Usage, sentence);
        let id = UserId::parse_written(user).map_err(|error| wrong(format!("{error}")))?;
        let time = match self.days {
            _ if self.unlimited => json!({"type": "unlimited"}),
            Some(days) => json!({"type": "correspondence", "daysPerTurn": days}),
            None => {
                let control = TimeControlLimit::parse(&self.clock).ok_or_else(|| {
                    wrong(format!(
                        "\"{}\" is no clock; write minutes+seconds, as in 5+3",
                        self.clock
                    ))
                })?;
                let secs = |span: Millis| span.0 / 1000;
                json!({"type": "clock", "limit": secs(control.initial), "increment": secs(control.increment)})
            }
        };
        let speed = match serde_json::from_value(time.clone()) {
            Ok(time) => TimeControl::speed(&time),
            Err(_) => Speed::Correspondence,
        };
        let title = if self.bot {
            Some("BOT")
        } else {
            self.title.as_deref()
        };
        let challenge = json!({
            "id": "explain0", "rated": self.rated, "speed": speed, "timeControl": time,
            "variant": {"key": self.variant},
            "challenger": {"id": id, "name": user, "rating": self.rating, "title": title,
                "provisional": self.provisional},
            "rematchOf": self.rematch.then_some("explain0"),
        });
        Ok(serde_json::from_value(challenge)?)
    }

    fn moment(
        &self,
        challenge: &Challenge,
        background: &ArchiveContext,
        now: Millis,
    ) -> anyhow::Result<LocalContext> {
        let minute = match &self.at {
            None => minute_of_day(now),
            Some(at) => {
                let parts = at.split_once(':').and_then(|(hour, minute)| {
                    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
                    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
                });
                parts.ok_or_else(|| {
                    Failure::error(Exit::Usage, format!("\"{at}\" is no time of day; write 17:30"))
                })?
            }
        };
        let variant = challenge.variant.variant().unwrap_or_default();
        let perf = RuleContext::perf(variant, challenge.time_control.speed());
        let own = self.own_rating.map(|rating| (perf.to_owned(), Elo(rating)));
        Ok(LocalContext {
            ratings: std::sync::Arc::new(own.into_iter().collect()),
            lists: std::sync::Arc::new(background.lists.clone()),
            played_today: self.played_today.unwrap_or(background.played_today),
            score: self.tally(background.score),
            running: self.running,
            minute,
            rematch: false,
        })
    }

    /// The score against the challenger, if given by options.
    fn tally(&self, kept: OpponentScore) -> OpponentScore {
        let (games, half_points) = self.games_ever.map_or((kept.games, kept.half_points), |games| {
            let score = self.score.unwrap_or_default();
            (games, games.saturating_mul(score) / 50)
        });
        OpponentScore {
            games,
            half_points,
            level: self.last_level.map(Elo).or(kept.level),
        }
    }
}
