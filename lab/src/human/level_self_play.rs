//! Losses of levels in self-play games, compared with humans of their band in theirs.
//!
//! In people's positions a level is seen where people have come to; here it has to live with what it has done.

use std::fmt::Write as _;

use super::{
    accuracy::percent,
    games::HumanGame,
    levels::{PARTS, by_phase, by_standing, cells_of_distances, errors, level_of, lowest, values},
    paired_stats::{Estimate, PairedStats, Side},
    reference_engine::ReferenceEngine,
    scored_moves::{BANDS, band, spread},
    search_cache::SearchCache,
};
use crate::calibrate::{REFEREE, hash};
use sparring_chess::{GameHistory, Move};
use sparring_match_runner::{BuiltinEngine, Finished, Participant as _, human_opening};
use sparring_personality::{human_model::Phase, strength::Levels};

/// Parameters of the measurement.
pub struct SelfPlayPlan<'a> {
    /// Games of each band's level against itself.
    pub games: usize,
    /// The bands, by their lowest rating; all where none is named.
    pub bands: &'a [u32],
    /// The numbers behind the levels.
    pub levels: &'a Levels,
}

/// So many decisions of each game are judged, spread over it.
const PER_GAME: usize = 8;
/// People's decisions are judged from this half move on.
const FROM: usize = 10;
/// Half moves of the opening from which a level takes over.
const OPENING: usize = 8;
/// Names games to chance.
const SEED: u64 = 1;

/// People of a band in their games, and its level in its own.
#[derive(Debug, Default)]
struct BandGames {
    people: [PairedStats; PARTS.len()],
    level: [PairedStats; PARTS.len()],
    played: usize,
    drawn: usize,
    plies: usize,
}

/// The tables as Markdown.
///
/// # Errors
/// When a game has an illegal move, a level has no move, the reference engine fails, or the cache cannot be written.
pub fn tables(
    games: &[&HumanGame],
    plan: &SelfPlayPlan<'_>,
    judge: &mut ReferenceEngine,
    kept: &mut SearchCache,
    tell: &mut dyn FnMut(usize),
) -> anyhow::Result<String> {
    let mut bands: [BandGames; BANDS] = Default::default();
    let is_asked_for = |band: usize| plan.bands.is_empty() || plan.bands.contains(&lowest(band));
    let (mut seen, mut number, mut last) = (0, 0, String::new());
    spread(games, plan.games * PER_GAME, |game, line, decision| {
        let band = band(decision.rating());
        if !is_asked_for(band) {
            return Ok(());
        }
        seen += 1;
        tell(seen);
        if last != game.id {
            last.clone_from(&game.id);
            number += 1;
        }
        let mv = decision.moves[decision.played];
        add(
            &mut bands[band].people,
            number,
            judged(judge, kept, &game.id, line, mv)?,
        );
        Ok(())
    })?;
    for (index, band) in bands
        .iter_mut()
        .enumerate()
        .filter(|(index, _)| is_asked_for(*index))
    {
        for game in 0..plan.games {
            let finished = play(plan.levels, index, game)?;
            band.played += 1;
            band.drawn += usize::from(finished.winner.is_none());
            band.plies += OPENING + finished.line.ply();
            // Cached by the moves: other level parameters play other games.
            let id = format!(
                "own-{:016x}",
                hash(&format!("{} {}", index, finished.line.uci_moves()))
            );
            for (line, mv) in decisions(&finished.line) {
                seen += 1;
                tell(seen);
                add(&mut band.level, game, judged(judge, kept, &id, &line, mv)?);
            }
        }
    }
    write_tables(&bands, &judge.name())
}

/// A game of a band's level against itself, from where people's openings lead.
fn play(levels: &Levels, band: usize, game: usize) -> anyhow::Result<Finished> {
    let knobs = levels.params(level_of(band));
    let [mut white, mut black] = ["white", "black"].map(|name| BuiltinEngine::new(name, knobs));
    for mover in [&mut white, &mut black] {
        let name = format!("{SEED} {band} {game} {}", mover.name());
        mover.new_game(hash(&name))?;
    }
    let opening = human_opening(SEED, game as u64);
    let finished = REFEREE.play(&opening, &mut white, &mut black);
    match finished.complaint {
        Some(complaint) => anyhow::bail!(complaint),
        None => Ok(finished),
    }
}

/// Decisions of a game, evenly spread over it, each with the line that led to it.
fn decisions(whole: &GameHistory) -> Vec<(GameHistory, Move)> {
    let mut line = GameHistory::from_position(whole.variant(), whole.start().clone());
    let first = FROM - OPENING;
    let there = whole.ply().saturating_sub(first);
    let mut decisions: Vec<(GameHistory, Move)> = Vec::new();
    for (ply, mv) in whole.moves().iter().enumerate() {
        // As many as keep pace with this share of the game.
        let passed = (ply + 1).saturating_sub(first);
        if decisions.len() * there < passed * PER_GAME.min(there) {
            decisions.push((line.clone(), *mv));
        }
        line.play(*mv);
    }
    decisions
}

/// Loss of a move, and the parts that it counts in.
fn judged(
    judge: &mut ReferenceEngine,
    kept: &mut SearchCache,
    id: &str,
    line: &GameHistory,
    mv: Move,
) -> anyhow::Result<Option<(f32, [usize; 3])>> {
    let judged = judge.losses(kept, id, line, &[mv])?;
    Ok(judged.and_then(|judged| {
        let parts = [0, by_phase(Phase::of(line)), by_standing(judged.chances)];
        judged.losses.first().map(|loss| (*loss, parts))
    }))
}

