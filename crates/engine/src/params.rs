//! Search parameters, each declared once: name, default, range and meaning. The declaration also makes the UCI option and
//! the row of the generated tables.

use thiserror::Error;

/// The declaration of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Its name in code and as a UCI option.
    pub name: &'static str,
    /// The value it has unless set.
    pub default: i32,
    /// The least sensible value.
    pub min: i32,
    /// The greatest sensible value.
    pub max: i32,
    /// The range for tuning, which excludes values that mean "off". None for switches and for small counts.
    pub tuned: Option<(i32, i32)>,
    /// What it means, with its unit.
    pub doc: &'static str,
}

/// A parameter that cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParamError {
    /// No parameter has this name.
    #[error("\"{0}\" is not a search parameter")]
    Unknown(String),
    /// The value is outside of the range.
    #[error("{value} is not within {min} to {max} for \"{name}\"")]
    Range {
        /// The parameter's name.
        name: &'static str,
        /// The rejected value.
        value: i32,
        /// The least.
        min: i32,
        /// The greatest.
        max: i32,
    },
}

/// Ranges of fewer values than this are choices, not amounts.
const CHOICES: i32 = 4;

const fn tuned(min: i32, max: i32, declared: &[(i32, i32)]) -> Option<(i32, i32)> {
    match declared {
        [range, ..] => Some(*range),
        [] if max - min < CHOICES => None,
        [] => Some((min, max)),
    }
}

macro_rules! params {
    ($($(#[doc = $doc:literal])+ $name:ident = $default:literal in $min:literal ..= $max:literal
        $(, tuned $from:literal ..= $to:literal)?;)+) => {
        /// The values of all parameters. [`Params::LIST`] documents them.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Params {
            $($(#[doc = $doc])+ pub $name: i32,)+
        }

        impl Default for Params {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl Params {
            /// Every parameter, in the order of declaration.
            pub const LIST: &'static [Param] = &[
                $(Param {
                    name: stringify!($name),
                    default: $default,
                    min: $min,
                    max: $max,
                    tuned: tuned($min, $max, &[$(($from, $to))?]),
                    doc: concat!($($doc),+),
                },)+
            ];

            fn slot(&mut self, name: &str) -> Option<&mut i32> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)+
                    _ => None,
                }
            }
        }
    };
}

