//! Levels against the humans of their band: both move in the same positions, and a reference engine says what
//! their moves lose.

use std::fmt::Write as _;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use super::{
    accuracy::percent,
    games::HumanGame,
    missed_moves::Unseen,
    paired_stats::{Estimate, PairedStats, Side},
    reference_engine::ReferenceEngine,
    scored_moves::{BANDS, band, spread},
    search_cache::SearchCache,
    think_time_fit::thought,
    time_vs_error::{Hesitation, Mover},
};
use sparring_chess::{
    GameHistory, Move,
    units::{Elo, Stopwatch},
};
use sparring_engine::{Engine, SearchControl, Stop};
use sparring_personality::{
    Level,
    human_model::{Model, Phase},
    strength::{Levels, expected_choice, request_with},
    think_time::SpeedModels,
};

/// Parameters of the measurement.
pub struct LevelPlan<'a> {
    /// At most so many decisions of each band.
    pub most: usize,
    /// How often each level moves in each position.
    pub draws: usize,
    /// The bands, by their lowest rating; all where none is named.
    pub bands: &'a [u32],
    /// The numbers behind the levels.
    pub levels: &'a Levels,
}

/// Lead in percentage points of winning chances that counts as better; twice as much is winning.
const AHEAD: f32 = 12.0;

/// Parts of a band: by phase, and by the mover's score.
pub(super) const PARTS: [&str; 8] = [
    "all",
    "opening",
    "middlegame",
    "endgame",
    "lost",
    "worse",
    "level",
    "better",
];

/// A band: people's losses and those of the level, and how often both played the same.
#[derive(Debug, Clone, Default)]
struct Band {
    parts: [PairedStats; PARTS.len()],
    drawn: usize,
    same: usize,
}

/// The tables as Markdown, after letting each band's level move in its decisions.
///
/// # Errors
/// When a game has an illegal move, the reference engine fails, or the cache cannot be written.
pub fn tables(
    games: &[&HumanGame],
    plan: &LevelPlan<'_>,
    judge: &mut ReferenceEngine,
    kept: &mut SearchCache,
    tell: &mut dyn FnMut(usize),
) -> anyhow::Result<String> {
    let mut bands: [Band; BANDS] = Default::default();
    let mut hesitation = Hesitation::default();
    let mut unseen = Unseen::default();
    let mut player = Engine::new(4);
    let (mut seen, mut number, mut last) = (0, 0, String::new());
    spread(games, plan.most, |game, line, decision| {
        let band = band(decision.rating());
        if !(plan.bands.is_empty() || plan.bands.contains(&lowest(band))) {
            return Ok(());
        }
        seen += 1;
        tell(seen);
        if last != game.id {
            last.clone_from(&game.id);
            number += 1;
        }
        let own = choices(&mut player, plan, line, level_of(band), seed(game, line));
        let theirs = decision.moves[decision.played];
        let moves: Vec<Move> = std::iter::once(theirs).chain(own.iter().copied()).collect();
        let Some(judged) = judge.losses(kept, &game.id, line, &moves)? else {
            return Ok(());
        };
        let [people, level @ ..] = &judged.losses[..] else {
            return Ok(());
        };
        if level.is_empty() {
            return Ok(());
        }
        let losses = moves.iter().copied().zip(judged.losses.iter().copied());
        hesitate(&mut hesitation, game, line, level_of(band), losses);
        if let Some(best) = judged.best {
            unseen.add(level_of(band).0, line, best, number, *people, level);
        }
        let band = &mut bands[band];
        band.drawn += own.len();
        band.same += own.iter().filter(|mv| **mv == theirs).count();
        for part in [0, by_phase(Phase::of(line)), by_standing(judged.chances)] {
            band.parts[part].add(number, *people, level);
        }
        Ok(())
    })?;
    Ok(write_tables(&bands, plan.draws, &judge.name())? + &unseen.table() + &hesitation.table())
}

pub(super) fn lowest(band: usize) -> u32 {
    600 + 200 * u32::try_from(band).unwrap_or_default()
}

/// The level in the middle of a band.
pub(super) fn level_of(band: usize) -> Elo {
    Elo((lowest(band) + 100).clamp(*Level::RANGE.start(), *Level::RANGE.end()))
}

