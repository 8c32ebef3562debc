//! What came of the games: losses, told apart by whether a fault forced them.

use std::collections::BTreeMap;

use super::troubles::Troubles;
use crate::{cli::trial::Played, lichess::model::Status, units::Millis};

/// What a move loses on its way even when nothing is wrong, and the least that a turn takes.
const WAY: Millis = Millis(400);

/// What came of all games.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// How the games ended.
    pub endings: BTreeMap<String, usize>,
    /// Games lost on time of which faults had taken the whole clock of the last turn.
    pub forced_losses: usize,
    /// Games lost on time otherwise, each in a sentence.
    pub own_losses: Vec<String>,
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lichess::model::GameId, sandbox::Struck};

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
            ..Troubles::default()
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
}
