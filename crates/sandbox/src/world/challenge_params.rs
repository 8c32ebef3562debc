//! Challenge parameters, read from a request by lichess' rules.

use super::{api_error::ApiError, fields::Fields, id_gen::IdGenerator};
use sparring_chess::{GameHistory, Rules as _, Variant, chess960_fen, lichess_fen, parse_fen, units::Millis};
use sparring_lichess::model::{ChallengeColor, Speed, TimeControl};

/// The largest clock: three hours a side.
const LONGEST_LIMIT: u64 = 10_800;

/// The special rules that lichess knows.
const RULES: [&str; 5] = ["noAbort", "noRematch", "noGiveTime", "noClaimWin", "noEarlyDraw"];

/// Parameters of a challenge or seek.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChallengeParams {
    /// What to play.
    pub variant: Variant,
    /// Where it begins, if not at the variant's usual start.
    pub initial_fen: Option<String>,
    /// How fast.
    pub control: TimeControl,
    /// Whether it should be rated.
    pub rated: bool,
    /// The color that the challenger requests.
    pub color: ChallengeColor,
    /// Special rules such as `noAbort`.
    pub rules: Vec<String>,
}

impl ChallengeParams {
    /// Reads the form of `POST /api/challenge/{user}`; Chess960 without a position gets one by lot.
    ///
    /// # Errors
    /// A [`ApiError`] that names the field.
    pub fn read(fields: &Fields, ids: &mut IdGenerator) -> Result<Self, ApiError> {
        let control = read_control(fields)?;
        let (variant, initial_fen) = read_start(fields, ids)?;
        let color = match fields.text("color") {
            None | Some("random") => ChallengeColor::Random,
            Some("white") => ChallengeColor::White,
            Some("black") => ChallengeColor::Black,
            Some(_) => return Err(ApiError::form("color", "Invalid value")),
        };
        let rules = read_rules(fields)?;
        let is_set_up =
            initial_fen.is_some() && variant != Variant::Chess960 && initial_fen != own_start(variant);
        let rated = fields.flag("rated") && can_be_rated(variant, &control)? && !is_set_up;
        Ok(Self {
            variant,
            initial_fen,
            control,
            rated,
            color,
            rules,
        })
    }

    /// The class of the clock.
    #[must_use]
    pub fn speed(&self) -> Speed {
        self.control.speed()
    }

    /// Whether the sides sit at their boards at the same time.
    #[must_use]
    pub fn is_realtime(&self) -> bool {
        matches!(self.control, TimeControl::Clock { .. })
    }
}

/// The special rules, once each and in lichess' order.
fn read_rules(fields: &Fields) -> Result<Vec<String>, ApiError> {
    let asked = fields.text("rules").unwrap_or_default();
    let asked: Vec<&str> = asked
        .split(',')
        .map(str::trim)
        .filter(|rule| !rule.is_empty())
        .collect();
    if asked.iter().any(|rule| !RULES.contains(rule)) {
        return Err(ApiError::form("rules", "Invalid value"));
    }
    let rules = RULES.into_iter().filter(|rule| asked.contains(rule));
    Ok(rules.map(str::to_owned).collect())
}

/// Whether a game that is to be rated will be. What cannot be is begun as a casual one without a word, except that a
/// variant without a clock is refused.
fn can_be_rated(variant: Variant, control: &TimeControl) -> Result<bool, ApiError> {
    match (variant, control) {
        (Variant::Standard, _) => Ok(true),
        (Variant::FromPosition, _) => Ok(false),
        (_, TimeControl::Clock { limit, increment, .. }) => {
            let (limit, increment) = (limit.0 / 1000, increment.0 / 1000);
            Ok(limit + 40 * increment >= 30 && (limit > 0 || increment > 1))
        }
        _ => Err(ApiError::form("global", "can't be rated")),
    }
}

fn read_control(fields: &Fields) -> Result<TimeControl, ApiError> {
    let limit = fields.number("clock.limit")?;
    let increment = fields.number("clock.increment")?;
    if let Some(days) = fields.number("days")? {
        return match days {
            1 | 2 | 3 | 5 | 7 | 10 | 14 => Ok(TimeControl::Correspondence {
                days_per_turn: days as u32,
            }),
            _ => Err(ApiError::form("days", "Invalid value")),
        };
    }
    let (limit, increment) = match (limit, increment) {
        (None, None) => return Ok(TimeControl::Unlimited),
        (limit, increment) => (limit.unwrap_or(0), increment.unwrap_or(0)),
    };
    let known = matches!(limit, 0 | 15 | 30 | 45 | 60 | 90) || limit % 60 == 0 && limit <= LONGEST_LIMIT;
    if !known {
        return Err(ApiError::form("clock.limit", "Invalid value"));
    }
    if increment > 60 {
        return Err(ApiError::form("clock.increment", "Must be at most 60"));
    }
    if limit == 0 && increment == 0 {
        return Err(ApiError::form("global", "Invalid clock"));
    }
    Ok(TimeControl::Clock {
        limit: Millis::from_secs(limit),
        increment: Millis::from_secs(increment),
        show: show(limit, increment),
    })
}

