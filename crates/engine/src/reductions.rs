//! Late move reductions: the later a move comes in a good order, the less deeply it is searched.

use super::params::Params;

const DEPTHS: usize = 64;
const MOVES: usize = 64;

/// Units of a reduction in a ply.
pub(super) const PLY: i32 = 1024;

/// Base reductions by depth and move number, in [`PLY`]s.
#[derive(Debug)]
pub(super) struct Reductions(Vec<i32>);

/// What adds to or takes from a base reduction.
#[derive(Debug, Clone, Copy)]
pub(super) struct LmrContext {
    /// On the principal variation.
    pub pv: bool,
    /// The table has the node from a principal variation.
    pub was_pv: bool,
    /// A cut is expected.
    pub cut: bool,
    /// The evaluation rises from move to move.
    pub improving: bool,
    /// Many nodes a ply deeper have cut off, children of this node and of its siblings before it.
    pub many_cuts: bool,
    /// The move gives check.
    pub check: bool,
    /// The table move is a capture, and this move is not.
    pub after_capture: bool,
    /// A quiet move.
    pub quiet: bool,
    /// The move is a killer.
    pub killer: bool,
    /// The history score of the move.
    pub history: i32,
}

impl Reductions {
    /// The table for these parameters.
    pub fn new(params: &Params) -> Self {
        let reduction = |depth: usize, count: usize| {
            if depth == 0 || count == 0 {
                return 0;
            }
            let plies = if params.lmr_sliding > 0 {
                sliding(params, count)
            } else {
                logarithmic(params, depth, count)
            };
            (plies * f64::from(PLY)) as i32
        };
        Self(
            (0..DEPTHS * MOVES)
                .map(|index| reduction(index / MOVES, index % MOVES))
                .collect(),
        )
    }

    /// The base reduction of a move, in [`PLY`]s.
    pub fn base(&self, depth: i32, count: usize) -> i32 {
        let depth = usize::try_from(depth).unwrap_or(0).min(DEPTHS - 1);
        self.0[depth * MOVES + count.min(MOVES - 1)]
    }

    /// The reduction of a move in its context, in [`PLY`]s; negative for an extension.
    pub fn under(&self, params: &Params, depth: i32, count: usize, now: &LmrContext) -> i32 {
        let mut hundredths = 0;
        hundredths += params.lmr_not_improving * i32::from(!now.improving);
        hundredths += params.lmr_cut_node * i32::from(now.cut);
        hundredths += params.lmr_after_capture * i32::from(now.after_capture);
        hundredths += params.lmr_many_cuts * i32::from(now.many_cuts);
        hundredths -= params.lmr_pv * i32::from(now.pv);
        hundredths -= params.lmr_was_pv * i32::from(now.was_pv);
        hundredths -= params.lmr_check * i32::from(now.check);
        hundredths -= params.lmr_killer * i32::from(now.killer);
        hundredths -= params.lmr_noisy * i32::from(!now.quiet);
        self.base(depth, count) + hundredths * PLY / 100 - now.history * PLY / params.lmr_history
    }
}

/// The logarithmic formula: late moves of deep searches are reduced most.
fn logarithmic(params: &Params, depth: usize, count: usize) -> f64 {
    f64::from(params.lmr_base) / 100.0 + ln(depth) * ln(count) / (f64::from(params.lmr_divisor) / 100.0)
}

/// Rodent's formula: only the move number counts. Fractions are meant to add up along a line, so that two surprising
/// quiet moves lose a ply rather than two.
fn sliding(params: &Params, count: usize) -> f64 {
    f64::from(params.lmr_slide_base) / 100.0 + count as f64 * f64::from(params.lmr_slide_step) / 1000.0
}

/// A natural logarithm from the four basic operations, which round alike on every machine and in every build; a
/// library's may not, and then node counts would differ. Good to six digits for the small numbers used here.
fn ln(x: usize) -> f64 {
    let mut value = x as f64;
    let mut halvings = 0.0;
    while value >= 2.0 {
        value /= 2.0;
        halvings += 1.0;
    }
    // ln(v) = 2 artanh((v - 1) / (v + 1)), with 1 <= v < 2.
    let ratio = (value - 1.0) / (value + 1.0);
    let mut power = ratio;
    let mut sum = 0.0;
    for term in 0..10 {
        sum += power / f64::from(2 * term + 1);
        power *= ratio * ratio;
    }
    2.0 * sum + halvings * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_close_to_the_library_s() {
        for x in 1..=64usize {
            assert!((ln(x) - (x as f64).ln()).abs() < 1e-6, "{x}");
        }
    }

    #[test]
    fn the_sliding_shape_is_rodent_s() {
        let params = Params {
            lmr_sliding: 1,
            ..Params::default()
        };
        let reductions = Reductions::new(&params);
        // A quarter of a ply for each five moves, and three more.
        for (count, quarters) in [(5, 4), (10, 5), (20, 7), (40, 11)] {
            assert!(
                (reductions.base(9, count) - quarters * PLY / 4).abs() <= 1,
                "{count}"
            );
            assert_eq!(reductions.base(3, count), reductions.base(30, count));
        }
    }

    #[test]
    fn each_condition_changes_the_reduction_by_its_parameter() {
        let params = Params::default();
        let reductions = Reductions::new(&params);
        let plain = LmrContext {
            pv: false,
            was_pv: false,
            cut: false,
            improving: true,
            many_cuts: false,
            check: false,
            after_capture: false,
            quiet: true,
            killer: false,
            history: 0,
        };
        let base = reductions.base(8, 12);
        let more = |now| reductions.under(&params, 8, 12, &now) - base;
        let hundredths = |number| number * PLY / 100;
        assert_eq!(more(plain), 0);
        for (now, expected) in [
            (LmrContext { pv: true, ..plain }, -params.lmr_pv),
            (
                LmrContext {
                    was_pv: true,
                    ..plain
                },
                -params.lmr_was_pv,
            ),
            (LmrContext { cut: true, ..plain }, params.lmr_cut_node),
            (
                LmrContext {
                    improving: false,
                    ..plain
                },
                params.lmr_not_improving,
            ),
            (
                LmrContext {
                    many_cuts: true,
                    ..plain
                },
                params.lmr_many_cuts,
            ),
            (LmrContext { check: true, ..plain }, -params.lmr_check),
            (
                LmrContext {
                    after_capture: true,
                    ..plain
                },
                params.lmr_after_capture,
            ),
            (
                LmrContext {
                    quiet: false,
                    ..plain
                },
                -params.lmr_noisy,
            ),
            (
                LmrContext {
                    killer: true,
                    ..plain
                },
                -params.lmr_killer,
            ),
        ] {
            assert_eq!(more(now), hundredths(expected), "{now:?}");
        }
        // A good history takes a ply off, a bad one adds one.
        for (history, plies) in [(params.lmr_history, -1), (-params.lmr_history, 1)] {
            assert_eq!(more(LmrContext { history, ..plain }), plies * PLY);
        }
    }

    #[test]
    fn reductions_grow_with_depth_and_move_number() {
        let reductions = Reductions::new(&Params::default());
        assert_eq!(reductions.base(0, 5), 0);
        for depth in 2..60 {
            for count in 2..60 {
                assert!(reductions.base(depth + 1, count) >= reductions.base(depth, count));
                assert!(reductions.base(depth, count + 1) >= reductions.base(depth, count));
            }
        }
        assert_eq!(reductions.base(500, 500), reductions.base(63, 63));
    }
}
