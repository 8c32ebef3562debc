//! What is read off the tower's channels: chances of the legal moves, the outcome and the think time.

use shakmaty::Role;

use super::{
    file::{FileError, Tensors},
    layers::{Dense, Squares, add, relu, softmax},
    tower::width_of_who,
};
use crate::{
    encoding::{LegalMove, PACE},
    policy::TIME_BINS,
};

/// Notes that the network reads of each move.
const NOTES: usize = 40;
/// Channels of the squares that the outcome is read off.
const VALUE: usize = 8;

/// Chances of moves: squares that attend to squares, and notes weighed by who plays.
pub(super) struct Policy {
    square: Dense,
    square_who: Dense,
    start: Dense,
    end: Dense,
    promotion: Dense,
    note: Dense,
    note_who: Dense,
    note_weight: Dense,
}

impl Policy {
    pub(super) fn read(tensors: &Tensors) -> Result<Self, FileError> {
        let (channels, who) = (tensors.channels, width_of_who(tensors)?);
        let about = channels.saturating_add(who);
        let square = Dense::read(tensors, "square", channels, None)?;
        let head = square.outputs();
        let start = Dense::read(tensors, "start", head, None)?;
        let note = Dense::read(tensors, "note", NOTES, None)?;
        Ok(Self {
            square_who: Dense::read(tensors, "square_who", who, Some(head))?,
            end: Dense::read(tensors, "end", head, Some(start.outputs()))?,
            promotion: Dense::read(tensors, "promotion", head, Some(4))?,
            note_who: Dense::read(tensors, "note_who", about, Some(note.outputs()))?,
            note_weight: Dense::read(tensors, "note_weight", about, Some(note.outputs()))?,
            square,
            start,
            note,
        })
    }

    /// The chance of each move.
    pub(super) fn chances(
        &self,
        channels: &[Squares],
        who: &[f32],
        about: &[f32],
        moves: &[LegalMove],
    ) -> Vec<f32> {
        let mut squares = self.square.apply_to_squares(channels);
        for (squares, who) in squares.iter_mut().zip(self.square_who.apply(who)) {
            for value in squares {
                *value = (*value + who).max(0.0);
            }
        }
        let starts = self.start.apply_to_squares(&squares);
        let ends = self.end.apply_to_squares(&squares);
        let promotions = self.promotion.apply_to_squares(&squares);
        let scale = (starts.len() as f32).sqrt();
        let (note_who, note_weight) = (self.note_who.apply(about), self.note_weight.apply(about));
        let mut logits: Vec<f32> = moves
            .iter()
            .map(
                |LegalMove {
                     from,
                     to,
                     promotion,
                     notes,
                     ..
                 }| {
                    let pairs = starts.iter().zip(&ends).fold(0.0, |sum, (start, end)| {
                        sum + start[usize::from(*from)] * end[usize::from(*to)]
                    });
                    let promotion = promotion.map_or(0.0, |role| promotions[place(role)][usize::from(*to)]);
                    let mut noted = self.note.apply(&spread(*notes));
                    add(&mut noted, &note_who);
                    relu(&mut noted);
                    let noted = noted
                        .iter()
                        .zip(&note_weight)
                        .fold(0.0, |sum, (note, weight)| sum + note * weight);
                    pairs / scale + promotion + noted
                },
            )
            .collect();
        softmax(&mut logits);
        logits
    }
}

/// Outcome and think time.
pub(super) struct Summary {
    value: Dense,
    outcome: [Dense; 2],
    time: [Dense; 2],
}

impl Summary {
    pub(super) fn read(tensors: &Tensors) -> Result<Self, FileError> {
        let inputs = (VALUE * 64)
            .saturating_add(tensors.channels)
            .saturating_add(width_of_who(tensors)?);
        let pair = |name: &str, inputs: usize, outputs: usize| {
            let first = Dense::read(tensors, &format!("{name}.0"), inputs, None)?;
            let second = Dense::read(tensors, &format!("{name}.2"), first.outputs(), Some(outputs))?;
            Ok::<_, FileError>([first, second])
        };
        Ok(Self {
            value: Dense::read(tensors, "value", tensors.channels, Some(VALUE))?,
            outcome: pair("outcome", inputs, 3)?,
            time: pair("time", inputs.saturating_add(PACE), TIME_BINS)?,
        })
    }

    /// Chances of win, draw, loss, and of each range of think time.
    pub(super) fn outcome_and_time(
        &self,
        channels: &[Squares],
        about: &[f32],
        pace: &[f32; PACE],
    ) -> ([f32; 3], [f32; TIME_BINS]) {
        let value = self.value.apply_to_squares(channels);
        // Square by square, as the network learnt it.
        let mut input: Vec<f32> = (0..64)
            .flat_map(|square| value.iter().map(move |channel| channel[square].max(0.0)))
            .collect();
        input.extend_from_slice(about);
        let wdl = chances(&self.outcome, &input);
        input.extend_from_slice(pace);
        (wdl, chances(&self.time, &input))
    }
}

fn chances<const N: usize>([first, second]: &[Dense; 2], input: &[f32]) -> [f32; N] {
    let logits = second.apply(&first.relu(input));
    let mut chances = std::array::from_fn(|n| logits[n]);
    softmax(&mut chances);
    chances
}

/// N B R Q = 0 to 3.
fn place(role: Role) -> usize {
    match role {
        Role::Pawn | Role::Knight => 0,
        Role::Bishop => 1,
        Role::Rook => 2,
        Role::Queen | Role::King => 3,
    }
}

/// Notes as ones and zeros.
fn spread(notes: u64) -> [f32; NOTES] {
    std::array::from_fn(|bit| (notes >> bit & 1) as f32)
}