params! {
    /// Evaluation: 1 to add the NNUE correction to the classical terms; 0 for the terms alone.
    net = 1 in 0..=1;
    /// Half width of the first aspiration window, in centipawns.
    aspiration = 15 in 5..=30000, tuned 5..=60;
    /// Aspiration: the least depth with a window; before it scores jump too much.
    aspiration_depth = 4 in 1..=30, tuned 1..=10;
    /// Aspiration: growth of the half width each time the score lies outside, in percent.
    aspiration_growth = 50 in 10..=300;
    /// Aspiration: half width from which on the full window is used, in centipawns.
    aspiration_wide = 400 in 50..=30000, tuned 100..=1000;
    /// Aspiration: the most plies of depth taken off, one each time the score lies above.
    aspiration_reduction = 3 in 0..=8;
    /// Reverse futility: margin for each ply of depth, in centipawns.
    rfp_margin = 60 in 20..=200;
    /// Reverse futility: the greatest depth it is tried at.
    rfp_depth = 8 in 0..=16;
    /// Razoring: margin for each ply of depth, in centipawns.
    razor_margin = 290 in 100..=600;
    /// Razoring: the greatest depth it is tried at.
    razor_depth = 3 in 0..=8;
    /// Table cutoffs on the principal variation: how many plies deeper than the node an entry must be; 128 for never.
    pv_cutoff = 2 in 0..=128, tuned 0..=8;
    /// Null move: the least depth it is tried at; 128 for never.
    nmp_depth = 2 in 2..=128, tuned 2..=8;
    /// Null move: margin of the evaluation above beta at depth 0, in centipawns.
    nmp_margin = 90 in 0..=600;
    /// Null move: decrease of that margin for each ply of depth, in centipawns.
    nmp_margin_depth = 20 in 0..=100;
    /// Null move: base reduction, in plies.
    nmp_base = 3 in 1..=6;
    /// Null move: plies of depth that reduce by one ply more.
    nmp_depth_divisor = 3 in 2..=10;
    /// Null move: centipawns of evaluation above beta that reduce by one ply more.
    nmp_eval_divisor = 180 in 50..=500;
    /// Null move: the most plies of reduction for the evaluation.
    nmp_eval_most = 3 in 0..=8;
    /// Null move: from this depth on the cutoff is verified by a search without null moves.
    nmp_verify_depth = 12 in 4..=40;
    /// Null move: share of the remaining depth without null moves during a verification, in percent.
    nmp_verify_share = 75 in 0..=100;
    /// ProbCut: how far above beta a capture must score, in centipawns.
    probcut_margin = 160 in 50..=400;
    /// ProbCut: the least depth it is tried at.
    probcut_depth = 5 in 3..=128, tuned 3..=10;
    /// ProbCut: reduction of the shallow search, in plies.
    probcut_reduction = 4 in 2..=8;
    /// Internal iterative reduction: the least depth that loses a ply without a table move, in cut nodes and on the principal variation.
    iir_depth = 4 in 2..=128, tuned 2..=10;
    /// Late move reductions: the least depth that is reduced; 128 for never.
    lmr_depth = 2 in 2..=128, tuned 2..=6;
    /// Late move reductions: the constant part, in hundredths of a ply.
    lmr_base = 80 in 0..=200;
    /// Late move reductions: divisor of ln(depth) * ln(move number), in hundredths.
    lmr_divisor = 218 in 100..=400;
    /// Late move reductions: 0 for the logarithmic table, 1 for Rodent's sliding shape, which only counts moves.
    lmr_sliding = 0 in 0..=1;
    /// Late move reductions, sliding: the constant part, in hundredths of a ply.
    lmr_slide_base = 75 in 0..=200;
    /// Late move reductions, sliding: the part for each move tried before, in thousandths of a ply.
    lmr_slide_step = 50 in 0..=200;
    /// Late move reductions: 1 to add the remaining fraction of a ply to the next reduction of the line; 0 to drop it.
    lmr_carry = 0 in 0..=1;
    /// Late move reductions: history score that takes a ply off.
    lmr_history = 9000 in 2000..=30000;
    /// Late move reductions: more where the evaluation is not improving, in hundredths of a ply.
    lmr_not_improving = 95 in 0..=300;
    /// Late move reductions: more in cut nodes, in hundredths of a ply.
    lmr_cut_node = 155 in 0..=300;
    /// Late move reductions: more for a quiet move where the table move is a capture, in hundredths of a ply.
    lmr_after_capture = 100 in 0..=300;
    /// Late move reductions: less on the principal variation, in hundredths of a ply.
    lmr_pv = 100 in 0..=300;
    /// Late move reductions: less where the table has the node from a principal variation, in hundredths of a ply.
    lmr_was_pv = 65 in 0..=300;
    /// Late move reductions: less for a move that gives check, in hundredths of a ply.
    lmr_check = 92 in 0..=300;
    /// Late move reductions: less for a killer, in hundredths of a ply.
    lmr_killer = 110 in 0..=300;
    /// Late move reductions: less for a capture or promotion, in hundredths of a ply.
    lmr_noisy = 82 in 0..=300;
    /// Late move reductions: more where many child nodes have cut off, in hundredths of a ply.
    lmr_many_cuts = 100 in 0..=300;
    /// Late move reductions: child cutoffs above which `lmr_many_cuts` applies; 128 for never.
    lmr_cutoffs = 3 in 0..=128, tuned 0..=10;
    /// Late move reductions: 1 to update the histories after a full-depth re-search; 0 not to.
    lmr_learn = 1 in 0..=1;
    /// Late move reductions: a reduced search this far above the best score is repeated a ply deeper, in centipawns.
    lmr_deeper = 50 in 0..=30000, tuned 0..=200;
    /// Late move reductions: a reduced search less than this above the best score is repeated a ply less deep, in centipawns.
    lmr_shallower = 10 in 0..=100;
    /// Late move reductions at the root, of quiet moves that do not give check: the least depth that is reduced; 128 for never.
    root_lmr_depth = 3 in 2..=128, tuned 2..=8;
    /// Late move reductions at the root: how many moves are searched in full.
    root_lmr_moves = 3 in 1..=64, tuned 1..=12;
    /// Late move reductions at the root: plies less than elsewhere.
    root_lmr_relief = 1 in 0..=4;
    /// Late move pruning: moves tried at depth 0 before quiet ones are pruned; the square of the depth is added.
    lmp_base = 4 in 1..=256, tuned 1..=16;
    /// Late move pruning: share of the square of the depth that is added, in percent.
    lmp_square = 104 in 20..=300;
    /// Late move pruning: share of these moves where the evaluation is not improving, in percent.
    lmp_not_improving = 55 in 10..=100;
    /// Futility: constant margin for quiet moves, in centipawns.
    futility_base = 80 in 0..=30000, tuned 0..=300;
    /// Futility: margin for each ply of reduced depth, in centipawns.
    futility_margin = 72 in 20..=250;
    /// Futility: the greatest reduced depth it is tried at.
    futility_depth = 7 in 0..=20;
    /// History pruning: quiet moves with a history below minus this for each ply of depth are pruned.
    history_pruning = 4600 in 500..=100000, tuned 500..=12000;
    /// History pruning: the greatest reduced depth it is tried at.
    history_pruning_depth = 4 in 0..=20;
    /// SEE pruning: the most that a quiet move may lose for each ply of reduced depth squared, in centipawns.
    see_quiet = 20 in 5..=30000, tuned 5..=80;
    /// SEE pruning: the most that a capture may lose for each ply of depth, in centipawns.
    see_noisy = 95 in 20..=30000, tuned 20..=250;
    /// SEE pruning: the most that a quiet check may lose at low depth, in centipawns.
    see_check = 350 in 0..=30000, tuned 0..=800;
    /// SEE pruning: the greatest reduced depth at which quiet moves are pruned.
    see_quiet_depth = 8 in 0..=20;
    /// SEE pruning: the greatest depth at which captures are pruned.
    see_noisy_depth = 8 in 0..=20;
    /// SEE pruning: the greatest depth at which quiet checks are pruned.
    see_check_depth = 4 in 0..=20;
    /// Singular extension: the least depth it is tried at.
    singular_depth = 7 in 4..=128, tuned 4..=14;
    /// Singular extension: how far below the table's score the other moves must stay, in sixteenths of a centipawn a ply.
    singular_margin = 18 in 4..=80;
    /// Singular extension: how far below the singular window, in centipawns, the move is extended by two plies.
    double_margin = 20 in 0..=30000, tuned 0..=80;
    /// Extensions: how far from the root they apply, in percent of the iteration's depth.
    extension_reach = 200 in 100..=400;
    /// Singular extension: how many plies less deep than the node the table entry may be.
    singular_entry = 3 in 0..=8;
    /// Singular extension: depth of the search of the other moves, in percent of the remaining depth.
    singular_share = 50 in 20..=80;
    /// Check extension: the greatest depth at which a move that gives check is extended by a ply.
    check_extension = 7 in 0..=128, tuned 0..=20;
    /// Quiescence: in how many of its first plies quiet checks are tried too.
    quiescence_checks = 1 in 0..=4;
    /// Quiescence: how far below alpha a capture is pruned (delta pruning), in centipawns.
    delta_margin = 174 in 20..=30000, tuned 20..=400;
    /// Quiescence: number of moves after which only recaptures and checks are tried; 64 for all.
    quiescence_moves = 2 in 1..=64, tuned 1..=12;
    /// Quiescence: quiet evasions tried after one that is not mate.
    quiescence_evasions = 0 in 0..=64, tuned 0..=8;
    /// Scores beyond beta: 1 to move them towards beta, the more the shallower the search; 0 to leave them.
    soft_beta = 1 in 0..=1;
    /// Order of captures: weight of the victim's value beside the capture history.
    victim_weight = 16 in 1..=64;
    /// Order of captures: the most that one may lose by SEE and still come before quiet moves, in centipawns.
    good_capture = 20 in 0..=100;
    /// Order of quiet moves: history added for a move that gives check.
    check_history = 9000 in 0..=50000;
    /// Order of quiet moves: history added for a knight or bishop that leaves squares attacked by a pawn, and subtracted for one that
    /// enters them; 1.5 times that for a rook and lesser attackers, twice for a queen. Not applied where `threat_history` is 0.
    escape_history = 8000 in 0..=30000;
    /// Time: how many more moves are planned for without `movestogo`.
    time_horizon = 26 in 10..=80;
    /// Time: soft limit of a move, in percent of an even share.
    time_soft = 110 in 20..=150;
    /// Time: hard limit of a move, in percent of an even share.
    time_hard = 400 in 100..=1000;
    /// Time: the largest hard limit, in percent of the clock.
    time_clock = 35 in 10..=80;
    /// Time: the largest hard limit of the last move before more time is added, in percent of the clock.
    time_last = 85 in 30..=95;
    /// Time: share of the soft limit when the best move is new, in percent.
    time_doubt = 125 in 80..=200;
    /// Time: decrease of that share for each iteration that kept the best move, in percent.
    time_steady = 7 in 0..=20;
    /// Time: the most such iterations that count.
    time_steady_most = 8 in 1..=20;
    /// Time: factor of that share when the best move took none of the nodes, in percent.
    time_scattered = 150 in 80..=250;
    /// Time: decrease of that factor when it took all of them, in percent.
    time_effort = 80 in 0..=150;
    /// Time: fall of the score that doubles the time, in centipawns.
    time_fall = 120 in 40..=1000;
    /// Time: the greatest fall that counts, in centipawns.
    time_fall_most = 60 in 0..=300;
    /// Time: the greatest rise that counts, in centipawns: a rise takes time off as a fall adds it.
    time_rise_most = 20 in 0..=40;
    /// Time: the least share of the soft limit, in percent.
    time_least = 40 in 10..=100;
    /// Time: the greatest share of the soft limit, in percent.
    time_most = 160 in 100..=400;
    /// Easy move: the least depth at which a recapture can be called the only sensible move.
    easy_depth = 8 in 1..=40, tuned 4..=16;
    /// Easy move: how many of the iterations may have had another best move.
    easy_settle = 3 in 0..=10;
    /// Easy move: share of the soft limit that it takes, in percent.
    easy_share = 12 in 1..=100, tuned 5..=40;
    /// Easy move: how far below a recapture all other moves must score, in centipawns.
    easy_margin = 180 in 50..=600;
    /// History: bonus for each ply of depth.
    history_bonus = 185 in 20..=400;
    /// History: the greatest bonus.
    history_max = 1800 in 400..=4000;
    /// History: malus of the moves tried before a cutoff, in percent of the bonus of the move that cut.
    history_malus = 140 in 0..=400;
    /// History: how many earlier moves the continuation history uses: the last, the one before, two before that.
    continuation = 3 in 0..=3;
    /// Killers: how many are kept for each ply.
    killers = 2 in 0..=2;
    /// History: 1 to tell quiet moves apart by whether they leave or enter attacked squares; 0 not to.
    threat_history = 1 in 0..=1;
    /// Correction history: share that is applied, in percent.
    correction = 63 in 0..=200;
    /// Correction history: weight of the pawn table beside those of either color's pieces and of minor pieces.
    correction_pawns = 1 in 0..=8;
    /// Correction history: learning rate, in 256ths of a centipawn for each centipawn of error and ply of depth.
    correction_rate = 2 in 1..=16;
}

