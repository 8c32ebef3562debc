//! Move explanations: the book's choices with their chances, or the lines of the search.

use crate::store::{
    BookChance, BookChoice, HumanChoice, LikelyMove, MoveExplanation, OnlineChoice, PvLine,
    SearchExplanation, StyleBias, permille,
};
use sparring_book::BookMove;
use sparring_chess::{GameHistory, Move, Rules as _, write_san};
use sparring_engine::Line;
use sparring_online::{Choice, Source};
use sparring_personality::strength::StrengthResult;

/// No more of a book's moves are kept: behind these the chances are small.
const OFFERS: usize = 8;
/// No more lines of a search are kept.
const LINES: usize = 4;
/// So many half moves of a line: what is further away seldom comes to pass.
const LENGTH: usize = 8;

/// A move of a book, and what it was drawn from.
pub(super) fn of_book(found: &BookMove, offers: &[BookMove], line: &GameHistory) -> MoveExplanation {
    let moves = offers
        .iter()
        .filter(|offer| offer.chance > 0.0)
        .take(OFFERS)
        .map(|offer| BookChance {
            san: write_san(line.position(), offer.mv),
            permille: permille(offer.chance),
        })
        .collect();
    MoveExplanation::Book(BookChoice {
        at: found.at.clone(),
        note: found.note.clone(),
        moves,
    })
}

/// A move of an online source, and what it was drawn from.
pub(super) fn of_online(source: &Source, note: &str, choice: &Choice, line: &GameHistory) -> MoveExplanation {
    let moves = choice.chances.iter().take(OFFERS).map(|(mv, chance)| BookChance {
        san: write_san(line.position(), *mv),
        permille: permille(*chance),
    });
    MoveExplanation::Online(OnlineChoice {
        source: source.name.clone(),
        note: note.to_owned(),
        moves: moves.collect(),
    })
}

/// What a search saw, with the line that was played first.
pub(super) fn of_search(line: &GameHistory, thought: &StrengthResult) -> MoveExplanation {
    MoveExplanation::Search(SearchExplanation {
        lines: pv_lines(line, &thought.report.lines),
        people: thought.chosen.map(|chosen| HumanChoice {
            rating: chosen.choice.rating,
            permille: permille(chosen.chance.into()),
            corrected: chosen.corrected,
            likeliest: chosen
                .likeliest
                .iter()
                .flatten()
                .map(|candidate| LikelyMove {
                    san: write_san(line.position(), candidate.mv),
                    prior: permille(candidate.prior.into()),
                    permille: permille(candidate.chance.into()),
                })
                .collect(),
            style: chosen.style_effect.map(|styled| StyleBias {
                plainly: permille(styled.chance_without_style.into()),
                axes: styled
                    .axes
                    .iter()
                    .flatten()
                    .map(|axis| axis.key().to_owned())
                    .collect(),
            }),
        }),
    })
}

/// What an external engine saw, with the line that was played first.
pub(super) fn of_engine<'a>(
    line: &GameHistory,
    lines: impl IntoIterator<Item = &'a Line>,
) -> MoveExplanation {
    MoveExplanation::Search(SearchExplanation {
        lines: pv_lines(line, lines),
        people: None,
    })
}

fn pv_lines<'a>(line: &GameHistory, lines: impl IntoIterator<Item = &'a Line>) -> Vec<PvLine> {
    let seen = lines.into_iter().take(LINES).map(|seen| PvLine {
        score: seen.score.into(),
        san: in_words(line, &seen.pv),
    });
    seen.collect()
}

/// The first moves of a line in SAN.
fn in_words(line: &GameHistory, pv: &[Move]) -> Vec<String> {
    let mut pos = line.position().clone();
    let mut words = Vec::new();
    for mv in pv.iter().take(LENGTH) {
        if !pos.is_legal(*mv) {
            break;
        }
        words.push(write_san(&pos, *mv));
        pos.play_unchecked(*mv);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ScoreJson;
    use sparring_chess::{
        Variant, parse_uci,
        units::{Centipawns, Depth, Elo},
    };
    use sparring_engine::{BoundKind, Score, SearchResult};
    use sparring_personality::human_model::Candidate;
    use sparring_personality::{
        strength::{HumanChoice, HumanPick, StyleEffect},
        style::Axis,
    };

    #[test]
    fn a_style_is_kept_with_its_axes_and_the_chance_without_it() {
        let line = GameHistory::replay(Variant::Standard, "startpos", "").unwrap();
        let pawn = Candidate {
            mv: parse_uci(line.position(), "e2e4").unwrap(),
            chance: 0.5,
            prior: 0.4,
            loss: 0.0,
        };
        let chosen = HumanPick {
            chance: 0.231,
            choice: HumanChoice {
                rating: Elo(1400),
                sharpness: 1.0,
                blunder_check: None,
            },
            corrected: false,
            style_effect: Some(StyleEffect {
                chance_without_style: 0.08,
                axes: [Some(Axis::Attack), None],
            }),
            likeliest: [Some(pawn), None, None, None, None],
        };
        let thought = StrengthResult {
            report: SearchResult::default(),
            chosen: Some(chosen),
        };
        let MoveExplanation::Search(search) = of_search(&line, &thought) else {
            panic!("a search gives grounds of a search");
        };
        let people = search.people.unwrap();
        let likely = &people.likeliest[0];
        assert_eq!(
            (likely.san.as_str(), likely.prior, likely.permille),
            ("e4", 400, 500)
        );
        let style = people.style.unwrap();
        assert_eq!((style.plainly, style.axes), (80, vec!["attack".to_owned()]));
    }

    #[test]
    fn lines_are_told_in_san_from_the_position_on_the_board() {
        let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5").unwrap();
        let knight = parse_uci(line.position(), "g1f3").unwrap();
        let report = SearchResult {
            lines: vec![Line {
                depth: Depth(1),
                score: Score::Cp(Centipawns(20)),
                bound: BoundKind::Exact,
                pv: vec![knight, knight],
            }],
            ..SearchResult::default()
        };
        let MoveExplanation::Search(search) = of_search(&line, &StrengthResult { report, chosen: None })
        else {
            panic!("a search gives grounds of a search");
        };
        assert_eq!(search.lines[0].score, ScoreJson::Cp(20));
        assert_eq!(
            search.lines[0].san,
            ["Nf3"],
            "what cannot be played ends the line"
        );
    }
}
