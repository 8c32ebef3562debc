//! Soak report: losses, separated by whether a fault caused them.

use std::collections::BTreeMap;

use super::fault_log::FaultLog;
use crate::harness::{Played, Player, Unanswered};
use sparring_chess::units::Millis;
use sparring_lichess::model::Status;

/// What a move loses on its way even when nothing is wrong, and the least that a turn takes.
const WAY: Millis = Millis(400);
/// Event streams repeat a challenge for this long.
const ANNOUNCED: Millis = Millis::from_secs(20);
/// Who had this time to see a challenge, with nothing in the way, should have answered it: an event stream that breaks
/// is open again within a few seconds, and the rest of it is for a call that fails and is made again.
const TIME_TO_ANSWER: Millis = Millis::from_secs(10);

/// Results of all games.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// How the games ended.
    pub endings: BTreeMap<String, usize>,
    /// Games that the bot won, drew (or without a winner), and lost.
    pub score: [usize; 3],
    /// Games that the bot resigned; its personality never does, so only because it could not play on.
    pub resigned: Vec<String>,
    /// Games that the bot aborted, whose opponents always came.
    pub aborted: Vec<String>,
    /// Games that the opponents resigned, at their last half move.
    pub guests_resigned: usize,
    /// Challenges without an answer, or declined, though the bot had the time to accept them.
    pub unanswered: Vec<String>,
    /// The same, without the time.
    pub forced_unanswered: usize,
    /// Games lost on time of which faults had taken the whole clock of the last turn.
    pub forced_losses: usize,
    /// Games lost on time otherwise, each in a sentence.
    pub own_losses: Vec<String>,
}

impl Findings {
    /// Takes a game's end in.
    pub(super) fn add(&mut self, game: &Played, faults: &FaultLog) {
        *self.endings.entry(game.status.name().to_owned()).or_default() += 1;
        let [won, nobodys, lost] = &mut self.score;
        *match game.winner {
            Some(winner) if winner == game.bot => won,
            None => nobodys,
            Some(_) => lost,
        } += 1;
        let list = match (game.gave_up, &game.status) {
            (Some(Player::Bot), Status::Aborted) => Some(&mut self.aborted),
            (Some(Player::Bot), _) => Some(&mut self.resigned),
            (Some(Player::Guest), _) => {
                self.guests_resigned += 1;
                None
            }
            (None, _) => None,
        };
        if let Some(list) = list {
            list.push(format!("{} after {} plies", game.id, game.plies));
        }
        for challenge in &game.unanswered {
            self.add_unanswered(challenge, faults);
        }
        if !game.bot_lost() || game.status != Status::OutOfTime {
            return;
        }
        let (began, clock) = game.last_turn.unwrap_or((game.ended, Millis::ZERO));
        let lost = faults.lost_in(&game.id, began, game.ended);
        // Without a fault the loss is the bot's own, however little time was left.
        if lost > Millis::ZERO && lost + WAY >= clock {
            self.forced_losses += 1;
        } else {
            self.own_losses.push(format!(
                "{} after {} plies: {clock} left at its last turn, of which faults took {lost}",
                game.id, game.plies
            ));
        }
    }