fn add(parts: &mut [PairedStats; PARTS.len()], game: usize, decision: Option<(f32, [usize; 3])>) {
    if let Some((loss, counted)) = decision {
        for part in counted {
            parts[part].add(game, loss, &[]);
        }
    }
}

fn write_tables(bands: &[BandGames], judge: &str) -> anyhow::Result<String> {
    let mut text = format!(
        "Mean loss in points of winning chances / moves that lose more than 15, in percent / more than 20, by {judge}: people of a \
         band in their games, and the level in its middle in games against itself, from half move {FROM}, no bullet. Of all: how many \
         of the judged decisions are of this kind. Distance: how far the level is from people, in percent of theirs. +-: standard \
         errors, by games.\n"
    );
    for (part, name) in PARTS.iter().enumerate() {
        writeln!(
            text,
            "\n{name}\n\n| band | people: decisions | of all % | people | +- | level: decisions | of all % | level | +- | \
             distance % | +- |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
        )?;
        for (index, band) in bands.iter().enumerate() {
            let [people, level] = [&band.people, &band.level];
            if people[part].games() > 0 && level[part].games() > 0 {
                let sides = [people, level].map(|side| {
                    let (count, means) = (side[part].count(), side[part].means(Side::People));
                    let share = percent(count, side[0].count() as usize);
                    format!("{count} | {share:.0} | {} | {}", values(means), errors(means))
                });
                let [value, error] = cells_of_distances(distances(&people[part], &level[part]));
                writeln!(
                    text,
                    "| {} | {} | {value} | {error} |",
                    lowest(index),
                    sides.join(" | ")
                )?;
            }
        }
    }
    writeln!(
        text,
        "\n| band | games of the level against itself | drawn % | half moves |\n|---|--:|--:|--:|"
    )?;
    for (index, band) in bands.iter().enumerate().filter(|(_, band)| band.played > 0) {
        let drawn = percent(band.drawn as f64, band.played);
        let plies = band.plies as f64 / band.played as f64;
        writeln!(
            text,
            "| {} | {} | {drawn:.0} | {plies:.0} |",
            lowest(index),
            band.played
        )?;
    }
    Ok(text)
}

/// How far the level is from people in percent of their figures; none where theirs is nothing. They are not of the same
/// games, so that both errors count.
fn distances(people: &PairedStats, level: &PairedStats) -> [Option<Estimate>; 3] {
    let [people, level] = [people, level].map(|side| side.means(Side::People));
    std::array::from_fn(|index| {
        let (people, level) = (people[index], level[index]);
        let ratio = (people.value > 0.0).then(|| level.value / people.value)?;
        let relative = |it: Estimate| it.error.map(|error| error / people.value);
        let error = relative(people)
            .zip(relative(level))
            .map(|(one, other)| 100.0 * (one * ratio).hypot(other));
        Some(Estimate {
            value: 100.0 * (ratio - 1.0),
            error,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Variant, units::Depth};

    #[test]
    fn decisions_are_spread_over_a_game() {
        let knights = "g1f3 g8f6 f3g1 f6g8 ".repeat(10);
        let whole = GameHistory::replay(Variant::Standard, "startpos", &knights).unwrap();
        let plies: Vec<usize> = decisions(&whole).iter().map(|(line, _)| line.ply()).collect();
        assert_eq!(plies.len(), PER_GAME);
        assert_eq!(plies[0], FROM - OPENING);
        assert!(
            plies
                .windows(2)
                .all(|pair| (4..=6).contains(&(pair[1] - pair[0]))),
            "{plies:?}"
        );
        let short = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5 g1f3").unwrap();
        assert_eq!(decisions(&short).len(), 1);
    }

    #[test]
    fn a_distance_has_the_errors_of_both_sides() {
        let side = |losses: [f32; 2]| {
            let mut side = PairedStats::default();
            losses
                .iter()
                .enumerate()
                .for_each(|(game, loss)| side.add(game, *loss, &[]));
            side
        };
        let [mean, over_15, over_20] = distances(&side([8.0, 12.0]), &side([4.0, 10.0]));
        let mean = mean.unwrap();
        assert!((mean.value + 30.0).abs() < 1e-9, "{mean:?}");
        // People 10 +- 2, the level 7 +- 3: 0.7 of 20 % and 30 %.
        assert!((mean.error.unwrap() - 14f64.hypot(30.0)).abs() < 1e-9, "{mean:?}");
        assert_eq!((over_15, over_20), (None, None));
    }

    #[test]
    fn a_level_plays_itself_and_is_judged_beside_people() {
        let moves = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d3 d7d6 e1g1 e8g8 b2b4 c5b6 a2a4 a7a6";
        let game = HumanGame {
            id: "a".to_owned(),
            src: "ours".to_owned(),
            speed: Some("blitz".to_owned()),
            tc: None,
            elo: [650, 700],
            moves: moves.to_owned(),
            clk: None,
        };
        let plan = SelfPlayPlan {
            games: 1,
            bands: &[600],
            levels: Levels::shipped(),
        };
        let mut kept = SearchCache::open(None).unwrap();
        let mut asked = 0;
        let mut judge = ReferenceEngine::builtin(Depth(1));
        let text = tables(&[&game], &plan, &mut judge, &mut kept, &mut |count| asked = count).unwrap();
        assert!(
            text.contains("| 600 | 6 | 100 |") && text.contains("| 600 | 1 |"),
            "{text}"
        );
        assert!((7..=6 + PER_GAME).contains(&asked), "{asked}");
    }
}
