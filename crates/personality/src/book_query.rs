//! Translates a personality into a book query.

use super::{Personality, strength::level_params};
use sparring_book::BookQuery;
use sparring_chess::{Variant, units::Elo};

/// Level of book queries at full strength: above all human ratings.
const FULL_STRENGTH: u32 = 3500;

/// Completes a book query for a personality: its level, its limit on half moves, and its selection policy.
///
/// `requested` is a level that replaces the profile's own strength. Books, game, speed and seed stay as they are.
#[must_use]
pub fn book_query<'a>(profile: &Personality, requested: Option<Elo>, query: BookQuery<'a>) -> BookQuery<'a> {
    let level = requested.or(profile.level).map_or(FULL_STRENGTH, |level| level.0);
    BookQuery {
        level: Some(level),
        policy: profile.book_selection,
        plies: level_params(profile, requested, Variant::Standard).book_plies,
        ..query
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_book::SelectionPolicy;
    use sparring_chess::GameHistory;

    fn query_of(
        profile: &Personality,
        requested: Option<Elo>,
    ) -> (Option<u32>, SelectionPolicy, Option<u32>) {
        let line = GameHistory::new(Variant::Standard);
        let query = book_query(profile, requested, BookQuery::new(&[], &line, 1));
        (query.level, query.policy, query.plies)
    }

    #[test]
    fn weak_levels_leave_the_book_early_and_full_strength_never() {
        let mut profile = Personality::new("x");
        assert_eq!(
            query_of(&profile, None),
            (Some(FULL_STRENGTH), SelectionPolicy::ByWeight, None)
        );
        profile.level = Some(Elo(600));
        profile.book_selection = SelectionPolicy::Flat;
        assert_eq!(
            query_of(&profile, None),
            (Some(600), SelectionPolicy::Flat, Some(4))
        );
        let (level, _, plies) = query_of(&profile, Some(Elo(1000)));
        assert!(level == Some(1000) && plies > Some(4));
        profile.book_plies = Some(30);
        assert_eq!(query_of(&profile, None).2, Some(30), "set by hand");
    }
}
