//! What the games of a report say, as Markdown.

use std::fmt::Write as _;

use super::games::Played;
use crate::{
    arena::Pentanomial,
    personality::{
        Profile,
        style::{Axis, Signs},
    },
};

/// Effect sizes from which on an axis counts as shown, and up to which it counts as left alone.
const SHOWN: f64 = 0.5;
const ALONE: f64 = 0.3;

/// Games that are looked at together when two players are told apart.
const POOL: usize = 5;

/// The whole report. The first of `played` is the plain player, the others are the players in order.
pub fn report(players: &[Profile], level: u32, played: &[Played]) -> String {
    let Some((plain, others)) = played.split_first() else {
        return String::new();
    };
    let mut text = format!(
        "Level {level}, {} games each against the plain player of that level, no books, no clocks.\n\n\
         | who | Elo beside the plain player | declared axes shown | others left alone |\n|---|--:|--:|--:|\n",
        plain.signs.len()
    );
    // Writing to a string cannot fail.
    for (player, played) in players.iter().zip(others) {
        let (declared, rest): (Vec<Axis>, Vec<Axis>) = axes().partition(|axis| player.style.on(*axis) != 0);
        let effect = |axis: Axis| Effect::of(&values(plain, axis), &values(played, axis)).size;
        let shown = declared
            .iter()
            .filter(|axis| effect(**axis) * f64::from(player.style.on(**axis).signum()) >= SHOWN);
        let alone = rest.iter().filter(|axis| effect(**axis).abs() < ALONE);
        let elo = pairs(played).elo();
        let _ = writeln!(
            text,
            "| {} | {:+.0} +- {:.0} | {} of {} | {} of {} |",
            player.name,
            elo.difference,
            elo.error,
            shown.count(),
            declared.len(),
            alone.count(),
            rest.len()
        );
    }
    for (player, played) in players.iter().zip(others) {
        let _ = write!(text, "\n{}", details(player, plain, played));
    }
    if others.len() > 1 {
        let _ = write!(text, "\n{}", told_apart(players, others));
    }
    text
}

fn axes() -> impl Iterator<Item = Axis> {
    Axis::ALL.iter().map(|row| row.axis)
}

fn values(played: &Played, axis: Axis) -> Vec<f64> {
    played.signs.iter().filter_map(|signs| signs.on(axis)).collect()
}

fn pairs(played: &Played) -> Pentanomial {
    let mut pairs = Pentanomial::default();
    for pair in played.half_points.chunks_exact(2) {
        pairs.add(pair.iter().sum());
    }
    pairs
}

/// A difference of means in units of the spread: Cohen's d, with its 95 % error.
struct Effect {
    means: [f64; 2],
    size: f64,
    error: f64,
}

impl Effect {
    fn of(plain: &[f64], own: &[f64]) -> Self {
        let ([plain_mean, plain_spread], [own_mean, own_spread]) = (moments(plain), moments(own));
        let (n, m) = (plain.len() as f64, own.len() as f64);
        let pooled = (((n - 1.0) * plain_spread + (m - 1.0) * own_spread) / (n + m - 2.0).max(1.0)).sqrt();
        let size = if pooled > 0.0 {
            (own_mean - plain_mean) / pooled
        } else {
            0.0
        };
        let error = 1.96 * ((n + m) / (n * m).max(1.0) + size * size / (2.0 * (n + m).max(1.0))).sqrt();
        Self {
            means: [plain_mean, own_mean],
            size,
            error,
        }
    }
}

/// Mean and variance; zeros of nothing.
fn moments(values: &[f64]) -> [f64; 2] {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n.max(1.0);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    [mean, squares / (n - 1.0).max(1.0)]
}

fn details(player: &Profile, plain: &Played, played: &Played) -> String {
    let mut text = format!(
        "### {}\n\n| axis | is | what is counted | plain | own | d | +- |\n|---|--:|---|--:|--:|--:|--:|\n",
        player.name
    );
    for row in &Axis::ALL {
        let effect = Effect::of(&values(plain, row.axis), &values(played, row.axis));
        let _ = writeln!(
            text,
            "| {} | {:+} | {} | {:.2} | {:.2} | {:+.2} | {:.2} |",
            row.key,
            player.style.on(row.axis),
            Signs::meaning(row.axis),
            effect.means[0],
            effect.means[1],
            effect.size,
            effect.error
        );
    }
    text
}

