//! Rate limits that outlive a restart, by endpoint class.

use std::collections::BTreeMap;

use crate::store::ArchiveWriter;
use sparring_chess::units::Millis;
use sparring_lichess::{
    CallError, Client,
    retry::{EndpointClass, LONGEST_ASKED},
};

/// lichess' name of its limit on games between bots.
pub const VS_BOTS: &str = "bot.vsBot.day";
/// Prefix of the keys of endpoint classes.
const CLASS: &str = "class.";
/// Shorter limits are not stored: they end before a restart does.
const WORTH_KEEPING: Millis = Millis::from_secs(5);

/// Tolerance for a system clock that is corrected.
const SET_BACK: Millis = Millis::from_secs(600);

/// Ends of rate limits in wall-clock time.
#[derive(Debug, Default)]
pub(in crate::bot) struct PersistedRateLimits {
    until: BTreeMap<String, Millis>,
    store: ArchiveWriter,
}

impl PersistedRateLimits {
    /// Restores the limits of an earlier run and blocks their classes in the client. Ignores limits beyond [`latest_limit`].
    pub(in crate::bot) fn restore(
        past: &[(String, Millis)],
        client: &Client,
        store: ArchiveWriter,
        epoch: Millis,
    ) -> Self {
        let until = past
            .iter()
            .filter(|(_, until)| is_possible(*until, epoch))
            .map(|(key, until)| (key.clone(), (*until).min(epoch + LONGEST_ASKED)));
        let until: BTreeMap<String, Millis> = until.collect();
        for (key, until) in &until {
            let class = key.strip_prefix(CLASS).and_then(EndpointClass::named);
            if let Some(class) = class {
                client.block(class, *until - epoch);
            }
        }
        Self { until, store }
    }

    /// A call failed: stores its rate limit, if the error is one.
    pub(in crate::bot) fn record(&mut self, class: EndpointClass, error: &CallError, epoch: Millis) {
        let (key, after) = match error {
            CallError::RateLimited { after, key, .. } if key.as_deref() == Some(VS_BOTS) => {
                (VS_BOTS.to_owned(), *after)
            }
            CallError::RateLimited { after, .. } => (format!("{CLASS}{}", class.name()), *after),
            _ => return,
        };
        let until = epoch + after;
        let known = self
            .until
            .get(&key)
            .copied()
            .filter(|until| is_possible(*until, epoch));
        let known = known.unwrap_or_default();
        if after >= WORTH_KEEPING && until > known + WORTH_KEEPING {
            self.store.limit(&key, until);
            self.until.insert(key, until);
        }
    }

    /// Whether lichess' daily limit of games between bots is reached.
    pub(in crate::bot) fn forbids_bots(&self, epoch: Millis) -> bool {
        let until = self.until.get(VS_BOTS);
        until.is_some_and(|until| epoch < *until && is_possible(*until, epoch))
    }
}

/// The latest end, in milliseconds since 1970, of a rate limit that the server may have asked for. A stored limit that ends
/// later was stored while the clock was wrong.
pub(crate) fn latest_limit(epoch: Millis) -> Millis {
    epoch + LONGEST_ASKED + SET_BACK
}

fn is_possible(until: Millis, epoch: Millis) -> bool {
    until <= latest_limit(epoch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_lichess::Token;

    fn limited(secs: u64, key: Option<&str>) -> CallError {
        CallError::RateLimited {
            call: "accept",
            after: Millis::from_secs(secs),
            key: key.map(str::to_owned),
        }
    }

    #[tokio::test]
    async fn f11_a_limit_of_bots_is_no_limit_of_a_class() {
        let mut limits = PersistedRateLimits::default();
        let now = Millis::from_secs(1_000_000);
        limits.record(EndpointClass::Challenge, &limited(90, Some(VS_BOTS)), now);
        assert!(limits.forbids_bots(now + Millis::from_secs(89)));
        assert!(!limits.forbids_bots(now + Millis::from_secs(90)));
        limits.record(EndpointClass::Challenge, &limited(60, None), now);
        limits.record(EndpointClass::Read, &limited(1, None), now);
        assert_eq!(
            limits.until.keys().collect::<Vec<_>>(),
            [VS_BOTS, "class.challenge"]
        );
    }

    #[tokio::test]
    async fn f8_a_silent_class_is_silent_after_a_restart() {
        let client = Client::new("http://127.0.0.1:9", Token::parse("lip_x").unwrap(), 1).unwrap();
        let now = Millis::from_secs(1000);
        let past = [("class.challenge".to_owned(), Millis::from_secs(1060))];
        let _limits = PersistedRateLimits::restore(&past, &client, ArchiveWriter::default(), now);
        let refused = client.accept(&"abcd1234".parse().unwrap()).await.unwrap_err();
        let CallError::RateLimited { after, .. } = refused else {
            panic!("{refused}");
        };
        assert!(after > Millis::from_secs(50), "{after}");
    }

    #[tokio::test]
    async fn f51_a_clock_that_was_set_back_makes_no_limit_longer_than_a_day() {
        let client = Client::new("http://127.0.0.1:9", Token::parse("lip_x").unwrap(), 1).unwrap();
        let (now, day) = (Millis::from_secs(1000), Millis::from_secs(24 * 3600));
        let years = now + day.scaled(1000.0);
        let past = [(VS_BOTS.to_owned(), years), ("class.read".to_owned(), years)];
        let limits = PersistedRateLimits::restore(&past, &client, ArchiveWriter::default(), now);
        assert!(client.blocked_for(EndpointClass::Read).is_none() && !limits.forbids_bots(now));
        let minutes = Millis::from_secs(300);
        let past = [
            (VS_BOTS.to_owned(), now + day + minutes),
            ("class.read".to_owned(), now + day),
        ];
        let mut limits = PersistedRateLimits::restore(&past, &client, ArchiveWriter::default(), now);
        assert!(client.blocked_for(EndpointClass::Read).unwrap() <= day);
        assert!(limits.forbids_bots(now + day - Millis(1)) && !limits.forbids_bots(now + day));
        // While it runs: a limit of a clock that was years ahead is none, and takes the place of no other.
        limits.record(EndpointClass::Challenge, &limited(90, Some(VS_BOTS)), years);
        assert!(limits.forbids_bots(years) && !limits.forbids_bots(now));
        limits.record(EndpointClass::Challenge, &limited(90, Some(VS_BOTS)), now);
        assert!(limits.forbids_bots(now));
    }
}
