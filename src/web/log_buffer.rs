//! Log buffer: the last warnings and errors for the dashboard, repetitions counted, tokens masked.

use std::{
    collections::VecDeque,
    fmt::{self, Write as _},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use serde::Serialize;
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

use sparring_chess::units::Millis;
use sparring_diagnostics::without_secrets;

/// How many different warnings are kept.
const CAPACITY: usize = 50;
/// Longest text of a warning in characters.
const MAX_TEXT: usize = 600;

/// A warning or an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Time of the last occurrence, since 1970.
    pub at: Millis,
    /// `warning` or `error`.
    pub severity: &'static str,
    /// The log text, possibly several lines. Control characters are escaped, tokens masked.
    pub text: String,
    /// The game's id, if it is about one.
    pub game: Option<String>,
    /// Number of occurrences.
    pub count: u64,
}

/// The last warnings and errors, collected as a tracing layer. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Warnings(Arc<Mutex<VecDeque<Warning>>>);

impl Warnings {
    /// The warnings, newest first.
    #[must_use]
    pub fn recent(&self) -> Vec<Warning> {
        self.locked().iter().rev().cloned().collect()
    }

    fn record(&self, severity: &'static str, text: &str, game: Option<String>) {
        let text = sanitised(text);
        let at = Millis::since_1970(SystemTime::now());
        let mut kept = self.locked();
        let known = kept
            .iter()
            .position(|one| one.text == text && one.game == game)
            .and_then(|index| kept.remove(index));
        let count = known.map_or(0, |one| one.count) + 1;
        if kept.len() >= CAPACITY {
            kept.pop_front();
        }
        kept.push_back(Warning {
            at,
            severity,
            text,
            game,
            count,
        });
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, VecDeque<Warning>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Masks secrets, escapes control characters, and cuts the text.
fn sanitised(text: &str) -> String {
    let mut shown = String::new();
    for c in without_secrets(text).chars().take(MAX_TEXT) {
        if c == '\n' || !c.is_control() {
            shown.push(c);
        } else {
            shown.extend(c.escape_default());
        }
    }
    shown
}

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Warnings {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut words = Fields::default();
        attributes.record(&mut words);
        if let (Some(game), Some(span)) = (words.id, context.span(id)) {
            span.extensions_mut().insert(SpanGame(game));
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let severity = match *event.metadata().level() {
            Level::ERROR => "error",
            Level::WARN => "warning",
            _ => return,
        };
        let mut words = Fields::default();
        event.record(&mut words);
        let game = context.event_scope(event).and_then(|mut scope| {
            scope.find_map(|span| span.extensions().get::<SpanGame>().map(|about| about.0.clone()))
        });
        self.record(severity, &words.text, game);
    }
}

/// The id of a span's game.
struct SpanGame(String);

/// The fields of an event or a span.
#[derive(Default)]
struct Fields {
    text: String,
    id: Option<String>,
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.text, "{value:?}"),
            "id" => {
                self.id = Some(format!("{value:?}"));
                Ok(())
            }
            name => write!(self.text, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use tracing::{error, info, info_span, warn};
    use tracing_subscriber::prelude::*;

    use super::*;

    fn logged(log: impl FnOnce()) -> Vec<Warning> {
        let warnings = Warnings::default();
        let subscriber = tracing_subscriber::registry().with(warnings.clone());
        tracing::subscriber::with_default(subscriber, log);
        warnings.recent()
    }

    #[test]
    fn warnings_and_errors_are_kept_with_their_game_and_repetitions_are_counted() {
        let recent = logged(|| {
            info!("all is well");
            warn!("no stream after {} tries", 4);
            info_span!("game", id = %"abcd1234").in_scope(|| {
                for _ in 0..3 {
                    error!("an illegal history");
                }
            });
            warn!("no stream after {} tries", 4);
        });
        let told: Vec<(&str, &str, Option<&str>, u64)> = recent
            .iter()
            .map(|one| (one.severity, one.text.as_str(), one.game.as_deref(), one.count))
            .collect();
        assert_eq!(
            told,
            [
                ("warning", "no stream after 4 tries", None, 2),
                ("error", "an illegal history", Some("abcd1234"), 3)
            ]
        );
    }

    #[test]
    fn tokens_are_masked_control_characters_escaped_and_the_oldest_dropped() {
        let recent = logged(|| {
            warn!("the token lip_abcdefgh12345678 was refused\u{1b}[2J\nline two");
            warn!("{}", "x".repeat(5000));
        });
        assert_eq!(recent[0].text.len(), MAX_TEXT);
        let text = &recent[1].text;
        assert!(!text.contains("abcdefgh") && !text.contains('\u{1b}'), "{text}");
        assert!(text.ends_with("\nline two"), "{text}");
        let many = logged(|| (0..CAPACITY + 7).for_each(|number| warn!("number {number}")));
        assert_eq!(
            (many.len(), many[CAPACITY - 1].text.as_str()),
            (CAPACITY, "number 7")
        );
    }
}
