//! Lobby options of the page: opponents, levels, clocks.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::config::Config;
use sparring_chess::units::Millis;
use sparring_personality::{Delay, Level, Personalities, Personality, strength::CALIBRATION};
use sparring_sandbox::LobbyOptions;

/// Longest think time that counts as quick.
const QUICK: Millis = Millis::from_secs(2);

/// The lobby options in `GET /sandbox/lobby`, with the current personalities, which may be edited while the page is open.
/// `edit` says whether books and personalities can be edited.
pub(super) fn live(
    personalities: watch::Receiver<Arc<Personalities>>,
    config: &Config,
    edit: bool,
) -> LobbyOptions {
    let first = config.play.personality.clone();
    LobbyOptions::new(move || describe(&personalities.borrow(), &first, edit))
}

/// `docs/sandbox.md` shows the whole. `first` plays when nobody is asked for.
fn describe(personalities: &Personalities, first: &str, edit: bool) -> Value {
    let personalities: Vec<Value> = personalities
        .iter()
        .map(|profile| {
            json!({
                "name": profile.name,
                "title": profile.title,
                "about": profile.about,
                "level": profile.level.map(|level| level.0),
                "books": profile.books,
                "pace": pace(profile),
                "takebacks": profile.takebacks,
            })
        })
        .collect();
    json!({
        "personalities": personalities,
        "default": first,
        "edit": edit,
        "reloads": true,
        "levels": {
            "min": Level::RANGE.start(),
            "max": Level::RANGE.end(),
            "step": 50,
            "note": CALIBRATION,
        },
    })
}

/// The think time in the words of the page.
fn pace(profile: &Personality) -> &'static str {
    match profile.delay {
        Delay::Off => "instant",
        Delay::Fixed(span) | Delay::Between(_, span) if span <= QUICK => "quick",
        Delay::Human if profile.tempo < 1.0 => "quick",
        Delay::Human if profile.tempo <= 1.0 => "steady",
        Delay::Fixed(_) | Delay::Between(..) | Delay::Human => "slow",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lobby_offers_the_personalities_of_the_moment() {
        let (personalities, watched) =
            watch::channel(Arc::new(Personalities::new(vec![Personality::new("anna")])));
        let offer = live(watched, &Config::default(), true);
        let named = |offer: &LobbyOptions| {
            let personalities = offer.describe()["personalities"].take();
            let name = |row: &Value| row["name"].as_str().unwrap().to_owned();
            personalities
                .as_array()
                .unwrap()
                .iter()
                .map(name)
                .collect::<Vec<_>>()
        };
        assert_eq!(named(&offer), ["anna"]);
        personalities.send_replace(Arc::new(Personalities::new(vec![
            Personality::new("boris"),
            Personality::new("clara"),
        ])));
        assert_eq!(named(&offer), ["boris", "clara"]);
    }

    #[test]
    fn a_pace_is_told_in_the_words_that_the_page_knows() {
        let told = |delay, tempo| {
            pace(&Personality {
                delay,
                tempo,
                ..Personality::new("anna")
            })
        };
        assert_eq!(told(Delay::Off, 1.0), "instant");
        assert_eq!(told(Delay::Between(Millis(150), Millis(900)), 1.0), "quick");
        assert_eq!(told(Delay::Fixed(Millis::from_secs(5)), 1.0), "slow");
        assert_eq!(
            [0.8, 1.0, 1.2].map(|tempo| told(Delay::Human, tempo)),
            ["quick", "steady", "slow"]
        );
    }
}
