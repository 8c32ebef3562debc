//! Syzygy probe of a node below the root: a cutoff, or bounds of its score.

use shakmaty_syzygy::Wdl;

use super::{
    bounds::Bounds,
    move16::Move16,
    node_context::NodeContext,
    score::{DEEPEST, TABLE_WIN, to_table},
    syzygy::Tablebase,
    thread_data::Searcher,
    tt::{Bound, Entry, NO_EVAL},
};
use sparring_chess::{Position, Rules as _};

/// So many plies deeper than its node a result counts in the transposition table: files are slower to read than the table.
const EXTRA_DEPTH: i32 = 6;

/// What the tables say of a node: its score, or a bound of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProbeResult {
    /// Worth at least this: a mate may be nearer.
    Win(i32),
    Draw(i32),
    /// Worth at most this.
    Loss(i32),
}

impl Searcher<'_> {
    /// The score of a node that the tablebases decide within its window. Where they leave it open, because the window asks
    /// for more than a win or for less than a loss, they bound its score.
    pub fn tablebase_cutoff(&self, here: &mut NodeContext<'_>) -> Option<i32> {
        let tables = self.tablebase.filter(|_| here.excluded.is_none())?;
        let result = probe(tables, &here.node.pos, here.ply, self.style.draw(here.node.turn))?;
        self.pool.add_table_hits(1);
        let (bound, score) = match result {
            ProbeResult::Draw(score) => (Bound::Exact, score),
            ProbeResult::Win(least) if least >= here.beta => (Bound::Lower, least),
            ProbeResult::Win(least) => {
                here.bounds = Bounds::from(least);
                here.alpha = here.alpha.max(least);
                return None;
            }
            ProbeResult::Loss(most) if most <= here.alpha => (Bound::Upper, most),
            ProbeResult::Loss(most) => {
                here.bounds = Bounds::to(most);
                return None;
            }
        };
        let entry = Entry {
            mv: Move16::default(),
            score: to_table(score, here.ply),
            eval: NO_EVAL,
            depth: (here.depth + EXTRA_DEPTH).min(DEEPEST),
            bound,
            pv: here.pv || here.entry.is_some_and(|entry| entry.pv),
        };
        let last = self.memory.frame_before(here.ply, 1).mv;
        self.table.store(self.table_key(here.node, last), entry);
        Some(score)
    }
}

/// Probes a position `ply` plies from the root, where a draw is worth `draw`. None unless the last move was a capture or a
/// pawn move.
fn probe(tables: &Tablebase, pos: &Position, ply: usize, draw: i32) -> Option<ProbeResult> {
    if pos.halfmoves() > 0 {
        return None;
    }
    let win = TABLE_WIN - ply as i32;
    Some(match tables.wdl(pos)? {
        Wdl::Win => ProbeResult::Win(win),
        Wdl::Loss => ProbeResult::Loss(-win),
        // Draws by the fifty-move rule, which have to be claimed or defended for.
        Wdl::CursedWin => ProbeResult::Draw(draw + 1),
        Wdl::BlessedLoss => ProbeResult::Draw(draw - 1),
        Wdl::Draw => ProbeResult::Draw(draw),
    })
}
