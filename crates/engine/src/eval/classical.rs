//! The classical evaluation: named terms, each for both sides, added up and tapered from middle game to endgame.

use std::array;

use shakmaty::Board;

use super::{
    accumulator::{EvalAccumulator, OverriddenScore},
    attacks::AttackInfo,
    endgame, king, kpk, material, passed,
    pawns::{self, PawnTable, Structure},
    pieces,
    score_pair::{ScorePair, t},
    threats,
    weight_overrides::WeightOverrides,
    weights::THE_MOVE,
};
use crate::{
    nnue::{self, Halves},
    node::Node,
};
use sparring_chess::{ByColor, Color};

/// The phase with all pieces on the board: minors count one, rooks two, queens four.
pub(super) const FULL_PHASE: i32 = 24;

/// The terms by name, as traces show them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Term {
    Material,
    Pawns,
    Mobility,
    Pieces,
    King,
    Passed,
    Threats,
    Space,
    MopUp,
    TheMove,
}

impl Term {
    /// Every term, in the order of showing.
    pub const ALL: [(Self, &'static str); 10] = [
        (Self::Material, "material and squares"),
        (Self::Pawns, "pawn structure"),
        (Self::Mobility, "mobility"),
        (Self::Pieces, "piece placement"),
        (Self::King, "king safety"),
        (Self::Passed, "passed pawns"),
        (Self::Threats, "threats"),
        (Self::Space, "space"),
        (Self::MopUp, "driving a bare king"),
        (Self::TheMove, "the move"),
    ];
}

/// The terms of a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms<T> {
    pub by_term: [ByColor<T>; 10],
    /// From 0 in the endgame to [`FULL_PHASE`].
    pub phase: i32,
    /// The scales of the middle game and endgame scores, in sixty-fourths: less where a draw is near.
    pub scales: [i32; 2],
    /// Whether a rule of its own evaluates the ending, so that the net adds nothing.
    pub known: bool,
}

impl<T: EvalAccumulator> Terms<T> {
    /// Evaluates a position, given its pawn structure.
    pub fn of(node: &Node, structure: &Structure<T>, weights: T::Weights) -> Self {
        let board = node.board();
        let mut terms = Self {
            by_term: array::from_fn(|_| ByColor::new_with(|_| T::empty(weights))),
            phase: phase(board),
            scales: [64; 2],
            known: false,
        };
        if let Some((strong, driven)) = endgame::mop_up(board) {
            terms.set(Term::Material, material::bare_material(board, weights));
            terms.add_fixed(Term::MopUp, strong, t(driven, driven));
            terms.scales = endgame::scales(board, [Some(strong); 2]);
            terms.known = true;
            return terms;
        }
        let mut attacks = AttackInfo::new(board);
        terms.set(Term::Material, material::material(board, weights));
        terms.set(Term::Pawns, structure.score.clone());
        for us in Color::ALL {
            let (mobility, places) = pieces::pieces(&mut attacks, us, structure, weights);
            *terms.by_term[Term::Mobility as usize].get_mut(us) = mobility;
            *terms.by_term[Term::Pieces as usize].get_mut(us) = places;
        }
        let attacks = &attacks;
        terms.set(
            Term::King,
            ByColor::new_with(|us| king::king(attacks, us, weights)),
        );
        if structure.passed.any() {
            let passed = |us| passed::passed(attacks, us, node.turn, structure, weights);
            terms.set(Term::Passed, ByColor::new_with(passed));
        }
        let threats = |us| threats::threats(attacks, us, weights);
        terms.set(Term::Threats, ByColor::new_with(threats));
        if terms.phase > FULL_PHASE / 2 {
            let space = |us| threats::space(attacks, us, weights);
            terms.set(Term::Space, ByColor::new_with(space));
        }
        let pawn_wins = kpk::is_won(board, node.turn);
        terms.known = pawn_wins.is_some();
        if pawn_wins == Some(true) {
            let strong = Color::from_white(board.black().is_disjoint(board.pawns()));
            terms.add_fixed(Term::MopUp, strong, t(0, endgame::WON_BY_PAWN));
        }
        terms.by_term[Term::TheMove as usize]
            .get_mut(node.turn)
            .add(THE_MOVE, 1);
        let lead = terms.total(weights).score();
        let leader = |lead: i32| (lead != 0).then(|| Color::from_white(lead > 0));
        terms.scales = match pawn_wins {
            Some(false) => [0; 2],
            _ => endgame::scales(board, [lead.mg(), lead.eg()].map(leader)),
        };
        terms
    }

