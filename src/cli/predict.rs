//! `sparring predict`: chances of people's moves in the positions of standard input, a line for each.

use std::{
    fmt,
    io::{BufWriter, Write as _, stdin, stdout},
    path::PathBuf,
};

use anyhow::Context as _;
use serde::{Deserialize, Serialize, Serializer};

use crate::{cli::exit::Exit, config::TimeControlLimit};
use sparring_chess::{GameHistory, Move, Variant, units::Elo, write_uci};
use sparring_engine::Engine;
use sparring_files::lines::Lines;
use sparring_personality::human_model::{Candidate, Context, Model, PolicyNetwork, RootScores};
use sparring_policy_net::{Clock, Speed};

/// Predicts people's moves in the positions of standard input, one a line: moves from the start position, a FEN, or a FEN and
/// moves. A line may also be JSON with its own rating, opponent and clock.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  echo 'e2e4 e7e5 g1f3' | sparring predict --rating 1500 --clock 5+3
  echo '{\"moves\": \"e2e4 e7e5\", \"rating\": 1480, \"opponent\": 1530, \"clock\": \"5+3\"}' | sparring predict --json
  sparring predict --network maia-1500.pb.gz --json < positions.txt")]
pub struct Args {
    /// The mover's rating on lichess.
    #[arg(long, default_value_t = 1500)]
    rating: u16,
    /// The opponent's rating; without, one like the mover's.
    #[arg(long)]
    opponent: Option<u16>,
    /// The time control, minutes and seconds; without, blitz.
    #[arg(long, value_name = "5+3", value_parser = clock)]
    clock: Option<TimeControlLimit>,
    /// Corrects the chances by a search, as levels do.
    #[arg(long, conflicts_with = "network")]
    search: bool,
    /// Asks another network, ours or one of lc0's format such as Maia.
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Prints JSON lines: chances by move, likeliest first, chances of win, draw and loss, and the likeliest move.
    #[arg(long)]
    json: bool,
}

/// A line of input in JSON. Without FEN the game begins at the start position.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(default)]
    fen: Option<String>,
    #[serde(default)]
    moves: String,
    rating: Option<u16>,
    opponent: Option<u16>,
    clock: Option<String>,
}

/// A position and who is to move.
struct Question {
    game: GameHistory,
    player: Context,
}

/// What is printed of a position; no outcome and no move if the game is over.
#[derive(Serialize)]
struct Answer {
    chances: Chances,
    wdl: Option<[f32; 3]>,
    #[serde(rename = "move")]
    likeliest: Option<String>,
}

/// A line that cannot be answered.
#[derive(Serialize)]
struct Refusal {
    error: String,
}

/// Moves with their chances, likeliest first.
struct Chances(Vec<(String, f32)>);

impl Serialize for Chances {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(mv, chance)| (mv, chance)))
    }
}

/// The likeliest five moves, and the outcome.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(wdl) = self.wdl else {
            return f.write_str("the game is over");
        };
        for (mv, chance) in self.chances.0.iter().take(5) {
            write!(f, "{mv} {:.1} %  ", 100.0 * chance)?;
        }
        let [win, draw, loss] = wdl.map(|chance| 100.0 * chance);
        write!(f, "| win {win:.0} %, draw {draw:.0} %, loss {loss:.0} %")
    }
}

/// Predicts each line. A line that is no position gets an error in its place, and the command ends with exit code 1.
///
/// # Errors
/// When the network's file is none, or standard input or output fails.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut predictor = Predictor::new(args)?;
    let mut lines = Lines::new(stdin().lock());
    let mut out = BufWriter::new(stdout().lock());
    let (mut number, mut exit) = (0, Exit::Success);
    while let Some(line) = lines.next_text().context("standard input")? {
        number += 1;
        let answer = question(&line, args).and_then(|question| predictor.answer(&question));
        let written = match answer {
            Ok(answer) if args.json => writeln!(out, "{}", serde_json::to_string(&answer)?),
            Ok(answer) => writeln!(out, "{answer}"),
            Err(error) => {
                exit = Exit::Failed;
                let error = format!("line {number}: {error:#}");
                if args.json {
                    writeln!(out, "{}", serde_json::to_string(&Refusal { error })?)
                } else {
                    writeln!(out, "{error}")
                }
            }
        };
        // Whoever asks line by line waits for each answer.
        match written.and_then(|()| out.flush()) {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(exit),
            written => written.context("standard output")?,
        }
    }
    Ok(exit)
}

