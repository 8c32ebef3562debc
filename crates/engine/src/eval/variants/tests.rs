use proptest::prelude::*;

use super::{super::Evaluator, *};
use sparring_chess::{Color, Position, parse_fen};

const OTHERS: [Variant; 7] = [
    Variant::KingOfTheHill,
    Variant::ThreeCheck,
    Variant::Antichess,
    Variant::Atomic,
    Variant::Horde,
    Variant::RacingKings,
    Variant::Crazyhouse,
];

fn value(variant: Variant, pos: &Position) -> i32 {
    let node = Node::new(pos, variant.traits());
    Evaluator::for_variant(variant).evaluate(&node, &mut PawnTable::new())
}

fn of(variant: Variant, fen: &str) -> i32 {
    value(variant, &parse_fen(variant, fen).unwrap())
}

proptest! {
    #[test]
    fn a_sample_says_what_the_evaluation_says(
        which in 0..OTHERS.len(),
        choices in prop::collection::vec(any::<usize>(), 1..120),
    ) {
        let variant = OTHERS[which];
        let weights = variant_weights_in_use(variant).unwrap();
        let mut pos = variant.start();
        for choice in choices {
            let moves = pos.legal_moves();
            if moves.is_empty() || pos.is_variant_end() {
                break;
            }
            pos.play_unchecked(moves[choice % moves.len()]);
            let played = pos.turn().fold_wb(1, -1) * value(variant, &pos);
            let sample = VariantSample::of(variant, &pos).evaluate(&weights);
            prop_assert!((sample - played as f32).abs() <= 3.0, "{sample} {played} {}", pos.board());
        }
    }
}

#[test]
fn a_table_in_use_is_written_as_it_stands() {
    for (variant, text) in [
        (Variant::Antichess, include_str!("weights/antichess.rs")),
        (Variant::Horde, include_str!("weights/horde.rs")),
    ] {
        let pairs: Vec<[i32; 2]> = variant_weights_in_use(variant)
            .unwrap()
            .iter()
            .map(|pair| pair.map(|half| half as i32))
            .collect();
        assert_eq!(variant_weights_source(variant, &pairs).unwrap(), text);
        assert_eq!(variant_weights_source(variant, &pairs[1..]), None);
    }
    assert_eq!(variant_weights_source(Variant::Standard, &[]), None);
}

#[test]
fn goals_are_rewarded() {
    use Variant::*;
    for (variant, better, worse) in [
        (
            KingOfTheHill,
            "4k3/8/8/8/8/4K3/8/8 w - - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        ),
        (
            ThreeCheck,
            "4k3/8/8/8/8/8/8/R3K3 w - - 1+3 0 1",
            "4k3/8/8/8/8/8/8/R3K3 w - - 3+3 0 1",
        ),
        (
            Antichess,
            "8/8/8/3r4/8/8/8/6N1 w - - 0 1",
            "8/8/8/3r4/8/8/8/R5N1 w - - 0 1",
        ),
        (
            RacingKings,
            "8/8/4K3/8/8/8/k7/8 w - - 0 1",
            "8/8/8/8/8/8/k7/4K3 w - - 0 1",
        ),
        (
            Crazyhouse,
            "4k3/8/8/8/8/8/8/4K3[Q] w - - 0 1",
            "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1",
        ),
        (
            Atomic,
            "3nk3/8/8/8/8/8/8/3RK3 w - - 0 1",
            "n3k3/8/8/8/8/8/8/3RK3 w - - 0 1",
        ),
    ] {
        assert!(of(variant, better) > of(variant, worse), "{variant}");
    }
}

#[test]
fn colors_do_not_matter_but_in_horde() {
    for variant in OTHERS {
        if variant.traits().uneven_sides || variant.traits().same_direction {
            continue;
        }
        let start = VariantSample::of(variant, &variant.start());
        let mut weights = variant_weights_in_use(variant).unwrap();
        let moved = weights.len() - 1;
        // Only whose turn it is tells the sides of a start apart.
        weights[moved] = [0.0; 2];
        assert!(start.evaluate(&weights).abs() <= 40.0, "{variant}");
        assert_eq!(variant.start().turn(), Color::White);
    }
}
