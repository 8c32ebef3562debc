//! Tables of a style report as Markdown.

use std::fmt::Write as _;

use super::{elo_cost::prices, games::Played};
use sparring_match_runner::{Elo, Pentanomial};
use sparring_personality::{
    Personality,
    style::{Axis, AxisRow, BlindSpot, MeasuredStyle, Style},
};

/// Effect sizes from which on an axis counts as shown, and up to which it counts as left alone.
const SHOWN: f64 = 0.5;
const ALONE: f64 = 0.3;

/// Games that are looked at together when two players are told apart.
const POOL: usize = 5;

/// The whole report. The first of `played` is the plain player, the others are the players in order.
pub fn report(players: &[Personality], level: u32, played: &[Played]) -> String {
    let Some((plain, others)) = played.split_first() else {
        return String::new();
    };
    let mut text = format!(
        "Level {level}, {} games each against the plain player of that level, no books, no clocks.\n\n\
         | who | Elo beside the plain player | declared and shown | others left alone |\n|---|--:|--:|--:|\n",
        plain.signs.len()
    );
    // Writing to a string cannot fail.
    for (player, played) in players.iter().zip(others) {
        let (declared, rest): (Vec<Feature>, Vec<Feature>) =
            features().partition(|feature| feature.declared(player.style) != 0);
        let effect = |feature: Feature| Effect::of(&values(plain, feature), &values(played, feature)).size;
        let shown = declared
            .iter()
            .filter(|each| effect(**each) * f64::from(each.declared(player.style).signum()) >= SHOWN);
        let alone = rest.iter().filter(|each| effect(**each).abs() < ALONE);
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
    let scores: Vec<(Style, Elo)> = players
        .iter()
        .zip(others)
        .map(|(player, played)| (player.style, pairs(played).elo()))
        .collect();
    let each = Axis::ALL.iter().zip(prices(&scores));
    let each: Vec<String> = each
        .map(|(row, price)| format!("{} {price:+.0}", row.key))
        .collect();
    let _ = write!(
        text,
        "\nPrices by which these would be equally strong, in Elo a step: {}.\n",
        each.join(", ")
    );
    text
}

/// Something in which players differ and games show it.
#[derive(Debug, Clone, Copy)]
enum Feature {
    Axis(&'static AxisRow),
    /// A blind spot with its name.
    Kind(&'static str, BlindSpot),
}

/// All of them, in the order of showing.
fn features() -> impl Iterator<Item = Feature> {
    let kinds = BlindSpot::NAMES.0.iter();
    let kinds = kinds.map(|(name, kind)| Feature::Kind(name, *kind));
    Axis::ALL.iter().map(Feature::Axis).chain(kinds)
}

impl Feature {
    /// Its value in a game; larger is more of it.
    fn shown(self, signs: &MeasuredStyle) -> Option<f64> {
        match self {
            Self::Axis(row) => signs.on(row.axis),
            Self::Kind(_, kind) => signs.of_kind(kind),
        }
    }

    /// How much of it a style says it has, 0 for as much as everybody; of moves that it overlooks it has fewer.
    fn declared(self, style: Style) -> i32 {
        match self {
            Self::Axis(row) => style.on(row.axis),
            Self::Kind(_, kind) => -i32::from(style.overlooks(kind)),
        }
    }

    /// Its name, and what its value counts.
    fn words(self) -> [&'static str; 2] {
        match self {
            Self::Axis(row) => [row.key, MeasuredStyle::meaning(row.axis)],
            Self::Kind(name, _) => [
                name,
                "moves of this kind, of 100 at which there was one that may be overlooked",
            ],
        }
    }
}

fn values(played: &Played, feature: Feature) -> Vec<f64> {
    played
        .signs
        .iter()
        .filter_map(|signs| feature.shown(signs))
        .collect()
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

fn details(player: &Personality, plain: &Played, played: &Played) -> String {
    let mut text = format!(
        "### {}\n\n| of | is | what is counted | plain | own | d | +- |\n|---|--:|---|--:|--:|--:|--:|\n",
        player.name
    );
    for feature in features() {
        let effect = Effect::of(&values(plain, feature), &values(played, feature));
        let [name, meaning] = feature.words();
        let _ = writeln!(
            text,
            "| {name} | {:+} | {meaning} | {:.2} | {:.2} | {:+.2} | {:.2} |",
            feature.declared(player.style),
            effect.means[0],
            effect.means[1],
            effect.size,
            effect.error
        );
    }
    text
}

/// How surely two players are told apart by five games: learned on one half of the games, tried on the other.
fn told_apart(players: &[Personality], played: &[Played]) -> String {
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
fn area(left: &[MeasuredStyle], right: &[MeasuredStyle]) -> Option<f64> {
    if left.len().min(right.len()) < 4 * POOL {
        return None;
    }
    // Pairs of games with both colors stay together.
    let half = |signs: &[MeasuredStyle], part: usize| -> Vec<MeasuredStyle> {
        let mine = signs
            .iter()
            .enumerate()
            .filter(|(index, _)| index / 2 % 2 == part);
        mine.map(|(_, signs)| *signs).collect()
    };
    let (learn_left, learn_right) = (half(left, 0), half(right, 0));
    let column = |signs: &[MeasuredStyle], feature: Feature| -> Vec<f64> {
        signs.iter().filter_map(|each| feature.shown(each)).collect()
    };
    let weights: Vec<(Feature, f64, f64)> = features()
        .filter_map(|feature| {
            let ([a, va], [b, vb]) = (
                moments(&column(&learn_left, feature)),
                moments(&column(&learn_right, feature)),
            );
            let variance = f64::midpoint(va, vb);
            (variance > 0.0).then_some((feature, (a - b) / variance, f64::midpoint(a, b)))
        })
        .collect();
    let score = |signs: &MeasuredStyle| -> f64 {
        weights
            .iter()
            .filter_map(|(feature, weight, middle)| Some(weight * (feature.shown(signs)? - middle)))
            .sum()
    };
    let pools = |signs: &[MeasuredStyle]| -> Vec<f64> {
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
    use sparring_chess::{Color, GameHistory, Variant};
    use sparring_personality::style::Style;

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
            let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
            MeasuredStyle::of(&line, Color::White)
        };
        let calm = signs(
            "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 b1c3 g8f6 d2d3 d7d6 c1e3 c5b6 d1d2 c8e6 c4b3 d8d7 a2a3 a7a6 f3h4 h7h6",
        );
        let pawns = signs(
            "e2e4 e7e5 d2d4 e5d4 c2c3 d4c3 a2a3 a7a6 h2h3 h7h6 a3a4 a6a5 h3h4 h6h5 g2g3 g7g6 f2f3 f7f6 b2b3 b7b6",
        );
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
        let mut player = Personality::new("pusher");
        player.style = Style::default().with(Axis::Pawns, 2);
        let text = report(&[player], 1500, &[games(2), games(8)]);
        let row = text
            .lines()
            .find(|line| line.starts_with("| pusher | +0 +- "))
            .unwrap();
        assert!(row.contains("| 1 of 1 |"), "{text}");
        assert!(text.contains("| pawns | +2 |"), "{text}");
    }

    #[test]
    fn moves_that_are_overlooked_are_declared_by_showing_fewer() {
        let mut player = Personality::new("hasty");
        player.style = Style::default().with_blind_spots(&[BlindSpot::Knights]);
        // Where pawns are pushed, no knight moves.
        for (played, kept) in [([2, 8], "| 1 of 1 |"), ([8, 2], "| 0 of 1 |")] {
            let text = report(&[player.clone()], 1500, &played.map(games));
            assert!(text.contains(kept), "{text}");
            assert!(text.contains("| knights | -1 |"), "{text}");
        }
    }
}
