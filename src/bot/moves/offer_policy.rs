//! Policy for draws, resignation, takebacks and claims, by the personality and the scores of its own moves.
//! No IO.

use sparring_chess::{Color, Rules as _};
use sparring_engine::Score;
use sparring_personality::Personality;

use crate::bot::game_task::state::GameState;

/// lichess ignores a second offer within so many plies, and people resent it.
const PLIES_BETWEEN_OFFERS: usize = 20;
/// Nobody is offered a draw in the opening, nor granted one that counts: half a point is not had for the asking.
const FIRST_DRAW: usize = 60;
/// Nobody gives up in the opening: early scores of weak levels are rough.
const FIRST_RESIGNATION: usize = 20;

/// What a draw or resignation depends on.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// The scores of my own moves in order, the newest last, each from my view.
    pub scores: &'a [Score],
    /// Half moves played.
    pub ply: usize,
    /// Whether ratings change.
    pub rated: bool,
    /// Whether lichess marks the opponent as a bot.
    pub against_bot: bool,
    /// The ply of my last draw offer, if there was one.
    pub offered_at: Option<usize>,
}

/// Whether to take a draw that the opponent offers: not in the opening of a rated game, and not once the last moves promised
/// more than the temper allows.
#[must_use]
pub fn takes_draw(profile: &Personality, outlook: Situation<'_>) -> bool {
    (!outlook.rated || outlook.ply >= FIRST_DRAW)
        && profile
            .draw
            .is_some_and(|temper| lasted(outlook.scores, temper.moves, |score| score <= temper.within.0))
}

/// Whether to offer a draw with the next move: to bots, and to people where the personality does that.
#[must_use]
pub fn offers_draw(profile: &Personality, outlook: Situation<'_>) -> bool {
    let waited = outlook
        .offered_at
        .is_none_or(|ply| outlook.ply >= ply + PLIES_BETWEEN_OFFERS);
    waited
        && outlook.ply >= FIRST_DRAW
        && profile.draw.is_some_and(|temper| {
            (outlook.against_bot || temper.offers_to_humans)
                && lasted(outlook.scores, temper.moves, |score| {
                    score.abs() <= temper.within.0
                })
        })
}

/// Whether to give the game up.
#[must_use]
pub fn resigns(profile: &Personality, outlook: Situation<'_>) -> bool {
    outlook.ply >= FIRST_RESIGNATION
        && profile
            .resign
            .is_some_and(|temper| lasted(outlook.scores, temper.moves, |score| score <= -temper.behind.0))
}

/// Whether the last scores, as many as asked for and at least one, were all so.
fn lasted(scores: &[Score], moves: u32, so: impl Fn(i32) -> bool) -> bool {
    let moves = moves.max(1) as usize;
    scores.len() >= moves && scores.iter().rev().take(moves).all(|score| so(score.scaled()))
}

/// Whether the opponent may take a move back: people, in casual games, as often as the personality grants.
#[must_use]
pub fn grants_takeback(profile: &Personality, game: &GameState, granted: u32) -> bool {
    !game.frame().rated && !game.opponent().is_bot() && granted < profile.takebacks
}

/// What can be claimed from an opponent who left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WinClaim {
    /// The win.
    Victory,
    /// Half of it: I could not mate any more.
    Draw,
}