/// What answers the questions.
struct Predictor {
    network: Option<PolicyNetwork>,
    engine: Option<Engine>,
}

impl Predictor {
    fn new(args: &Args) -> anyhow::Result<Self> {
        const HASH_MB: usize = 2;
        Ok(Self {
            network: args.network.as_deref().map(PolicyNetwork::open).transpose()?,
            engine: args.search.then(|| Engine::new(HASH_MB)),
        })
    }

    fn answer(&mut self, question: &Question) -> anyhow::Result<Answer> {
        let Question { game, player } = question;
        let model = Model::shipped();
        let network = self.network.as_ref().unwrap_or(&model.network);
        let prediction = network
            .look(game, player)
            .context("the network knows only orthodox chess and Chess960")?;
        let mut chances: Vec<(Move, f32)> = match &mut self.engine {
            Some(engine) => {
                let scored = RootScores::search(engine, game);
                let candidates = model.adjust(&prediction.chances, game, player, &scored);
                candidates
                    .iter()
                    .map(|Candidate { mv, chance, .. }| (*mv, *chance))
                    .collect()
            }
            None => prediction.chances,
        };
        chances.sort_by(|a, b| b.1.total_cmp(&a.1));
        let chances: Vec<(String, f32)> = chances
            .into_iter()
            .map(|(mv, chance)| (write_uci(mv, Variant::Standard), rounded(chance)))
            .collect();
        Ok(Answer {
            likeliest: chances.first().map(|(mv, _)| mv.clone()),
            wdl: (!chances.is_empty()).then(|| prediction.wdl.map(rounded)),
            chances: Chances(chances),
        })
    }
}

/// Six decimals.
fn rounded(chance: f32) -> f32 {
    const SCALE: f32 = 1e6;
    (chance * SCALE).round() / SCALE
}

/// Reads a line: JSON, moves, or a FEN and perhaps moves.
fn question(line: &str, args: &Args) -> anyhow::Result<Question> {
    let line = line.trim();
    let row = if line.starts_with('{') {
        serde_json::from_str(line).context("the JSON is not as expected")?
    } else {
        let (fen, moves) = fen_and_moves(line);
        Row {
            fen,
            moves,
            rating: None,
            opponent: None,
            clock: None,
        }
    };
    let start = row.fen.as_deref().unwrap_or("startpos");
    // The error has its cause in its own text.
    let game = GameHistory::replay(Variant::Standard, start, &row.moves)
        .map_err(|error| anyhow::Error::msg(error.to_string()))?;
    let clock = match &row.clock {
        Some(text) => Some(clock(text).map_err(anyhow::Error::msg)?),
        None => args.clock,
    };
    Ok(Question {
        game,
        player: player(
            row.rating.unwrap_or(args.rating),
            row.opponent.or(args.opponent),
            clock,
        ),
    })
}