    fn set(&mut self, term: Term, score: ByColor<T>) {
        self.by_term[term as usize] = score;
    }

    fn add_fixed(&mut self, term: Term, us: Color, score: ScorePair) {
        self.by_term[term as usize].get_mut(us).add_fixed(score);
    }

    /// The sum of all terms for white.
    pub fn total(&self, weights: T::Weights) -> T {
        let mut sum = T::empty(weights);
        for term in &self.by_term {
            sum.add_all(&term.white, 1);
            sum.add_all(&term.black, -1);
        }
        sum
    }

    /// The score for White, in centipawns.
    pub fn score(&self, weights: T::Weights) -> i32 {
        self.blend(self.total(weights).score())
    }

    /// The factor of the net's correction, in sixty-fourths: as for the terms, and none in endings that are hardly ever
    /// won, where it was trained on nothing.
    pub fn net_share(&self) -> i32 {
        let left = self.scaled_share(self.scales);
        if self.known || left <= endgame::HARDLY_WON {
            0
        } else {
            left
        }
    }

    /// The factor of a score without middle game and endgame halves, at these scales.
    fn scaled_share(&self, [mg, eg]: [i32; 2]) -> i32 {
        (mg * self.phase + eg * (FULL_PHASE - self.phase)) / FULL_PHASE
    }

    /// The tapered score of a sum of terms in this position, in centipawns.
    pub fn blend(&self, sum: ScorePair) -> i32 {
        sum.blend(self.phase, FULL_PHASE, self.scales)
    }
}

/// All terms of a position, by the engine's weights.
pub(super) fn evaluate_terms(node: &Node, pawns: &mut PawnTable) -> Terms<ScorePair> {
    let structure = pawns.structure(node.keys.pawns, || pawns::evaluate_pawns(node.board(), ()));
    Terms::of(node, &structure, ())
}

/// The score of a position for White, in centipawns: by the engine's weights, with the net's correction where `seen` is
/// given, or by overridden weights alone. The pawn table must hold no entries by other weights.
pub(super) fn evaluate(
    node: &Node,
    pawns: &mut PawnTable,
    own: Option<&WeightOverrides>,
    seen: Option<Halves<'_>>,
) -> i32 {
    let Some(weights) = own else {
        let terms = evaluate_terms(node, pawns);
        return seen.map_or_else(|| terms.score(()), |seen| corrected(node, &terms, seen));
    };
    let evaluator = || pawns::evaluate_pawns(node.board(), weights).map(|sum: OverriddenScore<'_>| sum.score);
    let structure = pawns.structure(node.keys.pawns, evaluator);
    let structure = structure.map(|score| OverriddenScore::new(weights, score));
    Terms::of(node, &structure, weights).score(weights)
}

/// The score for White with the net's correction, in centipawns. The correction is scaled like the terms, and a lead that
/// a side has only by it is limited to what that side could win with.
fn corrected(node: &Node, terms: &Terms<ScorePair>, seen: Halves<'_>) -> i32 {
    let (score, share) = (terms.score(()), terms.net_share());
    if share == 0 {
        return score;
    }
    let value = nnue::correction(seen, node.board()) * share / 64;
    let whole = score + node.turn.fold_wb(value, -value);
    if whole == 0 || whole.signum() == score.signum() {
        return whole;
    }
    let leader = Color::from_white(whole > 0);
    let own = terms.scaled_share(endgame::scales(node.board(), [Some(leader); 2]));
    whole * own.min(share) / share
}

/// The game phase, from 0 to [`FULL_PHASE`].
fn phase(board: &Board) -> i32 {
    let count =
        (board.knights() | board.bishops()).count() + 2 * board.rooks().count() + 4 * board.queens().count();
    (count as i32).min(FULL_PHASE)
}

/// Both halves of a term's score, for display.
pub(super) fn halves(score: ScorePair) -> (i32, i32) {
    (score.mg(), score.eg())
}
