//! Reference engine: evaluates moves by a search independent of players and levels, built in or an external UCI engine.

use anyhow::Context as _;

use super::search_cache::{Evaluation, Question, SearchCache};
use sparring_chess::{
    GameHistory, Move, parse_uci,
    units::{Depth, Millis, Stopwatch},
    write_uci,
};
use sparring_engine::{Engine, Limits, Score, SearchControl, SearchRequest, Stop};
use sparring_personality::human_model::winning_chances;
use sparring_uci_client::{EngineSpec, GoLimits, Patience, UciProcess};

/// Hash size in MiB.
const HASH: usize = 16;
/// Time-out of an external engine.
const PATIENCE: Millis = Millis(120_000);

/// An engine that searches each position to a fixed depth with cleared state, so that evaluations do not depend on the order
/// of requests.
pub struct ReferenceEngine {
    backend: Backend,
    depth: Depth,
}

enum Backend {
    Builtin(Box<Engine>),
    External(Box<UciProcess>),
}

/// Losses of the moves of a position.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveLosses {
    /// The move that it would play.
    pub best: Option<Move>,
    /// The winning chances of the side to move after that, from 0 to 100.
    pub chances: f32,
    /// Loss of each move against it, in percentage points of winning chances.
    pub losses: Vec<f32>,
}

impl ReferenceEngine {
    /// Our own search.
    #[must_use]
    pub fn builtin(depth: Depth) -> Self {
        Self {
            backend: Backend::Builtin(Box::new(Engine::new(HASH))),
            depth,
        }
    }

    /// Another engine, as a process that speaks UCI.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn external(program: &str, depth: Depth) -> anyhow::Result<Self> {
        let spec = EngineSpec {
            name: program.to_owned(),
            command: program.split_ascii_whitespace().map(str::to_owned).collect(),
            // Without them it has one thread, and a table of its own size.
            if_offered: vec![
                ("Threads".to_owned(), "1".to_owned()),
                ("Hash".to_owned(), HASH.to_string()),
            ],
            ..EngineSpec::default()
        };
        Ok(Self {
            backend: Backend::External(Box::new(UciProcess::start(&spec)?)),
            depth,
        })
    }

    /// Name and depth.
    #[must_use]
    pub fn name(&self) -> String {
        let who = match &self.backend {
            Backend::Builtin(_) => "our search",
            Backend::External(player) => player.title().unwrap_or(player.name()),
        };
        format!("{who} of depth {}", self.depth.0)
    }

    /// Losses of moves in a game's last position, cached. `None` if there is no legal move.
    ///
    /// # Errors
    /// When the engine fails or the cache cannot be written.
    pub fn losses(
        &mut self,
        kept: &mut SearchCache,
        game: &str,
        line: &GameHistory,
        moves: &[Move],
    ) -> anyhow::Result<Option<MoveLosses>> {
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
        Ok(Some(MoveLosses {
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
    ) -> anyhow::Result<Option<Evaluation>> {
        let question = Question {
            judge: self.name(),
            id: game.to_owned(),
            ply: line.ply(),
            only: only.map(|mv| write_uci(mv, line.variant())),
        };
        kept.verdict(question, || self.verdict(line, only))
    }

    fn verdict(&mut self, line: &GameHistory, only: Option<Move>) -> anyhow::Result<Option<Evaluation>> {
        let (best, score) = match &mut self.backend {
            Backend::Builtin(engine) => search(engine, line, only, self.depth),
            Backend::External(player) => {
                player.new_game()?;
                let answer = {
                    let limits = GoLimits {
                        depth: Some(self.depth),
                        only,
                        ..GoLimits::default()
                    };
                    player.search(line, &limits, Patience::of(PATIENCE))?
                };
                (Some(answer.best), answer.score)
            }
        };
        // Engines write a missing best move in several ways.
        let Some(best) = best.filter(|best| best.len() >= 4 && best != "(none)") else {
            return Ok(None);
        };
        let score = score.with_context(|| format!("{} gave \"{best}\" no score", self.name()))?;
        Ok(Some(Evaluation {
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
        search_moves: only.into_iter().collect(),
        classical_only: true,
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

    fn judged(fen: &str, moves: &[&str]) -> Option<MoveLosses> {
        let line = GameHistory::replay(Variant::Standard, fen, "").unwrap();
        let moves: Vec<Move> = moves
            .iter()
            .map(|text| parse_uci(line.position(), text).unwrap())
            .collect();
        let mut kept = SearchCache::open(None).unwrap();
        ReferenceEngine::builtin(Depth(4))
            .losses(&mut kept, "x", &line, &moves)
            .unwrap()
    }

    #[test]
    fn losing_a_queen_costs_and_winning_one_does_not() {
        let judged = judged("3qk3/8/8/8/8/8/5PPP/3RK3 w - - 0 1", &["d1d8", "h2h3"]).unwrap();
        let losses = &judged.losses;
        assert!(
            losses[0] < 1.0 && losses[1] > 20.0 && judged.chances > 60.0,
            "{judged:?}"
        );
        assert!(judged.best.unwrap().is_capture());
    }

    #[test]
    fn losses_do_not_depend_on_the_order_of_moves() {
        let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
        let one = judged(fen, &["h7h6", "g8f6", "f7f6"]).unwrap().losses;
        let other = judged(fen, &["f7f6", "h7h6", "g8f6"]).unwrap().losses;
        assert_eq!([one[0], one[1], one[2]], [other[1], other[2], other[0]]);
    }

    #[test]
    fn an_external_engine_is_queried_once_per_move() {
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
        let mut judge = ReferenceEngine::external(&format!("sh {}", program.display()), Depth(3)).unwrap();
        assert_eq!(judge.name(), "Toy 1.0 of depth 3");
        let line = GameHistory::replay(Variant::Standard, "startpos", "").unwrap();
        let moves = ["e2e4", "a2a3", "d2d4", "a2a3"].map(|text| parse_uci(line.position(), text).unwrap());
        let path = folder.path().join("kept.jsonl");
        let mut kept = SearchCache::open(Some(&path)).unwrap();
        let MoveLosses {
            best,
            chances,
            losses,
        } = judge.losses(&mut kept, "x", &line, &moves).unwrap().unwrap();
        drop(kept);
        assert!((chances - 54.6).abs() < 0.1, "{chances}");
        assert_eq!(best, Some(moves[0]));
        // A move that evaluates above the best one has no loss.
        assert_eq!([losses[0], losses[2]], [0.0, 0.0]);
        assert!(
            (losses[1] - 9.2).abs() < 0.1 && losses[3] == losses[1],
            "{losses:?}"
        );
        let lines = std::fs::read_to_string(path).unwrap().lines().count();
        assert_eq!(lines, 4, "the heading and three verdicts");
    }

    #[test]
    fn a_finished_game_has_no_evaluation() {
        assert_eq!(judged("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", &[]), None);
    }
}
