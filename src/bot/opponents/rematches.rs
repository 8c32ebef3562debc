//! Rematch chains: how many rematches in a row each game is. No IO; restored from the archive.

use std::collections::{BTreeMap, VecDeque};

use sparring_lichess::model::GameId;

/// How many games are remembered: a rematch is offered within minutes of its game.
const REMEMBERED: usize = 500;

/// The number of consecutive rematches of each game.
#[derive(Debug, Default)]
pub(in crate::bot) struct Rematches {
    /// Consecutive rematches up to a game.
    rows: BTreeMap<GameId, u32>,
    order: VecDeque<GameId>,
}

impl Rematches {
    /// Restores the chains from challenges, oldest first, each with the game of which it was a rematch.
    pub(in crate::bot) fn restore(repeats: &[(GameId, GameId)]) -> Self {
        let mut rematches = Self::default();
        for (id, repeats) in repeats {
            rematches.asked(id, repeats);
        }
        rematches
    }

    /// Records a rematch challenge. Returns its number in the chain, from 1.
    pub(in crate::bot) fn asked(&mut self, id: &GameId, repeats: &GameId) -> u32 {
        let row = self.rows.get(repeats).copied().unwrap_or(0).saturating_add(1);
        if self.rows.insert(id.clone(), row).is_none() {
            self.order.push_back(id.clone());
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.rows.remove(&oldest);
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> GameId {
        format!("game{number:04}").parse().unwrap()
    }

    #[test]
    fn rematches_are_counted_along_the_row_and_not_twice() {
        let mut rematches = Rematches::default();
        assert_eq!(rematches.asked(&id(2), &id(1)), 1);
        assert_eq!(rematches.asked(&id(3), &id(2)), 2);
        assert_eq!(
            rematches.asked(&id(3), &id(2)),
            2,
            "the same challenge comes again"
        );
        assert_eq!(rematches.asked(&id(9), &id(8)), 1, "another row");
    }

    #[test]
    fn a_row_goes_on_after_a_restart() {
        let mut rematches = Rematches::restore(&[(id(2), id(1)), (id(3), id(2))]);
        assert_eq!(rematches.asked(&id(4), &id(3)), 3);
    }

    #[test]
    fn a_crowd_is_not_remembered_for_ever() {
        let mut rematches = Rematches::default();
        for number in 0..REMEMBERED + 10 {
            rematches.asked(&id(number + 1), &id(number));
        }
        assert_eq!(rematches.rows.len(), REMEMBERED);
    }
}
