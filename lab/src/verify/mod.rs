//! `sparring-lab verify-endgames`: what the engine claims of an ending beside what endgame tables know, for every position there is.

mod rook_pawn;

use std::{
    fmt,
    ops::AddAssign,
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use anyhow::{Context as _, bail};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Board, Piece};

use rook_pawn::Solved;

use sparring::cli::{exit::Exit, print};
use sparring_chess::{Color, Position, Role, Rules as _, Square, position_of, write_fen};
use sparring_engine::{Tablebase, bench, cannot_win};
use sparring_journal::{FinishedTask, Heading, Journal, Shard, TaskId};

/// Proves what the engine knows of an ending by endgame tables.
///
/// Of the positions of the ending, both sides to move: how many the stronger side wins, how many of the others the engine says it
/// does not, and how many of the wins, which fails the command. Mirrored positions are left out, but for those on a diagonal.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring-lab verify-endgames KBvKP --tables syzygy
  sparring-lab verify-endgames KRPvKR --tables syzygy                   tables of four men are enough
  sparring-lab verify-endgames KBNvKN --tables syzygy --every 100
  sparring-lab verify-endgames KBNvKN --tables syzygy --shard 3/8 --record 3.ndjson    # a part of it; `sparring merge` puts them together")]
pub struct Args {
    /// The ending, named as its table.
    #[arg(ignore_case = true)]
    ending: Ending,
    /// The folder of Syzygy tables; may be given again.
    #[arg(long, required = true)]
    tables: Vec<PathBuf>,
    /// Looks at one position of so many, drawn by chance, the same ones each time.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Keeps a row for each square of the first man here, to go on after a kill.
    #[arg(long)]
    record: Option<PathBuf>,
    /// Looks at one part of the squares: 3/8 is the third of eight.
    #[arg(long, value_name = "I/N", requires = "record")]
    shard: Option<Shard>,
}

/// An ending of which the engine claims draws.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Ending {
    /// A bishop against a pawn.
    #[value(name = "KBvKP")]
    BishopPawn,
    /// Bishop and knight against a knight.
    #[value(name = "KBNvKN")]
    Minors,
    /// Rook and pawn against a rook.
    #[value(name = "KRPvKR")]
    RookPawn,
}

/// What is known of the positions of an ending.
enum Truth<'t> {
    Tables(&'t Tablebase),
    Solved(Box<Solved>),
}

/// Counts.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Count {
    won: u64,
    not_won: u64,
    /// Of those not won.
    claimed: u64,
    /// Of those won.
    wrong: u64,
    /// The first of the latter, as FEN.
    examples: Vec<String>,
}

/// What was counted with the first man on one square.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SquareRow {
    /// The square's number among those of the first man.
    unit: u64,
    #[serde(flatten)]
    count: Count,
}

impl FinishedTask for SquareRow {
    fn id(&self) -> TaskId {
        TaskId::of(self.unit)
    }
}

/// So many positions that are claimed wrongly are shown.
const EXAMPLES: usize = 5;

/// Which positions are looked at. Regular steps would keep time with the squares, so that some men were always on the same ones.
struct Sample {
    /// The number of the position to come, and of the next one to look at.
    number: u64,
    next: u64,
    every: u64,
    chance: ChaCha8Rng,
}

/// Counts, prints, and fails where a win is claimed to be none.
///
/// # Errors
/// When the tables cannot be used or do not hold the ending.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let tables = Tablebase::open(&args.tables)?;
    let truth = match args.ending {
        Ending::RookPawn => Truth::Solved(Box::new(Solved::by(&tables)?)),
        _ => Truth::Tables(&tables),
    };
    let heading = Heading::new("verify-endgames", args.shard)
        .with("build", bench::build_id())
        .with("ending", args.ending.name())
        .with("every", args.every);
    let mut record = match &args.record {
        Some(path) => Journal::open(path, &heading)?,
        None => Journal::new(),
    };
    let count = args.ending.count(&truth, args.every, &mut record)?;
    // There are no more squares than shards in a division that is too fine.
    if count.won + count.not_won == 0 && args.shard.is_none() {
        bail!("no position was looked at");
    }
    if args.every > 1 {
        print(format_args!("one position of {}, by chance", args.every))?;
    }
    print(&count)?;
    Ok(if count.wrong == 0 {
        Exit::Success
    } else {
        Exit::Failed
    })
}

