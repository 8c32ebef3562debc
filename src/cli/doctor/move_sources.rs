//! Tries what chooses moves outside of the program: engines and online sources.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context as _;

use super::Line;
use crate::{bot::moves::online_sources::OnlineSources, config::ExternalEngine};
use sparring_chess::units::Millis;
use sparring_lichess::Token;
use sparring_online::{Source, SourceKind};
use sparring_uci_client::UciProcess;

/// Starts an external engine and sets its options.
pub(super) fn external_engine(engine: &ExternalEngine) -> Line {
    const WHAT: &str = "engine";
    match UciProcess::start(&engine.spec()) {
        Ok(process) => {
            let title = process.title().unwrap_or("it gives no name");
            let several = process.option("MultiPV").and_then(|option| option.nearest(2));
            let style = match several {
                Some(2) => "with MultiPV, by which a style chooses",
                _ => "without MultiPV, so that it plays in no style",
            };
            Line::ok(WHAT, format!("{}: {title}, {style}", engine.name))
        }
        Err(error) => Line::warning(
            WHAT,
            format!("{}: {:#}", engine.name, anyhow::Error::from(error)),
            "the embedded engine moves instead; mend [engine.NAME] in bot.toml",
        ),
    }
}

/// Asks each online source about one position. None gets the bot's own token.
pub(super) fn online(sources: &[Arc<Source>], own: Option<&Token>) -> anyhow::Result<Vec<Line>> {
    const WHAT: &str = "online source";
    const PATIENCE: Duration = Duration::from_secs(8);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let asked = sources.iter().map(|source| {
        let begun = Instant::now();
        // Each with new connections, and no memory of those before it.
        let alone = OnlineSources::default();
        own.into_iter().for_each(|token| alone.keep_secret(token));
        let answer = runtime.block_on(alone.try_out(source, PATIENCE));
        match answer {
            // A player may have no games, and the bot's own name is not known here.
            Ok(0) if source.kind == SourceKind::Player => {
                Line::ok(WHAT, format!("{}: it answers", source.name))
            }
            Ok(0) => Line::warning(
                WHAT,
                format!("{}: it answers, and knows no move", source.name),
                "look at the keys of [online.NAME] in bot.toml",
            ),
            Ok(moves) => Line::ok(
                WHAT,
                format!(
                    "{}: {moves} moves in {}",
                    source.name,
                    Millis::from(begun.elapsed())
                ),
            ),
            Err(why) => Line::warning(
                WHAT,
                format!("{}: {why}", source.name),
                "the bot passes it over; mend [online.NAME] in bot.toml, or the network",
            ),
        }
    });
    Ok(asked.collect())
}