/// A clock for people, as in `5+3` or `½+0`.
fn show(limit: u64, increment: u64) -> String {
    let minutes = match limit {
        15 => "¼".to_owned(),
        30 => "½".to_owned(),
        45 => "¾".to_owned(),
        90 => "1.5".to_owned(),
        limit => (limit / 60).to_string(),
    };
    format!("{minutes}+{increment}")
}

fn read_start(fields: &Fields, ids: &mut IdGenerator) -> Result<(Variant, Option<String>), ApiError> {
    let variant = match fields.text("variant") {
        None => Variant::Standard,
        Some(key) => key
            .parse()
            .map_err(|_| ApiError::form("variant", "Invalid value"))?,
    };
    let Some(fen) = fields.text("fen") else {
        return match variant {
            Variant::Chess960 => Ok((variant, Some(chess960_fen(ids.start_number())))),
            Variant::FromPosition => Err(ApiError::form("fen", "This field is required")),
            _ => Ok((variant, own_start(variant))),
        };
    };
    let reading = match variant {
        Variant::Standard => Variant::FromPosition,
        other => other,
    };
    let unplayable = ApiError::form("global", "invalidFen");
    let start = parse_fen(reading, fen).map_err(|_| unplayable.clone())?;
    // The rules must not have ended the game before it begins.
    if GameHistory::from_position(reading, start.clone())
        .outcome()
        .is_some()
    {
        return Err(unplayable);
    }
    let fen = lichess_fen(&start);
    let is_usual = fen == lichess_fen(&variant.start());
    Ok(match reading {
        Variant::Chess960 => (variant, Some(fen)),
        // Named or not, a game from another place is From Position, and one from the usual place is not.
        Variant::FromPosition if is_usual => (Variant::Standard, None),
        _ if is_usual => (variant, own_start(variant)),
        _ => (reading, Some(fen)),
    })
}

