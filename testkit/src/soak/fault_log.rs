//! Log of injected faults, and what each explains.

use sparring_chess::units::Millis;
use sparring_lichess::model::GameId;
use sparring_sandbox::InjectedFault;

/// Injected faults, by the sandbox's clock.
#[derive(Debug, Default)]
pub(super) struct FaultLog {
    /// Random faults of requests and lines.
    pub injected: Vec<InjectedFault>,
    /// Spans in which the daemon was dead or the server out of reach.
    pub outages: Vec<(Millis, Millis)>,
    /// Spans in which the daemon was dead and came back; those of `outages` too.
    pub kills: Vec<(Millis, Millis)>,
    /// Spans without an open event stream: those of `outages`, but until an event stream that fell silent is given
    /// up, which takes longer than a game's.
    pub without_events: Vec<(Millis, Millis)>,
    /// Spans in which the machine stalled.
    pub stalls: Vec<(Millis, Millis)>,
    /// Spans in which other processes used the CPUs that the bot needed.
    pub starved: Vec<(Millis, Millis)>,
}

impl FaultLog {
    /// The time of a span that faults took from a game: what was out of reach, each moment counted once, and what
    /// requests and lines of the game cost in addition.
    pub(super) fn lost_in(&self, game: &GameId, from: Millis, to: Millis) -> Millis {
        let machine = self.stalls.iter().chain(&self.starved);
        let mut spans: Vec<_> = self.outages.iter().chain(machine).copied().collect();
        spans.sort_unstable();
        let mut lost = Millis::ZERO;
        let mut seen = from;
        for (begin, end) in spans {
            let end = end.min(to);
            lost += end - begin.max(seen);
            seen = seen.max(end);
        }
        let about = |injected: &&InjectedFault| {
            injected.about.contains(game.as_str()) && (from..=to).contains(&injected.at)
        };
        let injected = self.injected.iter().filter(about).map(|injected| injected.cost);
        injected.fold(lost, |sum, span| sum + span)
    }

    /// The longest time within this span in which a challenge could arrive and no process was stalled.
    pub(super) fn longest_calm(&self, from: Millis, to: Millis) -> Millis {
        let mut spans: Vec<_> = self.without_events.iter().chain(&self.stalls).copied().collect();
        spans.sort_unstable();
        let (mut longest, mut seen) = (Millis::ZERO, from);
        for (begin, end) in spans {
            longest = longest.max(begin.min(to) - seen);
            seen = seen.max(end);
        }
        longest.max(to - seen)
    }

    /// Whether everything broke, or began to be silent, in this span.
    pub(super) fn broke_in(&self, from: Millis, to: Millis) -> bool {
        let within = |(begin, _): &(Millis, Millis)| (from..=to).contains(begin);
        self.outages.iter().any(within)
    }

    /// Whether the daemon was restarted in this span, which loses what it knew.
    pub(super) fn was_reborn_in(&self, from: Millis, to: Millis) -> bool {
        self.kills.iter().any(|(begin, end)| *begin <= to && from <= *end)
    }

    /// Whether the machine stalled for this long within the span.
    pub(super) fn stood_still_in(&self, from: Millis, to: Millis, least: Millis) -> bool {
        let long = |(begin, end): &(Millis, Millis)| *begin <= to && from <= *end && *end - *begin >= least;
        self.stalls.iter().any(long)
    }

    /// Whether the stream of this game was hit by chance in this span: a line of it, or its opening.
    pub(super) fn hit_stream_of(&self, game: &GameId, from: Millis, to: Millis) -> bool {
        let of_stream = |about: &str| {
            about == game.as_str()
                || about
                    .strip_prefix("GET /api/bot/game/stream/")
                    .is_some_and(|id| id == game.as_str())
        };
        let hit = |injected: &InjectedFault| of_stream(&injected.about) && (from..=to).contains(&injected.at);
        self.injected.iter().any(hit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calm_is_what_lies_between_troubles_and_after_the_last() {
        let secs = Millis::from_secs;
        let faults = FaultLog {
            without_events: vec![
                (secs(14), secs(15)),
                (secs(5), secs(10)),
                (secs(6), secs(8)),
                (secs(40), secs(50)),
            ],
            ..FaultLog::default()
        };
        assert_eq!(faults.longest_calm(secs(3), secs(14)), secs(4));
        assert_eq!(faults.longest_calm(secs(7), secs(17)), secs(4));
        assert_eq!(faults.longest_calm(secs(12), secs(18)), secs(3));
        assert_eq!(faults.longest_calm(secs(6), secs(9)), Millis::ZERO);
        assert_eq!(faults.longest_calm(secs(60), secs(69)), secs(9));
    }
}