    fn add_unanswered(&mut self, challenge: &Unanswered, faults: &FaultLog) {
        let (from, until) = challenge.stood;
        let calm = faults.longest_calm(from, until.min(from + ANNOUNCED));
        // A declined challenge was received; there is a game slot for every opponent.
        if calm < TIME_TO_ANSWER && challenge.declined.is_none() {
            self.forced_unanswered += 1;
            return;
        }
        let what = challenge
            .declined
            .as_ref()
            .map_or_else(|| "no answer".to_owned(), |why| format!("declined: {why}"));
        self.unanswered
            .push(format!("{}: {what}, {calm} without trouble", challenge.challenge));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_lichess::model::{GameId, Side};
    use sparring_sandbox::InjectedFault;

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
            bot: Side::Black,
            winner: Some(Side::White),
            gave_up: None,
            plies: 30,
            waits: Vec::new(),
            last_turn: Some((secs(100), clock)),
            ended: secs(100) + clock,
            unanswered: Vec::new(),
        }
    }

    #[test]
    fn a_loss_is_forced_only_if_faults_took_the_whole_clock() {
        let faults = FaultLog {
            injected: vec![InjectedFault {
                about: "POST /api/bot/game/abcd1234/move/e2e4".into(),
                at: secs(101),
                cost: secs(1),
            }],
            outages: vec![(secs(90), secs(101)), (secs(102), secs(103))],
            stalls: vec![(secs(100), secs(101))],
            ..FaultLog::default()
        };
        let mut findings = Findings::default();
        findings.add(&loss(secs(3)), &faults);
        assert_eq!((findings.forced_losses, findings.own_losses.len()), (1, 0));
        findings.add(&loss(secs(9)), &faults);
        assert_eq!((findings.forced_losses, findings.own_losses.len()), (1, 1));
        let other = Played {
            winner: Some(Side::Black),
            ..loss(secs(9))
        };
        findings.add(&other, &faults);
        assert_eq!(findings.own_losses.len(), 1, "the opponent's flag is not ours");
        findings.add(&loss(Millis(300)), &FaultLog::default());
        assert_eq!((findings.forced_losses, findings.own_losses.len()), (1, 2));
    }

    #[test]
    fn a_loss_is_the_machine_s_only_if_others_had_the_processors_for_the_whole_last_turn() {
        // It lasts from 100 s to 103 s.
        let found = |starved: &[(Millis, Millis)]| {
            let mut findings = Findings::default();
            let faults = FaultLog {
                starved: starved.to_vec(),
                ..FaultLog::default()
            };
            findings.add(&loss(secs(3)), &faults);
            (findings.forced_losses, findings.own_losses.len())
        };
        assert_eq!(found(&[(secs(99), secs(102)), (secs(101), secs(103))]), (1, 0));
        assert_eq!(found(&[(secs(99), secs(102))]), (0, 1));
        assert_eq!(found(&[(secs(70), secs(100))]), (0, 1), "before it");
        assert_eq!(found(&[(secs(103), secs(120))]), (0, 1), "afterwards");
    }

    #[test]
    fn games_that_the_bot_gives_away_are_told_from_those_that_guests_end() {
        let given_up = |status: Status, by: Player, winner: Option<Side>| Played {
            status,
            gave_up: Some(by),
            winner,
            ..loss(secs(9))
        };
        let mut findings = Findings::default();
        let games = [
            given_up(Status::Resign, Player::Guest, Some(Side::Black)),
            given_up(Status::Aborted, Player::Guest, None),
            given_up(Status::Resign, Player::Bot, Some(Side::White)),
            given_up(Status::Aborted, Player::Bot, None),
        ];
        for game in games {
            findings.add(&game, &FaultLog::default());
        }
        assert_eq!(findings.guests_resigned, 2);
        assert_eq!((findings.resigned.len(), findings.aborted.len()), (1, 1));
        assert_eq!(findings.score, [1, 2, 1]);
        assert!(findings.own_losses.is_empty());
    }

    #[test]
    fn a_challenge_that_came_to_nothing_is_forced_only_if_there_was_no_time_to_answer_it() {
        let unanswered = |until, declined: Option<&str>| Unanswered {
            challenge: id(),
            stood: (secs(100), until),
            declined: declined.map(str::to_owned),
        };
        let found = |challenge: Unanswered, without_events: &[(Millis, Millis)]| {
            let faults = FaultLog {
                without_events: without_events.to_vec(),
                ..FaultLog::default()
            };
            let mut findings = Findings::default();
            let game = Played {
                unanswered: vec![challenge],
                ..loss(secs(9))
            };
            findings.add(&game, &faults);
            (findings.forced_unanswered, findings.unanswered.len())
        };
        let silent = || unanswered(secs(130), None);
        assert_eq!(found(silent(), &[]), (0, 1));
        assert_eq!(found(silent(), &[(secs(95), secs(111))]), (1, 0));
        assert_eq!(found(silent(), &[(secs(105), secs(106))]), (0, 1));
        assert_eq!(
            found(silent(), &[(secs(95), secs(105)), (secs(109), secs(112))]),
            (1, 0)
        );
        let declined = unanswered(secs(102), Some("later"));
        assert_eq!(found(declined, &[(secs(95), secs(111))]), (0, 1), "it was heard");
    }
}
