//! `adapt`: how the level follows the opponent.

use sparring_config_schema::{Choice, Section};

/// How the level of casual games follows the opponent. Rated games keep one level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Adapt {
    /// Fixed level.
    #[default]
    Off,
    /// From game to game, by the results of the day.
    Rematches,
    /// From move to move, by the score of the game.
    WithinGame,
}

const WITHIN_GAME: &str = "within-game";

/// Lets `adapt = "coach"` count under its new name. Comes before `adapt` is declared.
pub(super) fn rename_coach(section: &mut Section<'_>) {
    section.renamed_value("adapt", "coach", WITHIN_GAME);
}

impl Adapt {
    pub(super) const FORM: Choice<Self> = Choice(&[
        ("off", Self::Off),
        ("rematches", Self::Rematches),
        (WITHIN_GAME, Self::WithinGame),
    ]);

    pub(super) const DOC: &str = "In casual games a level may follow the opponent: \"rematches\" makes it 30 higher for each game of the day \
        that they are ahead and 30 lower for each that they are behind, up to 200; \"within-game\" plays the better the worse it stands. They are told.";
}
