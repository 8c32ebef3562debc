//! Who says what a move loses: a search that neither people nor levels have seen, ours or that of another engine.

use anyhow::Context as _;

use super::search_cache::{Question, SearchCache, Verdict};
use sparring_chess::{
    GameHistory, Move, parse_uci,
    units::{Depth, Millis, Stopwatch},
    write_uci,
};
use sparring_engine::{Engine, Limits, Score, SearchControl, SearchRequest, Stop};
use sparring_match_runner::{EngineSpec, UciProcess};
use sparring_personality::human_model::winning_chances;

/// The hash table of a judge in mebibytes.
const HASH: usize = 16;
/// A guest that is silent for so long is not coming back.
const PATIENCE: Millis = Millis(120_000);

/// A judge that looks equally deep at everything, and each time as if it had never seen anything before: what it says
/// of a move does not depend on which moves it was asked about, or when.
pub struct Judge {
    mind: Mind,
    depth: Depth,
}

enum Mind {
    Own(Box<Engine>),
    Guest(UciProcess),
}

/// What a judge says of the moves of a position.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedMoves {
    /// The move that it would play.
    pub best: Option<Move>,
    /// The winning chances of the side to move after that, from 0 to 100.
    pub chances: f32,
    /// What each of the moves loses against it, in points of winning chances.
    pub losses: Vec<f32>,
}

impl Judge {
    /// Our own search.
    #[must_use]
    pub fn own(depth: Depth) -> Self {
        Self {
            mind: Mind::Own(Box::new(Engine::new(HASH))),
            depth,
        }
    }

    /// Another engine, as a process that speaks UCI.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn guest(program: &str, depth: Depth) -> anyhow::Result<Self> {
        let spec = EngineSpec {
            name: program.to_owned(),
            command: program.split_ascii_whitespace().map(str::to_owned).collect(),
            options: vec![],
            // Without them it has one thread, and a table of its own size.
            if_offered: vec![
                ("Threads".to_owned(), "1".to_owned()),
                ("Hash".to_owned(), HASH.to_string()),
            ],
        };
        Ok(Self {
            mind: Mind::Guest(UciProcess::start(&spec)?),
            depth,
        })
    }

    /// Who judges, and how deeply.
    #[must_use]
    pub fn name(&self) -> String {
        let who = match &self.mind {
            Mind::Own(_) => "our search",
            Mind::Guest(player) => player.title().unwrap_or(player.name()),
        };
        format!("{who} of depth {}", self.depth.0)
    }

    /// What moves lose against the best in the last position of a game's line; what was judged before is not judged again.
    /// None for a position that has no moves.
    ///
    /// # Errors
    /// When an engine fails, or what it said cannot be kept.
    pub fn losses(
        &mut self,
        kept: &mut SearchCache,
        game: &str,
        line: &GameHistory,
        moves: &[Move],
    ) -> anyhow::Result<Option<JudgedMoves>> {
        let Some(best) = self.known(kept, game, line, None)? else {
            return Ok(None);
        };
        let mut losses = Vec::with_capacity(moves.len());
        for mv in moves {
            let loss = if write_uci(*mv, line.variant()) == best.best {
                0.0
            } else {
                let own = self.known(kept, game, line, Some(*mv))?;
                own.map_or(0.0, |own| (best.chances - own.chances).max(0.0))
            };
            losses.push(loss);
        }
        Ok(Some(JudgedMoves {
            best: parse_uci(line.position(), &best.best).ok(),
            chances: best.chances,
            losses,
        }))
    }

    fn known(
        &mut self,
        kept: &mut SearchCache,
        game: &str,
        line: &GameHistory,
        only: Option<Move>,
    ) -> anyhow::Result<Option<Verdict>> {
        let question = Question {
            judge: self.name(),
            id: game.to_owned(),
            ply: line.ply(),
            only: only.map(|mv| write_uci(mv, line.variant())),
        };
        kept.verdict(question, || self.verdict(line, only))
    }

    fn verdict(&mut self, line: &GameHistory, only: Option<Move>) -> anyhow::Result<Option<Verdict>> {
        let (best, score) = match &mut self.mind {
            Mind::Own(engine) => search(engine, line, only, self.depth),
            Mind::Guest(player) => {
                player.new_game()?;
                let answer = player.consider(line, only, self.depth, PATIENCE)?;
                (Some(answer.best), answer.score)
            }
        };
        // A game that is over has no best move, and engines say so in words of their own.
        let Some(best) = best.filter(|best| best.len() >= 4 && best != "(none)") else {
            return Ok(None);
        };
        let score = score.with_context(|| format!("{} gave \"{best}\" no score", self.name()))?;
        Ok(Some(Verdict {
            best,
            chances: winning_chances(score),
        }))
    }
}