/// The FEN of a line, if it has one, and its moves. A FEN is the first to sixth word; the word `moves` may follow.
fn fen_and_moves(line: &str) -> (Option<String>, String) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_move = |word: &&str| {
        let squares = word.as_bytes();
        matches!(squares, [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', ..])
    };
    let fen_words = match words.first() {
        Some(first) if first.contains('/') => words
            .iter()
            .take(6)
            .take_while(|word| !is_move(word) && **word != "moves")
            .count(),
        Some(&"startpos") => 1,
        _ => 0,
    };
    let (fen, moves) = words.split_at(fen_words);
    let moves = moves.strip_prefix(&["moves"]).unwrap_or(moves);
    ((fen_words > 0).then(|| fen.join(" ")), moves.join(" "))
}

fn clock(text: &str) -> Result<TimeControlLimit, String> {
    TimeControlLimit::parse(text)
        .ok_or_else(|| format!("\"{text}\" is no clock: write minutes+seconds, as in 5+3"))
}

/// The player of a question. What is left on the clock is unknown.
fn player(rating: u16, opponent: Option<u16>, clock: Option<TimeControlLimit>) -> Context {
    let known = Context {
        opponent_rating: opponent,
        ..Context::rated(Elo(rating.into()))
    };
    let Some(TimeControlLimit { initial, increment }) = clock else {
        return known;
    };
    Context {
        speed: Some(Speed::of(initial, increment)),
        clock: Some(Clock {
            initial,
            increment,
            left: None,
            opponent_left: None,
        }),
        ..known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::parsed;

    fn args(words: &[&str]) -> Args {
        parsed(["predict"].iter().chain(words).copied()).unwrap()
    }

    fn answer(line: &str, words: &[&str]) -> anyhow::Result<Answer> {
        let args = args(words);
        question(line, &args).and_then(|question| Predictor::new(&args)?.answer(&question))
    }

    #[test]
    fn a_position_is_moves_or_a_fen_or_both() {
        let key = |line: &str| question(line, &args(&[])).unwrap().game.position().clone();
        let after_e4 = key("e2e4");
        for line in [
            "startpos moves e2e4",
            "startpos e2e4",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 e2e4",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - e2e4",
            "{\"moves\": \"e2e4\"}",
            "{\"fen\": \"startpos\", \"moves\": \"e2e4\"}",
        ] {
            assert_eq!(key(line), after_e4, "{line}");
        }
        assert_eq!(key(""), key("startpos"));
    }

    #[test]
    fn a_line_overrides_rating_opponent_and_clock() {
        let args = args(&["--rating", "1200", "--clock", "1+0"]);
        let player = |line: &str| question(line, &args).unwrap().player;
        let own = player("{\"rating\": 1480, \"opponent\": 1530, \"clock\": \"15+10\"}");
        assert_eq!(
            (own.rating, own.opponent_rating, own.speed),
            (1480, Some(1530), Some(Speed::Rapid))
        );
        let usual = player("e2e4");
        assert_eq!(
            (usual.rating, usual.opponent_rating, usual.speed),
            (1200, None, Some(Speed::Bullet))
        );
    }

    #[test]
    fn answers_are_json_with_the_likeliest_move_first() {
        for words in [&[][..], &["--search"]] {
            let answer = answer("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6", words).unwrap();
            let json: serde_json::Value =
                serde_json::from_str(&serde_json::to_string(&answer).unwrap()).unwrap();
            let chances: Vec<f64> = json["chances"]
                .as_object()
                .unwrap()
                .values()
                .filter_map(serde_json::Value::as_f64)
                .collect();
            assert_eq!(chances.len(), 26);
            assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-3);
            let likeliest = json["move"].as_str().unwrap();
            assert!(["d7c6", "b7c6"].contains(&likeliest), "{likeliest}");
            assert_eq!(answer.chances.0[0].0, likeliest);
            assert!(answer.chances.0.is_sorted_by(|a, b| a.1 >= b.1));
            assert_eq!(json["wdl"].as_array().unwrap().len(), 3);
        }
    }

    #[test]
    fn a_finished_game_has_no_move() {
        let answer = answer("f2f3 e7e5 g2g4 d8h4", &[]).unwrap();
        assert_eq!(
            serde_json::to_string(&answer).unwrap(),
            "{\"chances\":{},\"wdl\":null,\"move\":null}"
        );
        assert_eq!(answer.to_string(), "the game is over");
    }

    #[test]
    fn what_is_no_position_is_named() {
        let said = |line: &str| format!("{:#}", answer(line, &[]).err().unwrap());
        assert!(
            said("e2e4 e7e6 e4e6").contains("move 3"),
            "{}",
            said("e2e4 e7e6 e4e6")
        );
        assert!(said("{\"rateing\": 1500}").contains("rateing"));
        assert!(said("{\"clock\": \"5 min\"}").contains("as in 5+3"));
        assert!(said("8/8/8/8/8/8/8/8 w - - 0 1").contains("king"));
    }
}