/// The start of a variant whose pieces stand elsewhere than in standard chess, as lichess sends it with each game.
pub(super) fn own_start(variant: Variant) -> Option<String> {
    let start = variant.start();
    (start.board() != Variant::Standard.start().board()).then(|| lichess_fen(&start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<ChallengeParams, ApiError> {
        ChallengeParams::read(&pairs.iter().copied().collect(), &mut IdGenerator::seeded(7))
    }

    #[test]
    fn nothing_said_means_an_unlimited_casual_standard_game() {
        let terms = read(&[]).unwrap();
        assert_eq!(
            (terms.variant, terms.control, terms.rated),
            (Variant::Standard, TimeControl::Unlimited, false)
        );
    }

    #[test]
    fn clocks_are_those_of_lichess() {
        for (limit, increment, shown) in [("300", "3", "5+3"), ("30", "0", "½+0"), ("0", "1", "0+1")] {
            let terms = read(&[("clock.limit", limit), ("clock.increment", increment)]).unwrap();
            assert!(
                matches!(&terms.control, TimeControl::Clock { show, .. } if show == shown),
                "{terms:?}"
            );
        }
        for (limit, increment, field) in [
            ("61", "0", "clock.limit"),
            ("10860", "0", "clock.limit"),
            ("x", "0", "clock.limit"),
            ("60", "61", "clock.increment"),
            ("0", "0", "global"),
        ] {
            let refusal = read(&[("clock.limit", limit), ("clock.increment", increment)]).unwrap_err();
            assert!(
                matches!(refusal, ApiError::Form { field: named, .. } if named == field),
                "{refusal}"
            );
        }
    }

    #[test]
    fn the_position_decides_between_standard_and_from_position() {
        let usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let endgame = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";
        let terms = read(&[("fen", endgame), ("rated", "true")]).unwrap();
        assert_eq!((terms.variant, terms.rated), (Variant::FromPosition, false));
        let terms = read(&[("variant", "fromPosition"), ("fen", usual)]).unwrap();
        assert_eq!((terms.variant, terms.initial_fen), (Variant::Standard, None));
        assert_eq!(
            read(&[("fen", "8/8/8/8/8/8/8/8 w - - 0 1")]),
            Err(ApiError::form("global", "invalidFen"))
        );
    }

    #[test]
    fn a_game_does_not_begin_where_it_is_over() {
        for (what, fen) in [
            ("mate", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"),
            ("stalemate", "7k/8/6Q1/8/8/8/8/K7 b - - 0 1"),
            ("kings alone", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
            ("fifty moves", "4k3/8/8/8/8/8/4P3/4K3 w - - 120 90"),
        ] {
            for variant in ["fromPosition", "chess960"] {
                assert_eq!(
                    read(&[("variant", variant), ("fen", fen)]),
                    Err(ApiError::form("global", "invalidFen")),
                    "{what}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_be_rated_is_casual_or_refused() {
        let rated =
            |pairs: &[(&str, &str)]| read(&[pairs, &[("rated", "true")]].concat()).map(|terms| terms.rated);
        let chess960 = ("variant", "chess960");
        assert_eq!(rated(&[]), Ok(true), "unlimited");
        assert_eq!(rated(&[("days", "3")]), Ok(true));
        assert_eq!(rated(&[("clock.limit", "15")]), Ok(true));
        assert_eq!(rated(&[chess960, ("clock.limit", "60")]), Ok(true));
        assert_eq!(rated(&[chess960, ("clock.limit", "15")]), Ok(false));
        for (increment, is_rated) in [("1", false), ("2", true)] {
            let form = [chess960, ("clock.limit", "0"), ("clock.increment", increment)];
            assert_eq!(rated(&form), Ok(is_rated));
        }
        let refused = Err(ApiError::form("global", "can't be rated"));
        assert_eq!(rated(&[chess960]), refused);
        assert_eq!(rated(&[chess960, ("days", "3")]), refused);
    }

    #[test]
    fn rules_are_those_of_lichess() {
        let rules = |text| read(&[("rules", text)]).map(|terms| terms.rules);
        assert_eq!(
            rules("noClaimWin, noAbort,noAbort"),
            Ok(vec!["noAbort".to_owned(), "noClaimWin".to_owned()])
        );
        assert_eq!(rules(""), Ok(Vec::new()));
        assert_eq!(
            rules("noAbort,noFun"),
            Err(ApiError::form("rules", "Invalid value"))
        );
    }

    #[test]
    fn chess960_always_has_a_position() {
        let terms = read(&[("variant", "chess960")]).unwrap();
        assert!(parse_fen(Variant::Chess960, &terms.initial_fen.unwrap()).is_ok());
    }

    #[test]
    fn every_variant_has_its_own_start() {
        for variant in Variant::ALL {
            if variant == Variant::FromPosition {
                continue;
            }
            let terms = read(&[("variant", variant.key())]).unwrap();
            assert_eq!(terms.variant, variant);
            let says_start = matches!(variant, Variant::Chess960 | Variant::Horde | Variant::RacingKings);
            assert_eq!(terms.initial_fen.is_some(), says_start, "{variant}");
        }
        assert!(matches!(
            read(&[("variant", "chess")]),
            Err(ApiError::Form { field: "variant", .. })
        ));
    }

    #[test]
    fn positions_are_read_by_the_rules_of_the_variant_and_written_as_lichess_does() {
        let bare = "8/8/8/4p3/8/8/4P3/8 w - - 0 1";
        for (variant, fen, kept) in [
            (
                "threeCheck",
                "4k3/8/8/8/8/8/4P3/4K3 w - - 1+3 0 1",
                "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 +2+0",
            ),
            (
                "threeCheck",
                "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 +2+0",
                "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 +2+0",
            ),
            (
                "crazyhouse",
                "4k3/8/8/8/8/8/4P3/Q~3K3[Pn] w - - 0 1",
                "4k3/8/8/8/8/8/4P3/Q~3K3/Pn w - - 0 1",
            ),
            ("antichess", bare, bare),
        ] {
            let clock = ("clock.limit", "60");
            let terms = read(&[("variant", variant), ("fen", fen), ("rated", "true"), clock]).unwrap();
            assert_eq!(
                (terms.initial_fen.as_deref(), terms.rated),
                (Some(kept), false),
                "{variant}"
            );
        }
        // The game is over, or the position is none of the variant.
        for (variant, fen) in [
            ("kingOfTheHill", "4k3/8/8/8/4K3/8/8/8 b - - 0 1"),
            ("threeCheck", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 +3+0"),
            ("atomic", bare),
            ("racingKings", "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1"),
        ] {
            let refused = read(&[("variant", variant), ("fen", fen)]);
            assert_eq!(refused, Err(ApiError::form("global", "invalidFen")), "{variant}");
        }
    }

    #[test]
    fn a_rated_game_of_a_variant_begins_at_its_usual_start() {
        for variant in ["horde", "racingKings", "atomic", "crazyhouse", "chess960"] {
            let terms = read(&[("variant", variant), ("rated", "true"), ("clock.limit", "60")]).unwrap();
            assert!(terms.rated, "{variant}");
        }
    }
}
