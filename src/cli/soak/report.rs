//! What the soak has found: losses and refusals, told apart by whether a fault forced them.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    cli::trial::Played,
    lichess::model::{GameId, Status},
    sandbox::{Posted, Struck},
    units::Millis,
};

/// What a move loses on its way even when nothing is wrong, and the least that a turn takes.
const WAY: Millis = Millis(400);
/// A fault explains what happens to its game for so long.
const ECHO: Millis = Millis::from_secs(6);
/// What the sandbox says of a move for which it is too late or too early.
const NOT_YOUR_TURN: &str = "Not your turn";

/// Everything that went wrong on purpose, by the sandbox's clock.
#[derive(Debug, Default)]
pub(super) struct Troubles {
    /// Requests that went wrong by chance.
    pub struck: Vec<Struck>,
    /// Spans in which the daemon was dead or the server out of reach.
    pub outages: Vec<(Millis, Millis)>,
    /// Spans in which the machine let nobody run.
    pub stalls: Vec<(Millis, Millis)>,
}

impl Troubles {
    /// The time of a span that faults took from a game: what was out of reach, each moment counted once, and what
    /// requests and lines of the game cost beside it.
    fn lost_in(&self, game: &GameId, from: Millis, to: Millis) -> Millis {
        let mut spans: Vec<_> = self.outages.iter().chain(&self.stalls).copied().collect();
        spans.sort_unstable();
        let mut lost = Millis::ZERO;
        let mut seen = from;
        for (begin, end) in spans {
            let end = end.min(to);
            lost += end - begin.max(seen);
            seen = seen.max(end);
        }
        let about =
            |struck: &&Struck| struck.about.contains(game.as_str()) && (from..=to).contains(&struck.at);
        let struck = self.struck.iter().filter(about).map(|struck| struck.cost);
        struck.fold(lost, |sum, span| sum + span)
    }

    /// Whether something went wrong with a game, or with everything, shortly before.
    fn echoes(&self, game: &GameId, at: Millis) -> bool {
        let recent = |moment: Millis| moment <= at && at - moment <= ECHO;
        self.outages
            .iter()
            .any(|(begin, end)| *begin <= at && at - *end <= ECHO)
            || self
                .struck
                .iter()
                .any(|struck| struck.about.contains(game.as_str()) && recent(struck.at))
    }
}

/// What came of all games.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// How the games ended.
    pub endings: BTreeMap<String, usize>,
    /// Games lost on time of which faults had taken the whole clock of the last turn.
    pub forced_losses: usize,
    /// Games lost on time otherwise, each in a sentence.
    pub own_losses: Vec<String>,
    /// Moves that no rule allows.
    pub illegal: Vec<String>,
    /// Half moves that were answered with two different moves.
    pub changed: Vec<String>,
    /// Moves that were sent again though they had been played, shortly after a fault in their game.
    pub forced_repeats: usize,
    /// The same without a fault.
    pub own_repeats: Vec<String>,
}

impl Findings {
    /// Takes a game's end in.
    pub(super) fn add(&mut self, game: &Played, troubles: &Troubles) {
        *self.endings.entry(game.status.name().to_owned()).or_default() += 1;
        if !game.bot_lost || game.status != Status::OutOfTime {
            return;
        }
        let (began, clock) = game.last_turn.unwrap_or((game.ended, Millis::ZERO));
        let lost = troubles.lost_in(&game.id, began, game.ended);
        // Who lets the clock run down untroubled has lost by its own doing, however little was left.
        if lost > Millis::ZERO && lost + WAY >= clock {
            self.forced_losses += 1;
        } else {
            self.own_losses.push(format!(
                "{} after {} plies: {clock} left at its last turn, of which faults took {lost}",
                game.id, game.plies
            ));
        }
    }