impl Params {
    /// The value of a parameter.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<i32> {
        self.clone().slot(name).copied()
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// [`ParamError`] for an unknown name or a value out of range; nothing changes then.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), ParamError> {
        let unknown = || ParamError::Unknown(name.to_owned());
        let param = Self::LIST
            .iter()
            .find(|param| param.name == name)
            .ok_or_else(unknown)?;
        if !(param.min..=param.max).contains(&value) {
            return Err(ParamError::Range {
                name: param.name,
                value,
                min: param.min,
                max: param.max,
            });
        }
        *self.slot(name).ok_or_else(unknown)? = value;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_lies_in_its_range_and_can_be_set_by_name() {
        let mut params = Params::default();
        for param in Params::LIST {
            assert!((param.min..=param.max).contains(&param.default), "{}", param.name);
            params.set(param.name, param.max).unwrap();
            assert!(!param.doc.trim().is_empty());
        }
        assert_ne!(params, Params::default());
    }

    #[test]
    fn a_tuner_looks_around_the_default_within_what_is_allowed() {
        for param in Params::LIST {
            let Some((from, to)) = param.tuned else {
                assert!(param.max - param.min < CHOICES, "{}", param.name);
                continue;
            };
            assert!(param.min <= from && to <= param.max, "{}", param.name);
            assert!((from..=to).contains(&param.default), "{}", param.name);
            // A twentieth is a step, and a step must not be larger than the number itself.
            assert!((to - from) / 20 <= param.default.max(5), "{}", param.name);
        }
    }

    #[test]
    fn false_names_and_values_are_refused_and_change_nothing() {
        let mut params = Params::default();
        assert_eq!(params.set("rpf", 1), Err(ParamError::Unknown("rpf".into())));
        let error = params.set("rfp_margin", 10_000).unwrap_err();
        assert_eq!(
            error.to_string(),
            "10000 is not within 20 to 200 for \"rfp_margin\""
        );
        assert_eq!(params, Params::default());
    }
}
