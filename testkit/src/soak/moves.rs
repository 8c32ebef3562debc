//! Checks all move requests of the bot, as recorded on arrival before any injected fault.

use std::collections::BTreeMap;

use super::fault_log::FaultLog;
use sparring_chess::units::Millis;
use sparring_lichess::model::GameId;
use sparring_sandbox::{FaultKind, MoveOutcome, PostedMove};

/// Network delay of a move without faults.
const WAY: Millis = Millis(400);
/// After "too many requests" the moves of that game wait for so long at least (F10), whatever their clock shows.
const SILENCE: Millis = Millis::from_secs(1);
/// A request for a move is given up after a quarter of the clock (F14), within these bounds.
const PATIENCE: (Millis, Millis) = (Millis(250), Millis::from_secs(5));
/// Nobody who keeps to the pauses before another try (nothing, then 0.1 s doubling to 2 s) and opens the stream before
/// each comes so often within one life and one turn: that takes a chance of 3 in 100 eight times in a row.
const MOST_TRIES: usize = 8;

/// Results of the bot's move requests.
#[derive(Debug, Default)]
pub(super) struct Moves {
    /// Requests that arrived.
    pub sent: usize,
    /// Those with an injected fault.
    pub met: usize,
    /// Those after the end of the game.
    pub late: usize,
    /// Illegal moves, or moves out of turn.
    pub illegal: Vec<String>,
    /// Plies with two different moves.
    pub changed: Vec<String>,
    /// Moves that were sent again though they had been played, with a fault of their own between.
    pub forced_repeats: usize,
    /// The same without such a fault.
    pub own_repeats: Vec<String>,
    /// Requests for a half move that came while another one for it was still served.
    pub crossed: Vec<String>,
    /// Requests sooner than a second after "too many requests" to the same game.
    pub hasty: Vec<String>,
    /// Half moves that were tried more often than the pauses between tries allow.
    pub many: Vec<String>,
}

impl Moves {
    /// Checks the requests in order of arrival.
    pub(super) fn read(posted_moves: &[PostedMove], faults: &FaultLog) -> Self {
        let mut games: BTreeMap<&GameId, Vec<&PostedMove>> = BTreeMap::new();
        for posted in posted_moves {
            games.entry(&posted.game).or_default().push(posted);
        }
        let mut moves = Self::default();
        for posts in games.values() {
            moves.read_game(posts, faults);
        }
        moves
    }

    fn read_game(&mut self, posts: &[&PostedMove], faults: &FaultLog) {
        let played: BTreeMap<usize, &str> = posts
            .iter()
            .filter(|posted| posted.outcome == MoveOutcome::Played)
            .map(|posted| (posted.ply, posted.uci.as_str()))
            .collect();
        let mut turns: BTreeMap<usize, Vec<&PostedMove>> = BTreeMap::new();
        let mut silent_since: Option<Millis> = None;
        for &posted in posts {
            self.sent += 1;
            self.met += usize::from(posted.fault.is_some());
            self.late += usize::from(posted.outcome == MoveOutcome::Late);
            if let Some(since) = silent_since
                && posted.at - since < SILENCE
                && !faults.was_reborn_in(since, posted.at)
            {
                self.hasty
                    .push(say(posted, &format!("{} after a 429", posted.at - since)));
            }
            if is_too_many(posted) {
                silent_since = posted.finished_at.or(silent_since);
            }
            let turn = turns.entry(turn_of(posted, &played)).or_default();
            self.read_try(turn, posted, faults);
            turn.push(posted);
        }
        for (ply, turn) in &turns {
            let tries = most_in_one_life(turn, faults);
            if let Some(first) = turn.first().filter(|_| tries > MOST_TRIES) {
                self.many.push(format!("{} ply {ply}: {tries} times", first.game));
            }
        }
    }

    /// One more request for a turn, after these.
    fn read_try(&mut self, before: &[&PostedMove], posted: &PostedMove, faults: &FaultLog) {
        // The answer to the move of the turn before may still be on its way: the stream has shown the move, and the game goes on.
        let is_served = |other: &&PostedMove| other.finished_at.is_none_or(|over| over > posted.at);
        if posted.overlaps && before.iter().any(is_served) {
            self.crossed.push(say(posted, "another was under way"));
        }
        let copy = before.iter().find(|first| first.outcome == MoveOutcome::Played);
        if let Some(first) = copy.filter(|first| first.uci == posted.uci) {
            if is_excused(first, posted, faults) {
                self.forced_repeats += 1;
            } else {
                self.own_repeats.push(say(posted, "it was played already"));
            }
            return;
        }
        if let Some(other) = before.last().filter(|other| other.uci != posted.uci) {
            // A restarted bot searches again, and may if nothing was played.
            let may = copy.is_none() && faults.was_reborn_in(other.at, posted.at);
            if !may {
                self.changed.push(say(posted, &format!("after {}", other.uci)));
            }
        }
        if let MoveOutcome::Refused(why) = &posted.outcome {
            self.illegal.push(say(posted, why));
        }
    }
}