    /// Looks through the moves that the bot has sent.
    pub(super) fn read(&mut self, ledger: &[(Millis, Posted)], troubles: &Troubles) {
        let mut first: BTreeMap<(&GameId, usize), &Posted> = BTreeMap::new();
        let played: BTreeSet<(&GameId, usize, &str)> = ledger
            .iter()
            .filter(|(_, posted)| posted.refused.is_none())
            .map(|(_, posted)| (&posted.game, posted.ply, posted.uci.as_str()))
            .collect();
        for (at, posted) in ledger {
            let Posted { game, ply, uci, .. } = posted;
            // The move of the turn before, sent twice, that was overtaken by the answer to its first copy. It is never
            // legal a turn later: its square was left, and nobody of ours has come there since.
            let is_stale = ply
                .checked_sub(2)
                .is_some_and(|before| played.contains(&(game, before, uci)));
            if posted.refused.is_some() && is_stale && troubles.echoes(game, *at) {
                self.forced_repeats += 1;
                continue;
            }
            if let Some(before) = first.insert((game, *ply), posted)
                && before.uci != *uci
            {
                self.changed
                    .push(format!("{game} ply {ply}: {} and {uci}", before.uci));
            }
            match &posted.refused {
                None => {}
                Some(why) if !why.starts_with(NOT_YOUR_TURN) => {
                    self.illegal.push(format!("{game} ply {ply}: {uci}, {why}"));
                }
                Some(_) if troubles.echoes(game, *at) => self.forced_repeats += 1,
                Some(why) => self.own_repeats.push(format!("{game} ply {ply}: {uci}, {why}")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(secs: u64) -> Millis {
        Millis::from_secs(secs)
    }

    fn id() -> GameId {
        "abcd1234".parse().unwrap()
    }

    fn loss(clock: Millis) -> Played {
        Played {
            id: id(),
            status: Status::OutOfTime,
            bot_lost: true,
            plies: 30,
            waits: Vec::new(),
            last_turn: Some((secs(100), clock)),
            ended: secs(100) + clock,
        }
    }

    #[test]
    fn a_loss_is_forced_only_if_faults_took_the_whole_clock() {
        let troubles = Troubles {
            struck: vec![Struck {
                about: "POST /api/bot/game/abcd1234/move/e2e4".into(),
                at: secs(101),
                cost: secs(1),
            }],
            outages: vec![(secs(90), secs(101)), (secs(102), secs(103))],
            stalls: vec![(secs(100), secs(101))],
        };
        let mut findings = Findings::default();
        findings.add(&loss(secs(3)), &troubles);
        assert_eq!((findings.forced_losses, findings.own_losses.len()), (1, 0));
        findings.add(&loss(secs(9)), &troubles);
        assert_eq!((findings.forced_losses, findings.own_losses.len()), (1, 1));
        let other = Played {
            bot_lost: false,
            ..loss(secs(9))
        };
        findings.add(&other, &troubles);
        assert_eq!(findings.own_losses.len(), 1, "the opponent's flag is not ours");
        findings.add(&loss(Millis(300)), &Troubles::default());
        assert_eq!((findings.forced_losses, findings.own_losses.len()), (1, 2));
    }

    fn posted(ply: usize, uci: &str, refused: Option<&str>) -> Posted {
        Posted {
            game: id(),
            uci: uci.into(),
            ply,
            clock: None,
            refused: refused.map(str::to_owned),
        }
    }

    #[test]
    fn a_copy_that_comes_a_turn_late_is_forced_only_after_a_fault() {
        let why = Some("Piece on d2 cannot move to d4");
        let ledger = [
            (secs(1), posted(0, "d2d4", None)),
            (secs(2), posted(2, "d2d4", why)),
            (secs(3), posted(2, "b1c3", None)),
        ];
        let mut findings = Findings::default();
        findings.read(&ledger, &Troubles::default());
        assert_eq!((findings.illegal.len(), findings.changed.len()), (1, 1));
        let troubles = Troubles {
            outages: vec![(Millis::ZERO, secs(1))],
            ..Troubles::default()
        };
        let mut findings = Findings::default();
        findings.read(&ledger, &troubles);
        assert_eq!((findings.illegal.len(), findings.changed.len()), (0, 0));
        assert_eq!(findings.forced_repeats, 1);
    }

    #[test]
    fn moves_are_told_apart_by_why_they_were_refused() {
        let late = Some("Not your turn, or game already over");
        let ledger = [
            (secs(1), posted(0, "e2e4", None)),
            (secs(2), posted(1, "e2e4", late)),
            (secs(50), posted(2, "g1f3", Some("Piece on g1 cannot move to f3"))),
            (secs(51), posted(2, "d2d4", None)),
            (secs(60), posted(3, "d2d4", late)),
        ];
        let troubles = Troubles {
            struck: Vec::new(),
            outages: vec![(secs(58), secs(59))],
            stalls: Vec::new(),
        };
        let mut findings = Findings::default();
        findings.read(&ledger, &troubles);
        assert_eq!(findings.own_repeats.len(), 1, "{findings:?}");
        assert_eq!((findings.forced_repeats, findings.illegal.len()), (1, 1));
        assert_eq!(findings.changed.len(), 1);
    }
}