/// How surely two players are told apart by five games: learned on one half of the games, tried on the other.
fn told_apart(players: &[Profile], played: &[Played]) -> String {
    let mut areas: Vec<(f64, String)> = Vec::new();
    for (one, left) in played.iter().enumerate() {
        for (other, right) in played.iter().enumerate().skip(one + 1) {
            if let Some(area) = area(&left.signs, &right.signs) {
                areas.push((area, format!("{} and {}", players[one].name, players[other].name)));
            }
        }
    }
    areas.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some((least, who)) = areas.first() else {
        return format!(
            "Two players cannot be told apart yet: that takes {} games of each.\n",
            4 * POOL
        );
    };
    let mean = areas.iter().map(|each| each.0).sum::<f64>() / areas.len() as f64;
    let sure = areas.iter().filter(|each| each.0 >= 0.9).count();
    format!(
        "Told apart by {POOL} games (area under the curve, learned on one half of the games and tried on the other): mean \
         {mean:.3}, {sure} of {} pairs at least 0.9, least {least:.3} ({who}).\n",
        areas.len()
    )
}

/// The area under the curve for telling pools of games of two players apart; none with too few games.
fn area(left: &[Signs], right: &[Signs]) -> Option<f64> {
    if left.len().min(right.len()) < 4 * POOL {
        return None;
    }
    // Pairs of games with both colors stay together.
    let half = |signs: &[Signs], part: usize| -> Vec<Signs> {
        let mine = signs
            .iter()
            .enumerate()
            .filter(|(index, _)| index / 2 % 2 == part);
        mine.map(|(_, signs)| *signs).collect()
    };
    let (learn_left, learn_right) = (half(left, 0), half(right, 0));
    let column =
        |signs: &[Signs], axis| -> Vec<f64> { signs.iter().filter_map(|each| each.on(axis)).collect() };
    let weights: Vec<(Axis, f64, f64)> = axes()
        .filter_map(|axis| {
            let ([a, va], [b, vb]) = (
                moments(&column(&learn_left, axis)),
                moments(&column(&learn_right, axis)),
            );
            let variance = f64::midpoint(va, vb);
            (variance > 0.0).then_some((axis, (a - b) / variance, f64::midpoint(a, b)))
        })
        .collect();
    let score = |signs: &Signs| -> f64 {
        weights
            .iter()
            .filter_map(|(axis, weight, middle)| Some(weight * (signs.on(*axis)? - middle)))
            .sum()
    };
    let pools = |signs: &[Signs]| -> Vec<f64> {
        half(signs, 1)
            .chunks_exact(POOL)
            .map(|pool| pool.iter().map(score).sum())
            .collect()
    };
    let (left, right) = (pools(left), pools(right));
    let wins: f64 = left
        .iter()
        .flat_map(|a| {
            right.iter().map(move |b| {
                if a > b {
                    1.0
                } else if a < b {
                    0.0
                } else {
                    0.5
                }
            })
        })
        .sum();
    Some(wins / (left.len() * right.len()) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        chess::{Color, GameLine, Variant},
        personality::style::Style,
    };

    #[test]
    fn an_effect_is_a_difference_in_units_of_the_spread() {
        let plain: Vec<f64> = (0..50).map(|n| f64::from(n % 3)).collect();
        let own: Vec<f64> = plain.iter().map(|value| value + 1.0).collect();
        let effect = Effect::of(&plain, &own);
        assert!((effect.size - 1.0 / moments(&plain)[1].sqrt()).abs() < 1e-9);
        assert!(effect.error > 0.3 && effect.error < 0.5);
        assert_eq!(
            Effect::of(&[1.0, 1.0], &[2.0, 2.0]).size,
            0.0,
            "no spread, no unit"
        );
    }

    /// Games of which so many of ten begin with pawn after pawn.
    fn games(pushing: usize) -> Played {
        let signs = |moves: &str| {
            let line = GameLine::replay(Variant::Standard, "startpos", moves).unwrap();
            Signs::of(&line, Color::White)
        };
        let calm = signs("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5");
        let pawns = signs("e2e4 e7e5 d2d4 e5d4 c2c3 d4c3");
        let signs = (0..60).map(|game| if game % 10 < pushing { pawns } else { calm });
        Played {
            signs: signs.collect(),
            half_points: vec![1; 60],
        }
    }

    #[test]
    fn players_who_differ_are_told_apart_and_others_are_not() {
        let (few, many) = (games(2), games(8));
        assert!(area(&few.signs, &many.signs).unwrap() > 0.9);
        assert!((area(&few.signs, &few.signs).unwrap() - 0.5).abs() < 0.2);
        assert_eq!(area(&few.signs[..10], &many.signs), None);
    }

    #[test]
    fn a_report_names_players_and_axes() {
        let mut player = Profile::new("pusher");
        player.style = Style::default().with(Axis::Pawns, 2);
        let text = report(&[player], 1500, &[games(2), games(8)]);
        let row = text
            .lines()
            .find(|line| line.starts_with("| pusher | +0 +- "))
            .unwrap();
        assert!(row.contains("| 1 of 1 |"), "{text}");
        assert!(text.contains("| pawns | +2 |"), "{text}");
    }
}
