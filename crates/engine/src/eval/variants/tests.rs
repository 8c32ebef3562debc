use proptest::prelude::*;

use super::{super::Evaluator, *};
use shakmaty::{EnPassantMode, fen::Fen};
use sparring_chess::{Position, parse_fen};

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
    fn colors_do_not_matter_where_the_sides_are_alike(
        which in 0..OTHERS.len(),
        choices in prop::collection::vec(any::<usize>(), 1..120),
    ) {
        let variant = OTHERS[which];
        let (traits, mut pos) = (variant.traits(), variant.start());
        if traits.uneven_sides || traits.same_direction {
            return Ok(());
        }
        for choice in choices {
            let moves = pos.legal_moves();
            if moves.is_empty() || pos.is_variant_end() {
                break;
            }
            pos.play_unchecked(moves[choice % moves.len()]);
            let mirrored = pos.to_setup(EnPassantMode::Legal).into_mirrored();
            let mirrored = parse_fen(variant, &Fen::try_from(mirrored).unwrap().to_string()).unwrap();
            prop_assert_eq!(value(variant, &pos), value(variant, &mirrored), "{} {}", variant, pos.board());
        }
    }

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
