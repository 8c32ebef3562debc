//! Levels beside the people of their band: both move in the same positions, and a search that neither has seen judges.

use std::fmt::Write as _;

use super::{
    games::HumanGame,
    scored::{BANDS, band, spread},
    tally::{Losses, percent},
};
use crate::{
    chess::{GameLine, Move},
    engine::{Engine, Limits, Report, Score, Search, Stop, Surroundings},
    personality::{
        Level,
        choice::{
            curve::{Phase, winning_chances},
            phase,
        },
        strength::{Levels, order_with, think},
    },
    units::{Depth, Elo, Stopwatch},
};

/// Who stands better by so many points of winning chances is better, by twice as many winning.
const AHEAD: f32 = 12.0;

/// The parts that a band is looked at in, besides the whole: by phase, and by how the mover stands.
const PARTS: [&str; 8] = [
    "all",
    "opening",
    "middlegame",
    "endgame",
    "lost",
    "worse",
    "level",
    "better",
];

/// People's losses and those of the level, and how often both played the same.
#[derive(Debug, Clone, Copy, Default)]
struct Beside {
    people: [Losses; PARTS.len()],
    level: [Losses; PARTS.len()],
    count: usize,
    same: usize,
}

/// The tables as Markdown, after letting each band's level move on so many of its decisions.
///
/// # Errors
/// When a game has an illegal move.
pub fn tables(
    games: &[&HumanGame],
    most: usize,
    judge: Depth,
    tell: &mut dyn FnMut(usize),
) -> anyhow::Result<String> {
    let mut bands = [Beside::default(); BANDS];
    let mut judge = Judge::new(judge);
    let mut player = Engine::new(4);
    let mut seen = 0;
    spread(games, most, |game, line, decision| {
        seen += 1;
        tell(seen);
        let band = band(decision.rating);
        let Some(own) = choice(&mut player, line, level_of(band), seed(game, line)) else {
            return Ok(());
        };
        let theirs = decision.seen.moves[decision.played];
        if let Some(([people, level], stands)) = judge.losses(line, [theirs, own]) {
            let beside = &mut bands[band];
            beside.count += 1;
            beside.same += usize::from(theirs == own);
            for part in [0, by_phase(phase(line)), by_standing(stands)] {
                beside.people[part].add_one(people);
                beside.level[part].add_one(level);
            }
        }
        Ok(())
    })?;
    write_tables(&bands, judge.depth)
}

/// The level in the middle of a band.
fn level_of(band: usize) -> Elo {
    let middle = 700 + 200 * u32::try_from(band).unwrap_or_default();
    Elo(middle.clamp(*Level::RANGE.start(), *Level::RANGE.end()))
}

fn by_phase(phase: Phase) -> usize {
    match phase {
        Phase::Opening => 1,
        Phase::Middlegame => 2,
        Phase::Endgame => 3,
    }
}

/// By the winning chances of the mover, from 0 to 100.
fn by_standing(chances: f32) -> usize {
    match chances - 50.0 {
        behind if behind < -2.0 * AHEAD => 4,
        behind if behind < -AHEAD => 5,
        even if even <= AHEAD => 6,
        _ => 7,
    }
}

/// Names the decision to chance.
fn seed(game: &HumanGame, line: &GameLine) -> u64 {
    let ply = u64::try_from(line.ply()).unwrap_or_default();
    game.id
        .bytes()
        .fold(ply, |seed, byte| seed.wrapping_mul(257) ^ u64::from(byte))
}

/// The move that a level plays.
fn choice(engine: &mut Engine, line: &GameLine, level: Elo, seed: u64) -> Option<Move> {
    let order = order_with(&Levels::shipped().knobs(level), line.clone(), None, seed);
    let around = Surroundings {
        stop: &Stop::new(),
        clock: &Stopwatch::start(),
    };
    engine.clear();
    think(engine, &order, &around, &mut |_| {}).report.best()
}

/// An engine that looks deeper than people and levels do.
struct Judge {
    engine: Engine,
    depth: Depth,
}

impl Judge {
    fn new(depth: Depth) -> Self {
        Self {
            engine: Engine::new(16),
            depth,
        }
    }

