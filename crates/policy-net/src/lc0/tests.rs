use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use sparring_chess::{GameHistory, Variant};

use super::*;
use crate::convolution::Workspace;

/// A small network in lc0's format, from numbers that are the same each time.
struct Writer(u32);

impl Writer {
    fn layer(&mut self, count: usize) -> Vec<u8> {
        let params: Vec<u8> = (0..count * 2).map(|_| self.byte()).collect();
        let low = fixed(1, &(-0.5_f32).to_le_bytes());
        [low, fixed(2, &0.5_f32.to_le_bytes()), bytes(3, &params)].concat()
    }

    fn byte(&mut self) -> u8 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 24) as u8
    }

    fn convolution(&mut self, size: usize, outputs: usize) -> Vec<u8> {
        let weights = bytes(1, &self.layer(size * outputs));
        let variances = [fixed(1, &0.5_f32.to_le_bytes()), fixed(2, &2.0_f32.to_le_bytes())];
        let params: Vec<u8> = (0..outputs * 2).map(|_| self.byte()).collect();
        let variances = bytes(4, &[variances.concat(), bytes(3, &params)].concat());
        let rest = [3, 5, 6].map(|number| bytes(number, &self.layer(outputs)));
        [weights, variances, rest.concat()].concat()
    }

    /// A whole message `Net`.
    fn network(blocks: usize, channels: usize) -> Vec<u8> {
        let mut w = Self(1);
        let mut weights = bytes(1, &w.convolution(112 * 9, channels));
        for _ in 0..blocks {
            let sizes = [channels, 1, 2 * channels, 2 * channels];
            let se = (1..)
                .zip(sizes)
                .map(|(number, size)| bytes(number, &w.layer(size)))
                .collect::<Vec<_>>();
            let convolutions = [1, 2].map(|number| bytes(number, &w.convolution(channels * 9, channels)));
            weights.extend(bytes(
                2,
                &[convolutions.concat(), bytes(3, &se.concat())].concat(),
            ));
        }
        weights.extend(bytes(11, &w.convolution(channels * 9, channels)));
        weights.extend(bytes(3, &w.convolution(channels * 9, 80)));
        weights.extend(bytes(6, &w.convolution(channels, 1)));
        for (number, size) in (7..).zip([64 * 2, 2, 2 * 3, 3]) {
            weights.extend(bytes(number, &w.layer(size)));
        }
        let format = [varint_field(1, 1), bytes(2, &network_format([1, 2, 4, 2, 2]))].concat();
        [
            fixed(1, &0x1c0_u32.to_le_bytes()),
            bytes(4, &format),
            bytes(10, &weights),
        ]
        .concat()
    }
}

fn network_format(values: [u8; 5]) -> Vec<u8> {
    (1..)
        .zip(values)
        .flat_map(|(number, value)| varint_field(number, value))
        .collect()
}

fn varint_field(number: u8, value: u8) -> Vec<u8> {
    vec![number << 3, value]
}

fn fixed(number: u8, value: &[u8; 4]) -> Vec<u8> {
    [&[number << 3 | 5], &value[..]].concat()
}

fn bytes(number: u8, value: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut length = value.len();
    while length > 127 {
        field.push(length as u8 & 127 | 128);
        length >>= 7;
    }
    field.push(length as u8);
    [field, value.to_vec()].concat()
}

fn gzip(message: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(message).unwrap();
    encoder.finish().unwrap()
}

fn game() -> GameHistory {
    GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6").unwrap()
}

#[test]
fn a_cut_file_is_an_error() {
    let message = Writer::network(1, 1);
    let file = gzip(&message);
    assert!(Network::from_gzip(&file).is_ok());
    for length in 0..file.len() {
        assert!(
            Network::from_gzip(&file[..length]).is_err(),
            "file of {length} bytes"
        );
    }
    for length in 0..message.len() {
        assert!(
            Network::from_message(&message[..length]).is_err(),
            "message of {length} bytes"
        );
    }
}

#[test]
fn a_damaged_file_is_an_error_and_never_a_panic() {
    let message = Writer::network(1, 1);
    let file = gzip(&message);
    let mut random = Writer(7);
    let game = game();
    for _ in 0..3000 {
        let mut damaged = file.clone();
        // The first ten bytes are gzip's head: dates and systems there mean nothing.
        let at = 10 + (usize::from(random.byte()) << 8 | usize::from(random.byte())) % (file.len() - 10);
        damaged[at] ^= random.byte().max(1);
        assert!(Network::from_gzip(&damaged).is_err(), "byte {at}");
    }
    // Without gzip's checksum, some damage goes unseen: other weights.
    for _ in 0..20_000 {
        let mut damaged = message.clone();
        for _ in 0..1 + random.byte() % 3 {
            let at = (usize::from(random.byte()) << 8 | usize::from(random.byte())) % damaged.len();
            damaged[at] ^= random.byte().max(1);
        }
        if random.byte() < 26 {
            if let Ok(network) = Network::from_message(&damaged) {
                let _ = network.look(&game); // chances or none
            }
        } else {
            let _ = Network::from_message(&damaged); // only that it returns
        }
    }
}

#[test]
fn formats_that_are_not_read_are_named() {
    let with = |values| {
        let format = [varint_field(1, 1), bytes(2, &network_format(values))].concat();
        let message = [fixed(1, &0x1c0_u32.to_le_bytes()), bytes(4, &format)].concat();
        Network::from_gzip(&gzip(&message))
            .map(drop)
            .unwrap_err()
            .to_string()
    };
    let place = "net.format.network_format";
    let cases = [
        (
            [3, 2, 4, 2, 2],
            "input: expected INPUT_CLASSICAL_112_PLANE, found 3",
        ),
        (
            [1, 2, 6, 2, 2],
            "network: expected NETWORK_CLASSICAL_WITH_HEADFORMAT or NETWORK_SE_WITH_HEADFORMAT, \
             found NETWORK_ATTENTIONBODY_WITH_HEADFORMAT",
        ),
        (
            [1, 2, 4, 1, 2],
            "policy: expected POLICY_CONVOLUTION, found POLICY_CLASSICAL",
        ),
        (
            [1, 2, 4, 3, 2],
            "policy: expected POLICY_CONVOLUTION, found POLICY_ATTENTION",
        ),
        (
            [1, 2, 4, 2, 3],
            "value: expected VALUE_CLASSICAL or VALUE_WDL, found VALUE_PARAM",
        ),
    ];
    for (values, expected) in cases {
        assert_eq!(with(values), format!("{place}.{expected}"));
    }
    assert_eq!(
        with([1, 2, 4, 2, 2]),
        "net.weights: expected a message, found none"
    );
    let text = Network::from_gzip(b"\x89PNG").map(drop).unwrap_err().to_string();
    assert!(
        text.starts_with("file: expected a whole gzip file, found "),
        "{text}"
    );
}

#[test]
fn wide_registers_and_plain_loops_look_alike() {
    for (blocks, channels) in [(2, 5), (10, 128)] {
        let network = Network::from_gzip(&gzip(&Writer::network(blocks, channels))).unwrap();
        assert_eq!((network.blocks(), network.channels()), (blocks, channels));
        let wide = network.look(&game());
        if channels == 5 {
            let look = wide.as_ref().unwrap();
            let sum: f32 = look.chances.iter().map(|(_, chance)| chance).sum();
            assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        }
        assert_eq!(network.look_in(&mut Workspace::plain(), &game()), wide);
    }
}
