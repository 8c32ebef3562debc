//! What a personality asks of its books: one answer for games, for UCI and for those who explain it.

use super::{Personality, strength::knobs_of};
use sparring_book::BookQuery;
use sparring_chess::units::Elo;

/// The level that books are asked with where none is set: above all that people reach.
const FULL_STRENGTH: u32 = 3500;

/// A wish as a personality has it: for its level, as far into the game as that stays in theory, drawn to its taste.
///
/// `asked` is a level that replaces the profile's own strength. Books, game, speed and seed stay as they are.
#[must_use]
pub fn in_manner<'a>(profile: &Personality, asked: Option<Elo>, wish: BookQuery<'a>) -> BookQuery<'a> {
    let level = asked.or(profile.level).map_or(FULL_STRENGTH, |level| level.0);
    BookQuery {
        level: Some(level),
        taste: profile.book_taste,
        plies: knobs_of(profile, asked, true).book_plies,
        ..wish
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_book::SelectionPolicy;
    use sparring_chess::{GameHistory, Variant};

    fn wish_of(profile: &Personality, asked: Option<Elo>) -> (Option<u32>, SelectionPolicy, Option<u32>) {
        let line = GameHistory::new(Variant::Standard);
        let wish = in_manner(profile, asked, BookQuery::new(&[], &line, 1));
        (wish.level, wish.taste, wish.plies)
    }

    #[test]
    fn weak_levels_leave_the_book_early_and_full_strength_never() {
        let mut profile = Personality::new("x");
        assert_eq!(
            wish_of(&profile, None),
            (Some(FULL_STRENGTH), SelectionPolicy::ByWeight, None)
        );
        profile.level = Some(Elo(600));
        profile.book_taste = SelectionPolicy::Flat;
        assert_eq!(
            wish_of(&profile, None),
            (Some(600), SelectionPolicy::Flat, Some(4))
        );
        let (level, _, plies) = wish_of(&profile, Some(Elo(1000)));
        assert!(level == Some(1000) && plies > Some(4));
        profile.book_plies = Some(30);
        assert_eq!(wish_of(&profile, None).2, Some(30), "set by hand");
    }
}