/// Message for a missing table.
fn missing(ending: &str) -> String {
    format!("{ending}.rtbw is not among the tables, or cannot be read")
}

impl Ending {
    /// The name of its table.
    fn name(self) -> &'static str {
        match self {
            Self::BishopPawn => "KBvKP",
            Self::Minors => "KBNvKN",
            Self::RookPawn => "KRPvKR",
        }
    }

    /// The men, the one first of which mirrored squares are left out, and the squares that it may stand on.
    fn men(self) -> (&'static [Piece], Bitboard) {
        const fn piece(color: Color, role: Role) -> Piece {
            Piece { color, role }
        }
        const KINGS: [Piece; 2] = [piece(Color::White, Role::King), piece(Color::Black, Role::King)];
        const BISHOP_PAWN: &[Piece] = &[
            piece(Color::White, Role::Pawn),
            KINGS[0],
            KINGS[1],
            piece(Color::Black, Role::Bishop),
        ];
        const MINORS: &[Piece] = &[
            KINGS[0],
            KINGS[1],
            piece(Color::White, Role::Bishop),
            piece(Color::White, Role::Knight),
            piece(Color::Black, Role::Knight),
        ];
        const ROOK_PAWN: &[Piece] = &[
            piece(Color::White, Role::Pawn),
            KINGS[0],
            KINGS[1],
            piece(Color::White, Role::Rook),
            piece(Color::Black, Role::Rook),
        ];
        /// The squares a2 to d7.
        const PAWNS: Bitboard = Bitboard(0x000f_0f0f_0f0f_0f00);
        /// The triangle of a1, d1 and d4.
        const EIGHTH: Bitboard = Bitboard(0x0000_0000_080c_0e0f);
        match self {
            Self::BishopPawn => (BISHOP_PAWN, PAWNS),
            Self::Minors => (MINORS, EIGHTH),
            Self::RookPawn => (ROOK_PAWN, PAWNS),
        }
    }

    /// Counts one position of `every` of what the record lacks, and adds up the record.
    fn count(self, truth: &Truth<'_>, every: u64, record: &mut Journal<SquareRow>) -> anyhow::Result<Count> {
        let (men, anchors) = self.men();
        let anchors: Vec<(u64, Square)> = (0..)
            .zip(anchors)
            .filter(|(unit, _)| record.lacks(TaskId::of(*unit)))
            .collect();
        let next = AtomicUsize::new(0);
        let record = Mutex::new(record);
        let work = || {
            while let Some((unit, anchor)) = anchors.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut count = Count::default();
                let mut board = Board::empty();
                board.set_piece_at(*anchor, men[0]);
                let mut sample = Sample::new(every, *anchor);
                self.place(&board, &men[1..], truth, &mut sample, &mut count)?;
                let mut record = record.lock().unwrap_or_else(PoisonError::into_inner);
                record.add(SquareRow { unit: *unit, count })?;
            }
            anyhow::Ok(())
        };
        // The others stop too.
        let work = || work().inspect_err(|_| next.store(anchors.len(), Ordering::Relaxed));
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            let hands: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            hands
                .into_iter()
                .try_for_each(|hand| hand.join().map_err(|_| anyhow::anyhow!("a worker panicked"))?)
        })?;
        let mut sum = Count::default();
        let record = record.into_inner().unwrap_or_else(PoisonError::into_inner);
        for row in record.rows() {
            sum += row.count.clone();
        }
        Ok(sum)
    }

    /// Puts the men that are left everywhere, and counts the legal positions of the sample.
    fn place(
        self,
        board: &Board,
        men: &[Piece],
        truth: &Truth<'_>,
        sample: &mut Sample,
        count: &mut Count,
    ) -> anyhow::Result<()> {
        let free = !board.occupied();
        let below = (0..men.len()).fold(2, |places, taken| places * (free.count() - taken) as u64);
        if sample.passes(below) {
            return Ok(());
        }
        let Some((man, rest)) = men.split_first() else {
            for turn in Color::ALL {
                if sample.takes()
                    && let Some(pos) = position_of(board, turn)
                {
                    let is_won = truth.is_won(&pos).with_context(|| missing(self.name()))?;
                    count.add(&pos, is_won);
                }
            }
            return Ok(());
        };
        for square in free {
            let mut board = board.clone();
            board.set_piece_at(square, *man);
            self.place(&board, rest, truth, sample, count)?;
        }
        Ok(())
    }
}

