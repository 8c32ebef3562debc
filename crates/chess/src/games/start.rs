//! Start position and variant of a game, from its tags.

use super::{
    super::{GameHistory, Variant, parse_fen},
    RecordedGame,
};
use sparring_diagnostics::did_you_mean;

/// Names of other programs and servers, in small letters without blanks: xboard, ICC, FICS, chess.com, ChessBase.
const NAMES: [(&str, Variant); 42] = [
    ("normal", Variant::Standard),
    ("chess", Variant::Standard),
    ("regular", Variant::Standard),
    ("classical", Variant::Standard),
    ("classic", Variant::Standard),
    ("orthodox", Variant::Standard),
    ("orthodoxchess", Variant::Standard),
    ("standardchess", Variant::Standard),
    ("fischerandom", Variant::Chess960),
    ("fischerrandom", Variant::Chess960),
    ("fischerandomchess", Variant::Chess960),
    ("fischerrandomchess", Variant::Chess960),
    ("frc", Variant::Chess960),
    ("freestyle", Variant::Chess960),
    ("freestylechess", Variant::Chess960),
    ("chess9lx", Variant::Chess960),
    ("960", Variant::Chess960),
    ("c960", Variant::Chess960),
    ("wild/fr", Variant::Chess960),
    ("wild/22", Variant::Chess960),
    ("setup", Variant::FromPosition),
    ("fen", Variant::FromPosition),
    ("kingofthehillchess", Variant::KingOfTheHill),
    ("hill", Variant::KingOfTheHill),
    ("3check", Variant::ThreeCheck),
    ("3checks", Variant::ThreeCheck),
    ("threechecks", Variant::ThreeCheck),
    ("threecheckchess", Variant::ThreeCheck),
    ("wild/25", Variant::ThreeCheck),
    ("giveaway", Variant::Antichess),
    ("giveawaychess", Variant::Antichess),
    ("wild/26", Variant::Antichess),
    ("atomicchess", Variant::Atomic),
    ("wild/27", Variant::Atomic),
    ("hordechess", Variant::Horde),
    ("racingkingschess", Variant::RacingKings),
    ("race", Variant::RacingKings),
    ("racing", Variant::RacingKings),
    ("zh", Variant::Crazyhouse),
    ("crazyhousechess", Variant::Crazyhouse),
    ("house", Variant::Crazyhouse),
    ("wild/23", Variant::Crazyhouse),
];

/// An invalid start position: the tag that gives it, and what is wrong with it.
pub(super) struct BadStart {
    pub tag: &'static str,
    pub message: String,
}

/// The position before the first move.
pub(super) fn start(game: &RecordedGame) -> Result<GameHistory, BadStart> {
    let variant = match game.tag("Variant") {
        None => Variant::Standard,
        Some(name) => variant_named(name).ok_or_else(|| BadStart {
            tag: "Variant",
            message: format!(
                "\"{}\" is not a variant that lichess plays{}",
                shortened(name),
                did_you_mean(name, Variant::ALL.map(Variant::name))
            ),
        })?,
    };
    match game.tag("FEN") {
        None => Ok(GameHistory::new(variant)),
        Some(fen) => parse_fen(variant, &shortened(fen))
            .map(|start| GameHistory::from_position(variant, start))
            .map_err(|error| BadStart {
                tag: "FEN",
                message: error.to_string(),
            }),
    }
}

/// No FEN and no name of a variant is as long; what is longer is quoted in part.
fn shortened(value: &str) -> String {
    const LONGEST: usize = 200;
    match value.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", value.get(..end).unwrap_or_default()),
        None => value.to_owned(),
    }
}

/// A variant by what PGN files call it, in any case, with or without blanks and hyphens.
fn variant_named(name: &str) -> Option<Variant> {
    Variant::named(name).or_else(|| {
        let wanted = name.to_lowercase().replace([' ', '-', '_', '\''], "");
        let mut names = NAMES.into_iter();
        names
            .find(|(name, _)| *name == wanted)
            .map(|(_, variant)| variant)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_recognised_by_names_of_other_programs() {
        for (name, variant) in [
            ("Standard", Variant::Standard),
            ("normal", Variant::Standard),
            ("Chess", Variant::Standard),
            ("Chess960", Variant::Chess960),
            ("chess 960", Variant::Chess960),
            ("fischerandom", Variant::Chess960),
            ("Fischerrandom", Variant::Chess960),
            ("fischer random", Variant::Chess960),
            ("Fischer-Random", Variant::Chess960),
            ("freestyle", Variant::Chess960),
            ("wild/fr", Variant::Chess960),
            ("From Position", Variant::FromPosition),
            ("koth", Variant::KingOfTheHill),
            ("kingofthehill", Variant::KingOfTheHill),
            ("3check", Variant::ThreeCheck),
            ("3-check", Variant::ThreeCheck),
            ("Three-check", Variant::ThreeCheck),
            ("giveaway", Variant::Antichess),
            ("racing kings", Variant::RacingKings),
            ("Crazyhouse", Variant::Crazyhouse),
        ] {
            assert_eq!(variant_named(name), Some(variant), "{name}");
        }
        for name in ["bughouse", "losers", "suicide", "wild/5", "Chessopoly", "?"] {
            assert_eq!(variant_named(name), None, "{name}");
        }
    }
}
