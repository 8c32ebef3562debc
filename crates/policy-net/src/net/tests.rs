//! Agreement with the network in torch, on a tiny network and on a file given by the environment, and files that are no network.

use std::io::Read as _;

use serde::Deserialize;
use sparring_chess::{GameHistory, Variant, units::Millis};

use super::file::from_half;
use super::*;
use crate::encoding::{Clock, Context, Speed};

/// A line of reference outputs, as `training/export.py` and `tests/fixtures/tiny.py` write them.
#[derive(Deserialize)]
struct Reference {
    moves: String,
    ratings: Option<[u16; 2]>,
    speed: Option<usize>,
    clock: Option<[u64; 4]>,
    thinks: Option<[u64; 2]>,
    legal: Vec<u16>,
    notes: Vec<String>,
    planes: Vec<String>,
    context: Vec<f32>,
    pace: Vec<f32>,
    chances: Vec<f32>,
    outcome: Vec<f32>,
    time: Vec<f32>,
}

impl Reference {
    /// What was known of the players, if the line says.
    fn given(&self) -> Option<Context> {
        let ([rating, opponent], [initial, increment, left, opponent_left]) = (self.ratings?, self.clock?);
        let [own, their] = self.thinks?;
        Some(Context {
            rating,
            opponent_rating: Some(opponent),
            speed: [Speed::Bullet, Speed::Blitz, Speed::Rapid, Speed::Classical]
                .get(self.speed?)
                .copied(),
            clock: Some(Clock {
                initial: Millis::from_secs(initial),
                increment: Millis::from_secs(increment),
                left: Some(Millis::from_secs(left)),
                opponent_left: Some(Millis::from_secs(opponent_left)),
            }),
            last_think: Some(Millis::from_secs(own)),
            opponent_last_think: Some(Millis::from_secs(their)),
        })
    }
}

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed)
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

fn tiny() -> Vec<u8> {
    unpacked(include_bytes!("../../tests/fixtures/tiny.bin.gz"))
}

fn far(ours: &[f32], theirs: &[f32]) -> f32 {
    assert_eq!(ours.len(), theirs.len());
    ours.iter()
        .zip(theirs)
        .map(|(our, their)| (our - their).abs())
        .fold(0.0, f32::max)
}

/// Checks every line; how many there were, and how far chances, outcome and think time were off at most.
fn compare(network: &Network, lines: &str) -> (usize, f32) {
    let (mut count, mut off) = (0, 0.0_f32);
    for (n, line) in lines.lines().enumerate() {
        let reference: Reference = serde_json::from_str(line).unwrap();
        let history = GameHistory::replay(Variant::Standard, "startpos", &reference.moves).unwrap();
        let given = reference.given();
        let mut position = Encoded::new(&history, &given.unwrap_or_default()).unwrap();

        let legal = position.moves.iter().map(|candidate| {
            let promotion = candidate.promotion.map_or(0, |role| u16::from(role) - 1);
            u16::from(candidate.from) | u16::from(candidate.to) << 6 | promotion << 12
        });
        assert_eq!(
            legal.collect::<Vec<_>>(),
            reference.legal,
            "line {n}: legal moves"
        );
        for (plane, hex) in reference.planes.iter().enumerate() {
            assert_eq!(
                format!("{:x}", position.planes[plane]),
                *hex,
                "line {n}: plane {plane}"
            );
        }
        for (candidate, hex) in position.moves.iter().zip(&reference.notes) {
            assert_eq!(
                format!("{:x}", candidate.notes),
                *hex,
                "line {n}: notes on {:?}",
                candidate.mv
            );
        }
        if given.is_some() {
            for (number, (our, their)) in position.context.iter().zip(&reference.context).enumerate() {
                assert!(
                    (our - their).abs() < 2e-6,
                    "line {n}: context {number} is {our}, not {their}"
                );
            }
            assert!(far(&position.pace, &reference.pace) < 2e-6, "line {n}: pace");
        }
        position.context.copy_from_slice(&reference.context);
        position.pace.copy_from_slice(&reference.pace);
        let prediction = network.look(&position);
        let chances: Vec<f32> = prediction.chances.iter().map(|(_, chance)| *chance).collect();
        off = off.max(far(&chances, &reference.chances));
        off = off
            .max(far(&prediction.wdl, &reference.outcome))
            .max(far(&prediction.think_time.unwrap(), &reference.time));
        count += 1;
    }
    (count, off)
}