pub(super) fn by_phase(phase: Phase) -> usize {
    match phase {
        Phase::Opening => 1,
        Phase::Middlegame => 2,
        Phase::Endgame => 3,
    }
}

/// By the winning chances of the mover, from 0 to 100.
pub(super) fn by_standing(chances: f32) -> usize {
    match chances - 50.0 {
        behind if behind < -2.0 * AHEAD => 4,
        behind if behind < -AHEAD => 5,
        even if even <= AHEAD => 6,
        _ => 7,
    }
}

/// Names the decision to chance.
fn seed(game: &HumanGame, line: &GameHistory) -> u64 {
    let ply = u64::try_from(line.ply()).unwrap_or_default();
    game.id
        .bytes()
        .fold(ply, |seed, byte| seed.wrapping_mul(257) ^ u64::from(byte))
}

/// The moves that a level plays in so many games that come to this position.
fn choices(
    engine: &mut Engine,
    plan: &LevelPlan<'_>,
    line: &GameHistory,
    level: Elo,
    seed: u64,
) -> Vec<Move> {
    let order = request_with(&plan.levels.params(level), line.clone(), None, seed);
    let around = SearchControl {
        stop: &Stop::new(),
        clock: &Stopwatch::start(),
    };
    let seeds: Vec<u64> = (seed..).take(plan.draws).collect();
    expected_choice(engine, &order, &around, &seeds)
        .into_iter()
        .flatten()
        .collect()
}

/// Counts the moves of a decision with their losses, the person's first: the person's by their clock, the level's by a time that
/// its pace draws for each.
fn hesitate(
    hesitation: &mut Hesitation,
    game: &HumanGame,
    line: &GameHistory,
    level: Elo,
    losses: impl Iterator<Item = (Move, f32)>,
) {
    let model = Model::shipped();
    let mut rng = ChaCha8Rng::seed_from_u64(seed(game, line));
    for (index, (mv, loss)) in losses.enumerate() {
        let Some(thought) = thought(game, line, mv, model) else {
            return;
        };
        let (mover, seconds) = if index == 0 {
            (Mover::Person, thought.seconds)
        } else {
            let speed_model = SpeedModels::shipped().get(thought.speed);
            let drawn = speed_model.seconds(&thought.features, level.0 as f32, rng.random());
            (Mover::Level, drawn)
        };
        hesitation.add(level.0, mover, seconds, loss);
    }
}

fn write_tables(bands: &[Band], draws: usize, judge: &str) -> anyhow::Result<String> {
    let mut text = format!(
        "Mean loss in points of winning chances / moves that lose more than 15, in percent / more than 20, by {judge}: people of a \
         band and the level in its middle, who move in the same positions, ply >= 10, no bullet; the level {draws} times in each. \
         Distance: how far the level is from people, in percent of theirs. +-: standard errors, by games.\n"
    );
    for (part, name) in PARTS.iter().enumerate() {
        writeln!(
            text,
            "\n{name}\n\n| band | games | decisions | people | +- | level | +- | distance % | +- |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|--:|"
        )?;
        for (index, band) in bands.iter().enumerate() {
            let beside = &band.parts[part];
            if beside.games() > 0 {
                writeln!(text, "| {} | {} |", lowest(index), row(beside))?;
            }
        }
    }
    writeln!(
        text,
        "\n| band | the level plays the move that was played, % |\n|---|--:|"
    )?;
    for (index, band) in bands.iter().enumerate().filter(|(_, band)| band.drawn > 0) {
        let same = percent(band.same as f64, band.drawn);
        writeln!(text, "| {} | {same:.1} |", lowest(index))?;
    }
    Ok(text)
}

/// Games, decisions, and each side's figures and the distances with their errors, as cells of a table.
fn row(beside: &PairedStats) -> String {
    let (people, level) = (beside.means(Side::People), beside.means(Side::Level));
    let [distances, errors_of_distances] = cells_of_distances(beside.distances());
    [
        beside.games().to_string(),
        beside.count().to_string(),
        values(people),
        errors(people),
        values(level),
        errors(level),
        distances,
        errors_of_distances,
    ]
    .join(" | ")
}

