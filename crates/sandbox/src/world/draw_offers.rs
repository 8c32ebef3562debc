//! Draw and takeback offers: open ones, who may offer again, and when they lapse.

use sparring_chess::{ByColor, Color, units::Millis};

/// Half moves before a side may offer a draw again.
const DRAW_PAUSE: usize = 20;

/// The pause after the first declined takeback; the n-th costs n * n times this.
const TAKEBACK_PAUSE: Millis = Millis(10_000);

/// Effect of a "yes".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfferAccepted {
    /// An offer now stands.
    Offered,
    /// The other side's offer is accepted.
    Accepted,
    /// It may not be offered now; lichess ignores it.
    Ignored,
}

/// Effect of a "no".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfferDeclined {
    /// The other side's offer is declined.
    Declined,
    /// The own offer is taken back.
    Withdrawn,
    /// Nothing was offered.
    Ignored,
}

/// Which of the other side's offers a move has declined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfferLapsed {
    /// A draw.
    pub draw: bool,
    /// A takeback.
    pub takeback: bool,
}

/// The offers of one game.
#[derive(Debug, Clone, Default)]
pub struct DrawOffers {
    draw: ByColor<bool>,
    /// The half move at which each side last offered a draw.
    draw_offered_at: ByColor<Option<usize>>,
    takeback: ByColor<bool>,
    /// How many takebacks each side was refused, and when the last time.
    refused: ByColor<(u64, Millis)>,
}

impl DrawOffers {
    /// Whether a side's draw offer stands.
    #[must_use]
    pub fn draw(&self, color: Color) -> bool {
        *self.draw.get(color)
    }

    /// Whether a side's takeback proposal stands.
    #[must_use]
    pub fn takeback(&self, color: Color) -> bool {
        *self.takeback.get(color)
    }

    /// A side offers a draw, or accepts the other's offer, after so many half moves.
    pub fn offer_draw(&mut self, color: Color, plies: usize) -> OfferAccepted {
        if self.draw(!color) {
            return OfferAccepted::Accepted;
        }
        let too_soon = self
            .draw_offered_at
            .get(color)
            .is_some_and(|at| plies < at + DRAW_PAUSE);
        if plies < 2 || too_soon || self.draw(color) {
            return OfferAccepted::Ignored;
        }
        *self.draw.get_mut(color) = true;
        *self.draw_offered_at.get_mut(color) = Some(plies);
        OfferAccepted::Offered
    }

    /// A side declines the other's draw offer, or takes its own back.
    pub fn decline_draw(&mut self, color: Color) -> OfferDeclined {
        answer_no(&mut self.draw, color)
    }

    /// A side proposes a takeback, or accepts the opponent's.
    pub fn offer_takeback(&mut self, color: Color, now: Millis) -> OfferAccepted {
        if self.takeback(!color) {
            return OfferAccepted::Accepted;
        }
        let (times, last) = *self.refused.get(color);
        let pause = Millis(TAKEBACK_PAUSE.0.saturating_mul(times.saturating_mul(times)));
        if self.takeback(color) || (times > 0 && now < last + pause) {
            return OfferAccepted::Ignored;
        }
        *self.takeback.get_mut(color) = true;
        OfferAccepted::Offered
    }

    /// A side declines the opponent's takeback, or withdraws its own.
    pub fn decline_takeback(&mut self, color: Color, now: Millis) -> OfferDeclined {
        let answer = answer_no(&mut self.takeback, color);
        if answer == OfferDeclined::Declined {
            let refused = self.refused.get_mut(!color);
            *refused = (refused.0 + 1, now);
        }
        answer
    }

    /// A side has moved: the other side's offers are declined, its own stay.
    pub fn moved(&mut self, mover: Color, now: Millis) -> OfferLapsed {
        let draw = std::mem::take(self.draw.get_mut(!mover));
        let takeback = self.takeback(!mover) && self.decline_takeback(mover, now) == OfferDeclined::Declined;
        OfferLapsed { draw, takeback }
    }

    /// The game is over: nothing is on offer any more.
    pub fn clear(&mut self) {
        self.draw = ByColor::default();
        self.takeback = ByColor::default();
    }

    /// Moves were taken back: nothing stands any more, and pauses count from the new, shorter game.
    pub fn rewound(&mut self, plies: usize) {
        self.clear();
        for at in self.draw_offered_at.iter_mut().flatten() {
            *at = (*at).min(plies);
        }
    }
}

fn answer_no(offers: &mut ByColor<bool>, color: Color) -> OfferDeclined {
    if std::mem::take(offers.get_mut(!color)) {
        OfferDeclined::Declined
    } else if std::mem::take(offers.get_mut(color)) {
        OfferDeclined::Withdrawn
    } else {
        OfferDeclined::Ignored
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    #[test]
    fn nobody_offers_a_draw_before_both_have_moved() {
        let mut offers = DrawOffers::default();
        assert_eq!(offers.offer_draw(White, 1), OfferAccepted::Ignored);
        assert_eq!(offers.offer_draw(White, 2), OfferAccepted::Offered);
    }

    #[test]
    fn two_offers_make_an_agreement() {
        let mut offers = DrawOffers::default();
        offers.offer_draw(White, 10);
        assert_eq!(offers.offer_draw(Black, 10), OfferAccepted::Accepted);
    }

    #[test]
    fn a_declined_draw_may_be_offered_again_after_twenty_half_moves() {
        let mut offers = DrawOffers::default();
        offers.offer_draw(White, 10);
        assert_eq!(offers.decline_draw(Black), OfferDeclined::Declined);
        assert_eq!(offers.offer_draw(White, 29), OfferAccepted::Ignored);
        assert_eq!(offers.offer_draw(White, 30), OfferAccepted::Offered);
        assert_eq!(offers.decline_draw(White), OfferDeclined::Withdrawn);
        assert_eq!(offers.decline_draw(White), OfferDeclined::Ignored);
    }

    #[test]
    fn a_move_declines_the_others_offers_and_keeps_the_own() {
        let mut offers = DrawOffers::default();
        offers.offer_draw(White, 10);
        let nothing = OfferLapsed {
            draw: false,
            takeback: false,
        };
        assert_eq!(offers.moved(White, Millis::ZERO), nothing);
        assert!(offers.draw(White));
        assert!(offers.moved(Black, Millis::ZERO).draw);
        assert!(!offers.draw(White));
    }

    #[test]
    fn each_refused_takeback_makes_the_next_one_wait_longer() {
        let mut offers = DrawOffers::default();
        for (asked, answer) in [
            (0, OfferAccepted::Offered),
            (9_999, OfferAccepted::Ignored),
            (10_000, OfferAccepted::Offered),
            (49_999, OfferAccepted::Ignored),
            (50_000, OfferAccepted::Offered),
        ] {
            assert_eq!(offers.offer_takeback(White, Millis(asked)), answer, "at {asked}");
            if answer == OfferAccepted::Offered {
                assert_eq!(
                    offers.decline_takeback(Black, Millis(asked)),
                    OfferDeclined::Declined
                );
            }
        }
    }
}