impl Sample {
    fn new(every: u64, anchor: Square) -> Self {
        let mut chance = ChaCha8Rng::seed_from_u64(anchor as u64);
        Self {
            number: 0,
            next: chance.random_range(0..every),
            every,
            chance,
        }
    }

    /// Passes over so many positions if none of them is to be looked at.
    fn passes(&mut self, count: u64) -> bool {
        let passes = self.number + count <= self.next;
        if passes {
            self.number += count;
        }
        passes
    }

    /// Whether the next position is checked.
    fn takes(&mut self) -> bool {
        if self.passes(1) {
            return false;
        }
        self.number += 1;
        self.next += self.chance.random_range(1..2 * self.every);
        true
    }
}

impl Truth<'_> {
    /// Whether white wins.
    fn is_won(&self, pos: &Position) -> Option<bool> {
        match self {
            Self::Tables(tables) => Some(tables.winner(pos)? == Some(Color::White)),
            Self::Solved(solved) => solved.is_won(pos.board(), pos.turn()),
        }
    }
}

impl Count {
    fn add(&mut self, pos: &Position, is_won: bool) {
        let is_claimed = cannot_win(pos.board(), pos.turn()) == Some(Color::White);
        if is_won {
            self.won += 1;
            self.wrong += u64::from(is_claimed);
            if is_claimed && self.examples.len() < EXAMPLES {
                self.examples.push(write_fen(pos));
            }
        } else {
            self.not_won += 1;
            self.claimed += u64::from(is_claimed);
        }
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.won += other.won;
        self.not_won += other.not_won;
        self.claimed += other.claimed;
        self.wrong += other.wrong;
        self.examples.extend(other.examples);
        self.examples.truncate(EXAMPLES);
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = 100.0 * self.claimed as f64 / self.not_won.max(1) as f64;
        writeln!(f, "positions       {}", self.won + self.not_won)?;
        writeln!(f, "won             {}", self.won)?;
        writeln!(f, "not won         {}", self.not_won)?;
        writeln!(f, "of them claimed {} ({share:.1} %)", self.claimed)?;
        write!(f, "claimed wrongly {}", self.wrong)?;
        self.examples
            .iter()
            .try_for_each(|fen| write!(f, "\n                {fen}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed;
    use sparring_chess::{Variant, parse_fen};
    use sparring_engine::shared_tables;

    #[test]
    fn no_win_is_claimed_to_be_none_and_many_draws_are_claimed() {
        let Some(tables) = shared_tables() else { return };
        for (ending, every, all, least) in [
            (Ending::BishopPawn, 200, 9_427_184, 80),
            (Ending::Minors, 20_000, 219_681_388, 40),
        ] {
            let count = ending
                .count(&Truth::Tables(&tables), every, &mut Journal::new())
                .unwrap();
            assert_eq!(count.wrong, 0, "{ending:?}: {count}");
            assert!(100 * count.claimed > least * count.not_won, "{ending:?}: {count}");
            let seen = (count.not_won + count.won) * every;
            assert!(seen.abs_diff(all) < all / 50, "{ending:?}: {seen}");
        }
    }

    #[test]
    fn shards_of_the_squares_are_the_whole() {
        let Some(tables) = shared_tables() else { return };
        let folder = tempfile::tempdir().unwrap();
        let count = |path: &std::path::Path, shard: &str| {
            let heading = Heading::new("verify-endgames", shard.parse().ok());
            let mut record = Journal::open(path, &heading).unwrap();
            let count = Ending::BishopPawn.count(&Truth::Tables(&tables), 2_000, &mut record);
            (count.unwrap(), record.len())
        };
        let (whole, squares) = count(&folder.path().join("whole"), "");
        assert_eq!(squares, 24, "a2 to d7");
        let parts: Vec<PathBuf> = (1..=8)
            .map(|number| folder.path().join(number.to_string()))
            .collect();
        for (number, path) in (1..).zip(&parts) {
            assert_eq!(
                count(path, &format!("{number}/8")).1,
                3,
                "each shard has its squares"
            );
        }
        let merged = folder.path().join("merged");
        sparring_journal::merge(&parts).unwrap().write(&merged).unwrap();
        assert_eq!(count(&merged, ""), (whole, squares));
    }

    #[test]
    fn an_ending_without_tables_is_refused() {
        let Some(tables) = shared_tables() else { return };
        let error = Ending::RookPawn
            .count(&Truth::Tables(&tables), 1_000_003, &mut Journal::new())
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "KRPvKR.rtbw is not among the tables, or cannot be read"
        );
        assert!(parsed::<Args>(["verify", "KQvK", "--tables", "."]).is_err());
        assert!(parsed::<Args>(["verify", "KBvKP", "--tables", ".", "--every", "0"]).is_err());
        assert!(parsed::<Args>(["verify", "krpvkr", "--tables", "."]).is_ok());
    }

    #[test]
    fn a_sample_is_irregular_and_of_the_size_asked_for() {
        let mut sample = Sample::new(10, Square::A2);
        let mut taken = Vec::new();
        for number in 0..10_000_u64 {
            if sample.takes() {
                taken.push(number);
            }
        }
        assert!((900..1_100).contains(&taken.len()), "{}", taken.len());
        let odd = taken.iter().filter(|number| *number % 2 == 1).count();
        assert!((400..600).contains(&odd), "{odd}");
        let mut whole = Sample::new(1, Square::A2);
        assert!((0..1_000).all(|_| whole.takes()));
        // What is passed over at once is what would not have been taken one by one.
        let (mut one, mut other) = (Sample::new(50, Square::B3), Sample::new(50, Square::B3));
        for _ in 0..1_000 {
            let singly: Vec<bool> = (0..7).map(|_| one.takes()).collect();
            if !other.passes(7) {
                let again: Vec<bool> = (0..7).map(|_| other.takes()).collect();
                assert_eq!(again, singly);
            } else {
                assert!(singly.iter().all(|taken| !taken));
            }
        }
    }

    #[test]
    fn what_is_counted_is_told_with_what_is_wrong() {
        let lucena = parse_fen(Variant::Standard, "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1").unwrap();
        let philidor = parse_fen(Variant::Standard, "4k3/7R/r7/3KP3/8/8/8/8 w - - 0 1").unwrap();
        let mut count = Count::default();
        count.add(&lucena, true);
        count.add(&lucena, false);
        count.add(&philidor, false);
        count.add(&philidor, true);
        assert_eq!(
            count.to_string(),
            "positions       4\nwon             2\nnot won         2\nof them claimed 1 (50.0 %)\nclaimed wrongly 1\n                \
             4k3/7R/r7/3KP3/8/8/8/8 w - - 0 1"
        );
    }
}
