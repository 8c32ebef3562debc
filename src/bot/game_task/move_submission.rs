//! Move submission: the state machine of one move POST. No IO; time is an argument.
//!
//! A move is played when the stream shows it, whatever the answer to the POST was. Until then only the same move is sent
//! again, and never while a POST is in flight.

use std::time::Duration;

use tokio::time::Instant;

use crate::bot::moves::selector::Decision;
use sparring_chess::units::Millis;
use sparring_lichess::{CallError, retry::urgent_pause};

/// After a good answer the stream shows the move at once. After so long without it the stream is resynced.
const SHOWN_WITHIN: Duration = Duration::from_secs(2);
/// The longest wait for an answer.
const LONGEST_WAIT: Millis = Millis::from_secs(5);
/// The shortest wait for an answer, however low the clock.
const SHORTEST_WAIT: Millis = Millis(250);
/// The first pause before a retry, from the second resync on that shows the move unplayed.
const FIRST_PAUSE: Millis = Millis(100);
/// The longest such pause.
const LONGEST_PAUSE: Millis = Millis::from_secs(2);
/// A rejection may be temporary: the move is not retried before this time, if the clock allows.
const AFTER_REJECTION: Millis = Millis::from_secs(1);
/// How often the server may reject a move that its own stream allows.
const MOST_REJECTIONS: u32 = 2;

/// A move being submitted.
#[derive(Debug)]
pub(super) struct MoveSubmission {
    /// The decision.
    pub(super) decision: Decision,
    /// Its ply.
    pub(super) ply: usize,
    stage: Stage,
    resyncs: u32,
    limits: u32,
    rejections: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// A POST is in flight.
    Sending,
    /// Accepted; the stream has until then to show it.
    Trusting(Instant),
    /// Unknown; the stream is being resynced.
    Looking,
    /// Not played; retried then.
    Pausing(Instant),
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextAction {
    /// Nothing.
    Wait,
    /// Send the move.
    Send,
    /// Resync the stream to see what was played.
    Resync,
    /// The server and we disagree about the game.
    GiveUp,
}

impl MoveSubmission {
    /// A move that is being sent for the first time.
    pub(super) fn new(decision: Decision, ply: usize) -> Self {
        Self {
            decision,
            ply,
            stage: Stage::Sending,
            resyncs: 0,
            limits: 0,
            rejections: 0,
        }
    }

    /// How long to wait for the answer to a request for a move, with so much left on the clock.
    pub(super) fn patience(left: Option<Millis>) -> Millis {
        left.map_or(LONGEST_WAIT, |left| {
            left.scaled(0.25).clamp(SHORTEST_WAIT, LONGEST_WAIT)
        })
    }

    /// The request was answered, or not in time.
    pub(super) fn answered(
        &mut self,
        answer: &Result<(), CallError>,
        now: Instant,
        left: Option<Millis>,
    ) -> NextAction {
        self.stage = match answer {
            Ok(()) => Stage::Trusting(now + SHOWN_WITHIN),
            Err(CallError::RateLimited { after, .. }) => {
                let pause = urgent_pause(self.limits, Some(*after), left);
                self.limits += 1;
                Stage::Pausing(now + pause.into())
            }
            Err(CallError::Rejected { .. }) => {
                self.rejections += 1;
                Stage::Looking
            }
            Err(CallError::Transient { .. } | CallError::Unauthorized { .. }) => Stage::Looking,
        };
        match self.stage {
            Stage::Looking => NextAction::Resync,
            _ => NextAction::Wait,
        }
    }

    /// The whole game has come on a fresh stream, and the move is not in it: it is still my turn.
    pub(super) fn not_played(&mut self, now: Instant, left: Option<Millis>) -> NextAction {
        match self.stage {
            Stage::Looking => {}
            // The stream may have been opened before the move was played, and read after the answer: only one that is
            // opened now proves anything.
            Stage::Trusting(_) => {
                self.stage = Stage::Looking;
                return NextAction::Resync;
            }
            // A request under way will have its answer; a move that waits for its time knew already.
            Stage::Sending | Stage::Pausing(_) => return NextAction::Wait,
        }
        if self.rejections >= MOST_REJECTIONS {
            return NextAction::GiveUp;
        }
        let pause = match self.resyncs {
            _ if self.rejections > 0 => AFTER_REJECTION,
            0 => Millis::ZERO,
            resyncs => Millis(FIRST_PAUSE.0 << (resyncs - 1).min(8)).min(LONGEST_PAUSE),
        };
        self.resyncs += 1;
        let pause = left.map_or(pause, |left| pause.min(left.scaled(0.1)));
        self.stage = Stage::Pausing(now + pause.into());
        self.due(now)
    }

    /// Time has passed.
    pub(super) fn due(&mut self, now: Instant) -> NextAction {
        match self.stage {
            Stage::Trusting(until) if now >= until => {
                self.stage = Stage::Looking;
                NextAction::Resync
            }
            Stage::Pausing(until) if now >= until => {
                self.stage = Stage::Sending;
                NextAction::Send
            }
            _ => NextAction::Wait,
        }
    }