#[test]
fn a_tiny_network_agrees_with_torch() {
    let lines = unpacked(include_bytes!("../../tests/fixtures/tiny.jsonl.gz"));
    let network = Network::from_bytes(&tiny()).unwrap();
    let (count, off) = compare(&network, std::str::from_utf8(&lines).unwrap());
    println!("{count} positions, at most {off:.7} off");
    assert_eq!(count, 20);
    assert!(off < 5e-6, "{off}");
}

/// `POLICY_NET=FILE POLICY_NET_REFERENCE=FILE`: both files of `training/export.py`.
#[test]
fn a_given_network_agrees_with_torch() {
    let (Ok(file), Ok(reference)) = (std::env::var("POLICY_NET"), std::env::var("POLICY_NET_REFERENCE"))
    else {
        println!("not run: POLICY_NET and POLICY_NET_REFERENCE name no files");
        return;
    };
    let network = Network::from_bytes(&std::fs::read(&file).unwrap()).unwrap();
    let (count, off) = compare(&network, &std::fs::read_to_string(reference).unwrap());
    println!("{count} positions, at most {off:.7} off");
    assert!(count > 0 && off < 1e-5, "{off}");
}

#[test]
fn a_cut_file_is_refused_wherever_it_ends() {
    let whole = tiny();
    for length in (0..whole.len()).step_by(97).chain([whole.len() - 1]) {
        assert!(Network::from_bytes(&whole[..length]).is_err(), "{length} bytes");
    }
}

#[test]
fn a_false_file_is_refused_with_what_was_expected() {
    let error = |bytes: &[u8]| {
        Network::from_bytes(bytes)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    assert_eq!(
        error(b"GIF89a.."),
        "a network starts with \"SPARNET1\", this file with \"GIF89a..\""
    );
    assert_eq!(
        error(b"SPARNET1\xff\xff\xff\xff"),
        "the network's header ends at byte 4294967307, the file at byte 12"
    );
    let whole = tiny();
    let changed = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let at = whole
            .windows(from.len())
            .position(|part| part == from.as_bytes())
            .unwrap();
        let mut bytes = whole.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        error(&bytes)
    };
    assert_eq!(
        changed("\"blocks\": 1", "\"blocks\": 2"),
        "the network has no tensor \"tower.1.pool.bias\""
    );
    assert_eq!(
        changed("\"channels\": 4", "\"channels\": 0"),
        "the network's \"channels\" is 0, not above 0"
    );
    assert_eq!(
        changed("\"channels\": 4", "\"channels\": 5"),
        "tensor \"first.conv.weight\" of the network has shape [9, 96, 4], not [9, 96, 5]"
    );
    let mut nan = whole.clone();
    let end = nan.len();
    nan[end - 2..].copy_from_slice(&0x7e00_u16.to_le_bytes());
    assert!(error(&nan).ends_with("of the network holds NaN"));
}

#[test]
fn halves_are_read() {
    let values = [0x0000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0xc000, 0x3555, 0x7bff].map(from_half);
    let expected = [
        0.0,
        5.960_464_5e-8,
        6.097_555e-5,
        6.103_515_6e-5,
        1.0,
        -2.0,
        0.333_251_95,
        65504.0,
    ];
    assert_eq!(values, expected);
    assert_eq!(from_half(0xfc00), f32::NEG_INFINITY);
    assert!(from_half(0x7e00).is_nan());
}