fn say(posted: &PostedMove, what: &str) -> String {
    format!("{} ply {}: {}, {what}", posted.game, posted.ply, posted.uci)
}

/// For which half move a request was meant: a copy may come when the move was played and even answered.
fn turn_of(posted: &PostedMove, played: &BTreeMap<usize, &str>) -> usize {
    let at = |back: usize| posted.ply.checked_sub(back).and_then(|ply| played.get(&ply));
    if at(1).is_some() {
        return posted.ply - 1;
    }
    // A move is never legal again a turn later: its origin is empty.
    match at(2) {
        Some(uci) if *uci == posted.uci => posted.ply - 2,
        _ => posted.ply,
    }
}

/// Whether the bot could not know that a move was played when it sent it again: a fault hit this request or its stream
/// between the two.
fn is_excused(first: &PostedMove, again: &PostedMove, faults: &FaultLog) -> bool {
    let (least, most) = PATIENCE;
    let patience = first
        .clock
        .map_or(most, |clock| clock.scaled(0.25).clamp(least, most));
    let was_held = matches!(&first.fault, Some(FaultKind::Delay { by }) if *by + WAY >= patience);
    was_held
        || faults.broke_in(first.at - WAY, again.at)
        || faults.hit_stream_of(&first.game, first.at, again.at)
        || faults.stood_still_in(first.at - most, again.at, patience - WAY)
}

fn is_too_many(posted: &PostedMove) -> bool {
    matches!(&posted.fault, Some(FaultKind::Answer { status: 429, .. }))
}

