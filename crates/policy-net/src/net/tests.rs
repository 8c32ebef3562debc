//! Files that are no network. `tests/agreement.rs` compares with torch what a network says.

use std::io::Read as _;

use super::file::from_half;
use super::*;

fn tiny() -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&include_bytes!("../../tests/fixtures/tiny.bin.gz")[..])
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
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