fn search(
    engine: &mut Engine,
    line: &GameHistory,
    only: Option<Move>,
    depth: Depth,
) -> (Option<String>, Option<Score>) {
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let search = SearchRequest {
        only: only.into_iter().collect(),
        by_terms: true,
        ..SearchRequest::new(line.clone(), limits)
    };
    let around = SearchControl {
        stop: &Stop::new(),
        clock: &Stopwatch::start(),
    };
    engine.clear();
    let report = engine.search(&search, &around, &mut |_| {});
    let best = report.best().map(|mv| write_uci(mv, line.variant()));
    (best, report.lines.first().map(|line| line.score))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::Variant;

    fn judged(fen: &str, moves: &[&str]) -> Option<JudgedMoves> {
        let line = GameHistory::replay(Variant::Standard, fen, "").unwrap();
        let moves: Vec<Move> = moves
            .iter()
            .map(|text| parse_uci(line.position(), text).unwrap())
            .collect();
        let mut kept = SearchCache::open(None).unwrap();
        Judge::own(Depth(4))
            .losses(&mut kept, "x", &line, &moves)
            .unwrap()
    }

    #[test]
    fn what_gives_a_queen_away_loses_and_what_takes_one_does_not() {
        let judged = judged("3qk3/8/8/8/8/8/5PPP/3RK3 w - - 0 1", &["d1d8", "h2h3"]).unwrap();
        let losses = &judged.losses;
        assert!(
            losses[0] < 1.0 && losses[1] > 20.0 && judged.chances > 60.0,
            "{judged:?}"
        );
        assert!(judged.best.unwrap().is_capture());
    }

    #[test]
    fn what_is_said_of_a_move_does_not_depend_on_the_others() {
        let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
        let one = judged(fen, &["h7h6", "g8f6", "f7f6"]).unwrap().losses;
        let other = judged(fen, &["f7f6", "h7h6", "g8f6"]).unwrap().losses;
        assert_eq!([one[0], one[1], one[2]], [other[1], other[2], other[0]]);
    }

    #[test]
    fn another_engine_judges_by_its_scores_and_is_asked_once() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("toy");
        let toy = r#"while read -r line; do case "$line" in
            uci) echo "id name Toy 1.0"; echo uciok;;
            isready) echo readyok;;
            "go depth 3") echo "info depth 3 score cp 50"; echo "bestmove e2e4";;
            "go depth 3 searchmoves a2a3") echo "info depth 3 score cp -50"; echo "bestmove a2a3";;
            "go depth 3 searchmoves d2d4") echo "info depth 3 score cp 70"; echo "bestmove d2d4";;
            quit) exit;;
            esac; done"#;
        std::fs::write(&program, toy).unwrap();
        let mut judge = Judge::guest(&format!("sh {}", program.display()), Depth(3)).unwrap();
        assert_eq!(judge.name(), "Toy 1.0 of depth 3");
        let line = GameHistory::replay(Variant::Standard, "startpos", "").unwrap();
        let moves = ["e2e4", "a2a3", "d2d4", "a2a3"].map(|text| parse_uci(line.position(), text).unwrap());
        let path = folder.path().join("kept.jsonl");
        let mut kept = SearchCache::open(Some(&path)).unwrap();
        let JudgedMoves {
            best,
            chances,
            losses,
        } = judge.losses(&mut kept, "x", &line, &moves).unwrap().unwrap();
        drop(kept);
        assert!((chances - 54.6).abs() < 0.1, "{chances}");
        assert_eq!(best, Some(moves[0]));
        // What looks better alone than the best did loses nothing.
        assert_eq!([losses[0], losses[2]], [0.0, 0.0]);
        assert!(
            (losses[1] - 9.2).abs() < 0.1 && losses[3] == losses[1],
            "{losses:?}"
        );
        let lines = std::fs::read_to_string(path).unwrap().lines().count();
        assert_eq!(lines, 4, "the heading and three verdicts");
    }

    #[test]
    fn a_game_that_is_over_has_no_verdict() {
        assert_eq!(judged("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", &[]), None);
    }
}