/// The most requests of a turn between which the daemon was not killed.
fn most_in_one_life(turn: &[&PostedMove], faults: &FaultLog) -> usize {
    let mut most = 0;
    let mut tries = 0;
    let mut last: Option<Millis> = None;
    for posted in turn {
        if last.is_some_and(|last| faults.was_reborn_in(last, posted.at)) {
            tries = 0;
        }
        tries += 1;
        most = most.max(tries);
        last = Some(posted.at);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::SandboxServer;
    use sparring_lichess::{
        Client, Token,
        model::{ChallengeColor, ChallengeRequest},
    };
    use sparring_sandbox::{Fault, InjectedFault, Sandbox};

    fn secs(secs: u64) -> Millis {
        Millis::from_secs(secs)
    }

    fn posted(at: Millis, ply: usize, uci: &str, outcome: MoveOutcome) -> PostedMove {
        PostedMove {
            game: "abcd1234".parse().unwrap(),
            uci: uci.into(),
            at,
            finished_at: Some(at + Millis(5)),
            overlaps: false,
            ply,
            clock: Some(secs(20)),
            fault: None,
            outcome,
        }
    }

    fn refused(why: &str) -> MoveOutcome {
        MoveOutcome::Refused(why.into())
    }

    fn out_of_turn() -> MoveOutcome {
        refused("Not your turn, or game already over")
    }

    fn answer(status: u16) -> Option<FaultKind> {
        Some(FaultKind::Answer {
            status,
            body: String::new(),
            content_type: String::new(),
            retry_after: None,
        })
    }

    fn breaking(from: Millis, to: Millis) -> FaultLog {
        FaultLog {
            outages: vec![(from, to)],
            ..FaultLog::default()
        }
    }

    fn killed(from: Millis, to: Millis) -> FaultLog {
        FaultLog {
            kills: vec![(from, to)],
            ..breaking(from, to)
        }
    }

    /// Played at 10 s, and sent again three seconds later.
    fn twice() -> Vec<PostedMove> {
        vec![
            posted(secs(10), 0, "e2e4", MoveOutcome::Played),
            posted(secs(13), 1, "e2e4", out_of_turn()),
        ]
    }

    fn repeats(posted_moves: &[PostedMove], faults: &FaultLog) -> (usize, usize) {
        let moves = Moves::read(posted_moves, faults);
        (moves.forced_repeats, moves.own_repeats.len())
    }

    #[test]
    fn a_repeat_is_excused_only_by_what_fell_between_the_two() {
        assert_eq!(repeats(&twice(), &FaultLog::default()), (0, 1));
        assert_eq!(repeats(&twice(), &breaking(secs(11), secs(12))), (1, 0));
        let over_before = breaking(secs(7), secs(9));
        assert_eq!(repeats(&twice(), &over_before), (0, 1), "what was over before");
        assert_eq!(
            repeats(&twice(), &breaking(secs(14), secs(15))),
            (0, 1),
            "what came after"
        );
    }

    #[test]
    fn a_repeat_is_excused_only_by_what_befell_its_own_game() {
        let injected = |about: &str| FaultLog {
            injected: vec![InjectedFault {
                about: about.into(),
                at: secs(11),
                cost: Millis::ZERO,
            }],
            ..FaultLog::default()
        };
        assert_eq!(repeats(&twice(), &injected("abcd1234")), (1, 0));
        assert_eq!(
            repeats(&twice(), &injected("GET /api/bot/game/stream/abcd1234")),
            (1, 0)
        );
        assert_eq!(repeats(&twice(), &injected("efgh5678")), (0, 1));
        assert_eq!(
            repeats(&twice(), &injected("POST /api/bot/game/abcd1234/chat")),
            (0, 1)
        );
    }

    #[test]
    fn a_move_whose_answer_alone_was_lost_must_not_be_sent_again_but_one_that_was_held_may() {
        let mut posted_moves = twice();
        posted_moves[0].fault = Some(FaultKind::LoseAnswer { after: Millis(100) });
        assert_eq!(
            repeats(&posted_moves, &FaultLog::default()),
            (0, 1),
            "the stream shows it"
        );
        posted_moves[0].fault = Some(FaultKind::Delay { by: Millis(300) });
        assert_eq!(
            repeats(&posted_moves, &FaultLog::default()),
            (0, 1),
            "its sender waits longer"
        );
        posted_moves[0].clock = Some(secs(2));
        assert_eq!(repeats(&posted_moves, &FaultLog::default()), (1, 0));
        let still = |span| FaultLog {
            stalls: vec![(secs(9), secs(9) + span)],
            ..FaultLog::default()
        };
        assert_eq!(repeats(&twice(), &still(Millis(60))), (0, 1));
        assert_eq!(repeats(&twice(), &still(secs(5))), (1, 0));
    }

    #[test]
    fn a_copy_that_comes_a_turn_late_is_a_repeat_and_nothing_else() {
        let posted_moves = [
            posted(secs(1), 0, "d2d4", MoveOutcome::Played),
            posted(secs(2), 2, "d2d4", refused("Piece on d2 cannot move to d4")),
            posted(secs(3), 2, "b1c3", MoveOutcome::Played),
        ];
        let moves = Moves::read(&posted_moves, &FaultLog::default());
        assert_eq!((moves.illegal.len(), moves.changed.len()), (0, 0));
        assert_eq!((moves.own_repeats.len(), moves.forced_repeats), (1, 0));
        assert_eq!(repeats(&posted_moves, &breaking(secs(1), secs(2))), (1, 0));
    }

    #[test]
    fn moves_are_told_apart_by_why_they_were_refused() {
        let posted_moves = [
            posted(secs(1), 0, "e2e4", MoveOutcome::Played),
            posted(secs(50), 2, "g1f3", refused("Piece on g1 cannot move to f3")),
            posted(secs(51), 2, "d2d4", MoveOutcome::Played),
            posted(secs(60), 3, "c2c4", out_of_turn()),
            posted(secs(70), 4, "c2c4", MoveOutcome::Late),
        ];
        let moves = Moves::read(&posted_moves, &FaultLog::default());
        assert_eq!(moves.illegal.len(), 2, "{moves:?}");
        assert_eq!(moves.changed.len(), 2, "{moves:?}");
        assert_eq!((moves.late, moves.own_repeats.len()), (1, 0));
    }

    #[test]
    fn another_move_may_follow_one_that_was_never_played_only_in_another_life() {
        let mut posted_moves = [
            posted(secs(1), 0, "e2e4", MoveOutcome::NotDelivered),
            posted(secs(4), 0, "d2d4", MoveOutcome::Played),
        ];
        posted_moves[0].fault = answer(503);
        assert_eq!(Moves::read(&posted_moves, &FaultLog::default()).changed.len(), 1);
        let faults = killed(secs(2), secs(3));
        assert!(Moves::read(&posted_moves, &faults).changed.is_empty());
        assert_eq!(
            Moves::read(&posted_moves, &breaking(secs(2), secs(3)))
                .changed
                .len(),
            1,
            "who only lost the way remembers"
        );
    }

    #[test]
    fn a_second_request_at_once_is_seen_whatever_the_first_met() {
        let mut posted_moves = [
            posted(secs(1), 0, "e2e4", MoveOutcome::NotDelivered),
            posted(secs(1), 0, "e2e4", MoveOutcome::Played),
        ];
        posted_moves[0].fault = answer(502);
        assert!(
            Moves::read(&posted_moves, &FaultLog::default())
                .crossed
                .is_empty()
        );
        posted_moves[1].overlaps = true;
        assert_eq!(Moves::read(&posted_moves, &FaultLog::default()).crossed.len(), 1);
    }

    #[test]
    fn a_move_that_overtakes_the_answer_to_the_one_before_is_none() {
        let mut posted_moves = [
            posted(secs(1), 0, "e2e4", MoveOutcome::Played),
            posted(secs(2), 2, "d2d4", MoveOutcome::Played),
        ];
        posted_moves[0].finished_at = Some(secs(5));
        posted_moves[1].overlaps = true;
        assert!(
            Moves::read(&posted_moves, &FaultLog::default())
                .crossed
                .is_empty()
        );
    }

    #[test]
    fn a_second_is_kept_after_too_many_requests_by_whoever_was_told() {
        let sent = |at| {
            let mut first = posted(secs(1), 0, "e2e4", MoveOutcome::NotDelivered);
            first.fault = answer(429);
            [first, posted(at, 0, "e2e4", MoveOutcome::Played)]
        };
        let hasty = |at, faults: &FaultLog| Moves::read(&sent(at), faults).hasty.len();
        assert_eq!(hasty(Millis(2004), &FaultLog::default()), 1);
        assert_eq!(hasty(Millis(2005), &FaultLog::default()), 0);
        let reborn = killed(Millis(1500), Millis(1900));
        assert_eq!(hasty(Millis(1950), &reborn), 0);
    }

    #[test]
    fn nobody_may_try_a_half_move_more_often_than_the_pauses_allow() {
        let tries = |count: usize, faults: &FaultLog| {
            let mut posted_moves = Vec::new();
            for number in 0..count {
                let mut posted = posted(secs(number as u64), 0, "e2e4", MoveOutcome::NotDelivered);
                posted.fault = answer(503);
                posted_moves.push(posted);
            }
            Moves::read(&posted_moves, faults).many.len()
        };
        assert_eq!(tries(MOST_TRIES, &FaultLog::default()), 0);
        assert_eq!(tries(MOST_TRIES + 1, &FaultLog::default()), 1);
        assert_eq!(tries(MOST_TRIES + 1, &killed(secs(3), secs(4))), 0);
    }
    fn failing(sandbox: &Sandbox, what: FaultKind) {
        sandbox.arm(Fault {
            on: "POST /api/bot/game/".into(),
            skip: 0,
            times: 1,
            what,
        });
    }

    #[tokio::test]
    async fn every_request_of_the_bot_for_a_move_is_noted_whatever_meets_it() {
        let sandbox_server = SandboxServer::new(1).await.unwrap();
        let client =
            |token: &str| Client::new(&sandbox_server.address(), Token::parse(token).unwrap(), 0).unwrap();
        let bot = client(&sandbox_server.token);
        let ana = client(&sandbox_server.sandbox.add_human("ana").unwrap()).board_api();
        let invitation = ChallengeRequest {
            clock: Some((secs(60), Millis::ZERO)),
            color: ChallengeColor::White,
            ..ChallengeRequest::default()
        };
        let game = ana
            .create_challenge(&"sparring".parse().unwrap(), &invitation)
            .await
            .unwrap()
            .id;
        bot.accept(&game).await.unwrap();
        sandbox_server.sandbox.audit_moves();
        ana.play(&game, "e2e4", false, secs(10)).await.unwrap();
        let lost = FaultKind::LoseAnswer { after: Millis(1) };
        let held = FaultKind::Delay { by: secs(60) };
        for what in [answer(503).unwrap(), held, lost] {
            failing(&sandbox_server.sandbox, what);
            // Each in its turn is given up or fails, so the next may come; its patience ends the second.
            bot.play(&game, "e7e5", false, Millis(300)).await.unwrap_err();
        }
        bot.play(&game, "e7e5", false, secs(10)).await.unwrap_err();
        let mut noted = sandbox_server.sandbox.take_posted_moves();
        let fates: Vec<MoveOutcome> = noted.iter().map(|posted| posted.outcome.clone()).collect();
        assert_eq!(
            fates,
            [
                MoveOutcome::NotDelivered,
                MoveOutcome::NotDelivered,
                MoveOutcome::Played,
                out_of_turn()
            ]
        );
        let met: Vec<bool> = noted.iter().map(|posted| posted.fault.is_some()).collect();
        assert_eq!(met, [true, true, true, false]);
        assert!(
            noted.iter().all(|posted| posted.finished_at.is_some()),
            "{noted:?}"
        );
        let plies: Vec<usize> = noted.iter().map(|posted| posted.ply).collect();
        assert_eq!(plies, [1, 1, 1, 2]);
        noted.truncate(3);
        assert_eq!(
            repeats(&noted, &FaultLog::default()),
            (0, 0),
            "none of them had been played"
        );
    }
}