    /// What moves lose against the best, in points of winning chances, and the chances with the best. None for a
    /// position that has no moves.
    fn losses(&mut self, line: &GameLine, moves: [Move; 2]) -> Option<([f32; 2], f32)> {
        self.engine.clear();
        let best = self.search(line, Vec::new());
        let first = best.best()?;
        let with_best = chances(&best)?;
        let mut losses = [0.0; 2];
        let mut before: Option<(Move, f32)> = None;
        for (loss, mv) in losses.iter_mut().zip(moves) {
            *loss = match before {
                _ if mv == first => 0.0,
                Some((other, loss)) if other == mv => loss,
                _ => (with_best - chances(&self.search(line, vec![mv]))?).max(0.0),
            };
            before = Some((mv, *loss));
        }
        Some((losses, with_best))
    }

    fn search(&mut self, line: &GameLine, only: Vec<Move>) -> Report {
        let limits = Limits {
            depth: Some(self.depth),
            ..Limits::default()
        };
        let search = Search {
            only,
            ..Search::new(line.clone(), limits)
        };
        let around = Surroundings {
            stop: &Stop::new(),
            clock: &Stopwatch::start(),
        };
        self.engine.search(&search, &around, &mut |_| {})
    }
}

fn chances(report: &Report) -> Option<f32> {
    let score: Score = report.lines.first()?.score;
    Some(winning_chances(score))
}

fn write_tables(bands: &[Beside], judge: Depth) -> anyhow::Result<String> {
    let mut text = format!(
        "Mean loss / above 15 % / above 20 %, by our search of depth {}: people of a band and the level in its middle, who move in \
         the same held-out positions, ply >= 10, no bullet. Distance: how far the level is from people, in percent of theirs.\n",
        judge.0
    );
    for (part, name) in PARTS.iter().enumerate() {
        writeln!(
            text,
            "\n{name}\n\n| band | decisions | people | level | distance % |\n|---|--:|--:|--:|--:|"
        )?;
        for (index, beside) in bands.iter().enumerate() {
            let (people, level) = (&beside.people[part], &beside.level[part]);
            if people.has_any() {
                let distances = level.distances(people).map(|distance| {
                    distance.map_or_else(|| "-".to_owned(), |distance| format!("{distance:+.0}"))
                });
                writeln!(
                    text,
                    "| {} | {} | {people} | {level} | {} |",
                    600 + 200 * index,
                    people.count(),
                    distances.join(" / ")
                )?;
            }
        }
    }
    writeln!(
        text,
        "\n| band | the level plays the move that was played, % |\n|---|--:|"
    )?;
    for (index, beside) in bands.iter().enumerate().filter(|(_, beside)| beside.count > 0) {
        let same = percent(beside.same as f64, beside.count);
        writeln!(text, "| {} | {same:.1} |", 600 + 200 * index)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Variant, parse_uci};

    fn line(fen: &str) -> GameLine {
        GameLine::replay(Variant::Standard, fen, "").unwrap()
    }

    #[test]
    fn the_judge_knows_what_gives_a_queen_away_and_what_does_not() {
        let line = line("3qk3/8/8/8/8/8/5PPP/3RK3 w - - 0 1");
        let mv = |text| parse_uci(line.position(), text).unwrap();
        let ([took, waited], stands) = Judge::new(Depth(4))
            .losses(&line, [mv("d1d8"), mv("h2h3")])
            .unwrap();
        assert!(
            took < 1.0 && waited > 20.0 && stands > 60.0,
            "{took} {waited} {stands}"
        );
    }

    #[test]
    fn the_same_move_is_judged_once_and_alike() {
        let line = line("4k3/8/8/8/8/8/5PPP/3RK3 w - - 0 1");
        let mv = parse_uci(line.position(), "h2h3").unwrap();
        let ([one, other], _) = Judge::new(Depth(4)).losses(&line, [mv, mv]).unwrap();
        assert!((one - other).abs() < f32::EPSILON);
    }

    #[test]
    fn every_band_has_its_level_and_every_standing_its_part() {
        let levels: Vec<u32> = (0..BANDS).map(|band| level_of(band).0).collect();
        assert_eq!(levels[..2], [700, 900]);
        assert!(levels.is_sorted() && levels.iter().all(|level| Level::RANGE.contains(level)));
        assert_eq!([10.0, 30.0, 50.0, 70.0].map(by_standing), [4, 5, 6, 7]);
    }
}