/// What to claim now. On my own turn lichess takes no claim.
#[must_use]
pub fn claim(game: &GameState) -> Option<WinClaim> {
    if game.is_over() || game.is_my_turn() {
        return None;
    }
    let powerless = game
        .line()
        .position()
        .has_insufficient_material(Color::from(game.my_side()));
    Some(if powerless {
        WinClaim::Draw
    } else {
        WinClaim::Victory
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use sparring_chess::units::Centipawns;
    use sparring_personality::{DrawPolicy, ResignPolicy};

    fn tempered() -> Personality {
        let mut profile = Personality::new("x");
        profile.draw = Some(DrawPolicy {
            within: Centipawns(20),
            moves: 3,
            offers_to_humans: false,
        });
        profile.resign = Some(ResignPolicy {
            behind: Centipawns(700),
            moves: 2,
        });
        profile
    }

    fn scores(scores: &[i32]) -> Vec<Score> {
        scores.iter().map(|cp| Score::Cp(Centipawns(*cp))).collect()
    }

    fn outlook(scores: &[Score], ply: usize) -> Situation<'_> {
        Situation {
            scores,
            ply,
            rated: true,
            against_bot: true,
            offered_at: None,
        }
    }

    #[test]
    fn draws_are_taken_when_level_or_worse_for_long_enough() {
        let profile = tempered();
        for (history, taken) in [
            (&[0, 10, -5][..], true),
            (&[0, 10, 25], false),
            (&[300, 10, -5, -400], true),
            (&[0, 0], false),
            (&[], false),
        ] {
            let scores = scores(history);
            assert_eq!(takes_draw(&profile, outlook(&scores, 80)), taken, "{history:?}");
            let early = outlook(&scores, 59);
            assert!(!takes_draw(&profile, early), "in the opening");
            assert_eq!(
                takes_draw(
                    &profile,
                    Situation {
                        rated: false,
                        ..early
                    }
                ),
                taken,
                "{history:?}"
            );
        }
        assert!(!takes_draw(&Personality::new("x"), outlook(&scores(&[0; 9]), 80)));
    }

    #[test]
    fn draws_are_offered_to_bots_alone_late_and_seldom() {
        let (profile, level) = (tempered(), scores(&[5, -5, 0]));
        let now = outlook(&level, 80);
        assert!(offers_draw(&profile, now));
        assert!(!offers_draw(
            &profile,
            Situation {
                against_bot: false,
                ..now
            }
        ));
        assert!(!offers_draw(&profile, Situation { ply: 40, ..now }));
        assert!(!offers_draw(
            &profile,
            Situation {
                offered_at: Some(62),
                ..now
            }
        ));
        assert!(offers_draw(
            &profile,
            Situation {
                offered_at: Some(60),
                ..now
            }
        ));
        assert!(!offers_draw(&profile, outlook(&scores(&[-300, -300, -300]), 80)));
    }

    #[test]
    fn people_are_offered_draws_where_the_personality_says_so() {
        let mut profile = tempered();
        let level = scores(&[5, -5, 0]);
        let person = Situation {
            against_bot: false,
            ..outlook(&level, 80)
        };
        assert!(!offers_draw(&profile, person));
        profile.draw = profile.draw.map(|temper| DrawPolicy {
            offers_to_humans: true,
            ..temper
        });
        assert!(offers_draw(&profile, person));
        assert!(
            !offers_draw(&profile, Situation { ply: 40, ..person }),
            "as late as bots"
        );
        let early = Situation {
            offered_at: Some(70),
            ..person
        };
        assert!(!offers_draw(&profile, early), "as seldom as bots");
    }

    #[test]
    fn nobody_resigns_unless_the_personality_says_when() {
        let lost = [Score::Cp(Centipawns(-800)), Score::Mate(-3)];
        assert!(resigns(&tempered(), outlook(&lost, 40)));
        assert!(!resigns(&tempered(), outlook(&lost, 10)));
        assert!(!resigns(&tempered(), outlook(&lost[..1], 40)));
        assert!(!resigns(&Personality::new("x"), outlook(&lost, 40)));
    }

    fn game(rated: bool, title: Option<&str>, fen: &str) -> GameState {
        let frame = serde_json::from_value(json!({
            "id": "abcd1234", "variant": {"key": "fromPosition"}, "speed": "blitz", "rated": rated,
            "white": {"id": "bot", "title": "BOT"}, "black": {"id": "ana", "title": title},
            "initialFen": fen, "state": {"moves": "", "status": "started"}
        }))
        .unwrap();
        GameState::new(frame, &"bot".parse().unwrap()).unwrap()
    }

    const BLACK_TO_MOVE: &str = "4k3/8/8/8/8/8/8/R3K3 b - - 0 1";

    #[test]
    fn takebacks_are_for_people_in_casual_games_and_counted() {
        let mut profile = Personality::new("x");
        profile.takebacks = 2;
        let casual = game(false, None, BLACK_TO_MOVE);
        assert!(grants_takeback(&profile, &casual, 1));
        assert!(!grants_takeback(&profile, &casual, 2));
        assert!(!grants_takeback(&profile, &game(true, None, BLACK_TO_MOVE), 0));
        assert!(!grants_takeback(
            &profile,
            &game(false, Some("BOT"), BLACK_TO_MOVE),
            0
        ));
    }

    #[test]
    fn f41_a_bare_king_claims_only_half() {
        assert_eq!(claim(&game(false, None, BLACK_TO_MOVE)), Some(WinClaim::Victory));
        let bare = "r3k3/8/8/8/8/8/8/4K3 b - - 0 1";
        assert_eq!(claim(&game(false, None, bare)), Some(WinClaim::Draw));
        let mine = "r3k3/8/8/8/8/8/8/R3K3 w - - 0 1";
        assert_eq!(claim(&game(false, None, mine)), None);
    }
}