    /// When [`due`](Self::due) will have something to do.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        match self.stage {
            Stage::Trusting(until) | Stage::Pausing(until) => Some(until),
            Stage::Sending | Stage::Looking => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Rules as _, Variant};

    fn delivery() -> MoveSubmission {
        let mv = Variant::Standard.start().legal_moves()[0];
        MoveSubmission::new(Decision::play(mv, "test"), 0)
    }

    fn lost() -> Result<(), CallError> {
        Err(CallError::Transient {
            call: "move",
            why: "502".into(),
        })
    }

    fn rejected() -> Result<(), CallError> {
        Err(CallError::Rejected {
            call: "move",
            status: 400,
            message: "Not your turn, or game already over".into(),
            ratelimit: None,
        })
    }

    const MINUTE: Option<Millis> = Some(Millis(60_000));

    #[tokio::test]
    async fn f12_an_unsure_move_is_looked_for_before_it_is_sent_again() {
        let (mut delivery, now) = (delivery(), Instant::now());
        assert_eq!(delivery.answered(&lost(), now, MINUTE), NextAction::Resync);
        assert_eq!(
            delivery.due(now + Duration::from_secs(60)),
            NextAction::Wait,
            "not before it was seen"
        );
        assert_eq!(delivery.not_played(now, MINUTE), NextAction::Send);
        // A frame that comes while the request is under way proves nothing.
        assert_eq!(delivery.not_played(now, MINUTE), NextAction::Wait);
    }

    #[tokio::test]
    async fn repeated_failures_do_not_hammer_and_do_not_waste_the_clock() {
        let (mut delivery, now) = (delivery(), Instant::now());
        let mut pauses = Vec::new();
        for _ in 0..8 {
            delivery.answered(&lost(), now, MINUTE);
            if delivery.not_played(now, MINUTE) == NextAction::Wait {
                let at = delivery.next_deadline().unwrap();
                pauses.push((at - now).as_millis());
                assert_eq!(delivery.due(at), NextAction::Send);
            }
        }
        assert_eq!(pauses, [100, 200, 400, 800, 1600, 2000, 2000]);
        delivery.answered(&lost(), now, Some(Millis(1000)));
        delivery.not_played(now, Some(Millis(1000)));
        assert_eq!(delivery.next_deadline(), Some(now + Duration::from_millis(100)));
    }

    #[tokio::test]
    async fn a_good_answer_without_a_trace_is_looked_into() {
        let (mut delivery, now) = (delivery(), Instant::now());
        assert_eq!(delivery.answered(&Ok(()), now, MINUTE), NextAction::Wait);
        assert_eq!(delivery.due(now), NextAction::Wait);
        assert_eq!(delivery.due(now + SHOWN_WITHIN), NextAction::Resync);
    }

    #[tokio::test]
    async fn a_frame_that_may_be_older_than_a_good_answer_is_no_reason_to_send_again() {
        let (mut delivery, now) = (delivery(), Instant::now());
        delivery.answered(&Ok(()), now, MINUTE);
        assert_eq!(delivery.not_played(now, MINUTE), NextAction::Resync);
        assert_eq!(
            delivery.due(now + SHOWN_WITHIN),
            NextAction::Wait,
            "not before it was seen"
        );
        assert_eq!(delivery.not_played(now, MINUTE), NextAction::Send);
    }

    #[tokio::test]
    async fn f10_too_many_requests_is_waited_out_within_the_clock() {
        let (mut delivery, now) = (delivery(), Instant::now());
        let limited = |secs| {
            Err(CallError::RateLimited {
                call: "move",
                after: Millis::from_secs(secs),
                key: None,
            })
        };
        assert_eq!(delivery.answered(&limited(0), now, MINUTE), NextAction::Wait);
        assert_eq!(delivery.next_deadline(), Some(now + Duration::from_secs(1)));
        assert_eq!(delivery.due(now + Duration::from_secs(1)), NextAction::Send);
        delivery.answered(&limited(60), now, MINUTE);
        assert_eq!(
            delivery.next_deadline(),
            Some(now + Duration::from_secs(15)),
            "a quarter of the clock"
        );
    }

    #[tokio::test]
    async fn f16_a_move_refused_twice_is_given_up() {
        let (mut delivery, now) = (delivery(), Instant::now());
        assert_eq!(delivery.answered(&rejected(), now, MINUTE), NextAction::Resync);
        assert_eq!(delivery.not_played(now, MINUTE), NextAction::Wait);
        let later = now + Duration::from_secs(1);
        assert_eq!(delivery.next_deadline(), Some(later), "the server has a moment");
        assert_eq!(delivery.due(later), NextAction::Send);
        assert_eq!(delivery.answered(&rejected(), now, MINUTE), NextAction::Resync);
        assert_eq!(delivery.not_played(now, MINUTE), NextAction::GiveUp);
    }

    #[test]
    fn patience_follows_the_clock() {
        assert_eq!(MoveSubmission::patience(None), Millis::from_secs(5));
        assert_eq!(MoveSubmission::patience(MINUTE), Millis::from_secs(5));
        assert_eq!(
            MoveSubmission::patience(Some(Millis::from_secs(8))),
            Millis::from_secs(2)
        );
        assert_eq!(MoveSubmission::patience(Some(Millis(100))), Millis(250));
    }
}