/// A mean loss and the shares of larger ones, as a cell.
pub(super) fn values(of: [Estimate; 3]) -> String {
    let [mean, over_15, over_20] = of.map(|it| it.value);
    format!("{mean:.2} / {over_15:.1} / {over_20:.1}")
}

/// Their standard errors, as a cell.
pub(super) fn errors(of: [Estimate; 3]) -> String {
    let [mean, over_15, over_20] = of.map(|it| it.error);
    let [mean, shares @ ..] = [(mean, 2), (over_15, 1), (over_20, 1)]
        .map(|(error, digits)| error.map_or_else(|| "-".to_owned(), |error| format!("{error:.digits$}")));
    format!("{mean} / {}", shares.join(" / "))
}

/// Distances in percent as a cell, and their standard errors as another.
pub(super) fn cells_of_distances(distances: [Option<Estimate>; 3]) -> [String; 2] {
    let told = |tell: fn(Estimate) -> Option<String>| {
        distances
            .map(|distance| distance.and_then(tell).unwrap_or_else(|| "-".to_owned()))
            .join(" / ")
    };
    [
        told(|it| Some(format!("{:+.0}", it.value))),
        told(|it| it.error.map(|error| format!("{error:.0}"))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Rules as _, Variant, units::Depth};

    #[test]
    fn every_band_has_its_level_and_every_standing_its_part() {
        let levels: Vec<u32> = (0..BANDS).map(|band| level_of(band).0).collect();
        assert_eq!(levels[..2], [700, 900]);
        assert!(levels.is_sorted() && levels.iter().all(|level| Level::RANGE.contains(level)));
        assert_eq!([10.0, 30.0, 50.0, 70.0].map(by_standing), [4, 5, 6, 7]);
    }

    #[test]
    fn a_row_tells_figures_and_errors_and_leaves_out_what_is_not_known() {
        let mut beside = PairedStats::default();
        beside.add(1, 4.0, &[2.0]);
        assert_eq!(
            row(&beside),
            "1 | 1 | 4.00 / 0.0 / 0.0 | - / - / - | 2.00 / 0.0 / 0.0 | - / - / - | -50 / - / - | - / - / -"
        );
        beside.add(2, 24.0, &[12.0, 36.0]);
        assert!(row(&beside).starts_with("2 | 2 | 14.00 / 50.0 / 50.0 | 10.00 / 50.0 / 50.0 | 13.00"));
    }

    #[test]
    fn only_the_bands_that_are_asked_for_are_measured() {
        let game = |id: &str, elo| HumanGame {
            id: id.to_owned(),
            src: "ours".to_owned(),
            speed: Some("blitz".to_owned()),
            tc: None,
            elo,
            moves: "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d3 d7d6 e1g1 e8g8".to_owned(),
            clk: None,
        };
        let games = [game("a", [1250, 850]), game("b", [1000, 1210])];
        let plan = LevelPlan {
            most: 2,
            draws: 3,
            bands: &[1200],
            levels: Levels::shipped(),
        };
        let mut asked = 0;
        let mut kept = SearchCache::open(None).unwrap();
        let mut judge = ReferenceEngine::builtin(Depth(2));
        let games: Vec<&HumanGame> = games.iter().collect();
        let text = tables(&games, &plan, &mut judge, &mut kept, &mut |count| asked = count).unwrap();
        assert_eq!(asked, 2, "one decision of each player of 1200");
        let all: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("| 1200 | 2 | 2 |"))
            .collect();
        assert_eq!(all.len(), 3, "the whole, the opening, and level: {text}");
        assert!(
            !text.contains("| 800 |") && text.contains("our search of depth 2"),
            "{text}"
        );
    }

    #[test]
    fn a_level_moves_as_often_as_is_asked() {
        let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5").unwrap();
        let plan = LevelPlan {
            most: 1,
            draws: 5,
            bands: &[],
            levels: Levels::shipped(),
        };
        let moves = choices(&mut Engine::new(1), &plan, &line, Elo(900), 3);
        assert_eq!(moves.len(), 5);
        assert!(moves.iter().all(|mv| line.position().is_legal(*mv)));
    }
}
