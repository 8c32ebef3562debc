//! The rules against the shared test data: perft counts, legal moves in both notations, keys.

mod shared;

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use libtest_mimic::Arguments;
use serde_json::Value;
use shared::{plain_trial, trial};
use sparring_chess::{
    Position, Rules as _, Variant, key, parse_fen, parse_san, parse_uci, write_san, write_uci,
};
use sparring_engine::perft::perft;

/// Leaves counted by each of the perft tests where `PERFT_LEAVES` does not say otherwise: a few seconds in a development build.
const NODE_BUDGET: u64 = 60_000_000;

fn budget() -> u64 {
    std::env::var("PERFT_LEAVES").map_or(NODE_BUDGET, |leaves| leaves.parse().unwrap())
}

fn main() -> ExitCode {
    let trials = vec![
        plain_trial("the_well_known_positions_are_exact", well_known_positions),
        trial(
            "the_standard_suite_is_exact",
            "testdata/perft/standard.epd",
            |file| check(&epd_table(&text(file)), 126),
        ),
        trial(
            "random_positions_are_exact",
            "testdata/perft/random-a.epd",
            |file| check(&epd_table(&text(file)), 300),
        ),
        trial(
            "tricky_castling_en_passant_and_promotions_are_exact",
            "testdata/perft/tricky.perft",
            |file| check(&tricky_table(&text(file)), 20),
        ),
        trial(
            "standard_moves_and_keys_agree_with_the_oracle",
            "testdata/rules/standard.jsonl",
            |file| check_all_rules(file, 150),
        ),
        trial(
            "chess960_moves_and_keys_agree_with_the_oracle",
            "testdata/rules/chess960.jsonl",
            |file| check_all_rules(file, 40),
        ),
        trial(
            "variant_moves_agree_with_the_oracle",
            "testdata/rules/variants.jsonl",
            |file| check_all_rules(file, 70),
        ),
        plain_trial("moves_counts_and_keys_agree_with_python_chess", our_own_sample),
        plain_trial("counts_of_variants_are_those_of_other_programs", variant_counts),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn text(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Any mode of castling is read as chess960, which covers the orthodox one.
fn position(fen: &str) -> Position {
    parse_fen(Variant::Chess960, fen).unwrap()
}

/// Positions with their counts by depth.
type Table = Vec<(String, Vec<(u32, u64)>)>;

fn epd_table(text: &str) -> Table {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let mut parts = line.split(';');
            let fen = parts.next().unwrap().trim().to_owned();
            let counts = parts
                .map(|part| count(part.trim().trim_start_matches('D')))
                .collect();
            (fen, counts)
        })
        .collect()
}

fn tricky_table(text: &str) -> Table {
    let mut table = Table::new();
    for line in text.lines() {
        if let Some(fen) = line.strip_prefix("epd ") {
            table.push((fen.to_owned(), Vec::new()));
        } else if let Some(numbers) = line.strip_prefix("perft ") {
            table.last_mut().unwrap().1.push(count(numbers));
        }
    }
    table
}

fn count(text: &str) -> (u32, u64) {
    let (depth, nodes) = text.trim().split_once(' ').unwrap();
    (depth.trim().parse().unwrap(), nodes.trim().parse().unwrap())
}

/// Checks counts from the smallest up, as many as the budget holds, and at least one of each position.
fn check(table: &Table, at_least: usize) {
    assert!(table.len() >= at_least, "only {} positions", table.len());
    let mut counts: Vec<(u64, u32, &str)> = table
        .iter()
        .flat_map(|(fen, counts)| {
            counts
                .iter()
                .map(move |(depth, nodes)| (*nodes, *depth, fen.as_str()))
        })
        .collect();
    counts.sort_unstable();
    let mut left = budget();
    for (nodes, depth, fen) in counts {
        if nodes > left {
            break;
        }
        left -= nodes;
        assert_eq!(perft(&position(fen), depth), nodes, "{fen} at depth {depth}");
    }
}

/// Counts that everybody who writes a move generator knows: chessprogramming.org, "Perft Results".
fn well_known_positions() {
    let known = "\
        rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D3 8902 ;D5 4865609\n\
        r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 ;D1 48 ;D3 97862 ;D4 4085603\n\
        8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 ;D1 14 ;D4 43238 ;D5 674624\n\
        r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1 ;D1 6 ;D4 422333\n\
        rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8 ;D1 44 ;D4 2103487\n";
    check(&epd_table(known), 5);
}

/// Counts by variant, which `tests/witness/variants.py` compares with Fairy-Stockfish and python-chess.
fn variant_counts() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/variants.perft");
    let (mut rows, mut variants) = (0, HashSet::new());
    for line in text(&path).lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(';').collect();
        let variant = Variant::of_uci()
            .find(|variant| variant.uci_name() == fields[0])
            .unwrap_or_else(|| panic!("{line}"));
        let pos = parse_fen(variant, fields[1]).unwrap();
        for (depth, leaves) in (1..).zip(fields[2].split(' ')) {
            assert_eq!(perft(&pos, depth).to_string(), leaves, "{line} at depth {depth}");
        }
        variants.insert(variant);
        rows += 1;
    }
    // Standard chess has tables of its own.
    assert_eq!((rows, variants.len()), (39, 7));
}

/// The test data spells variants by their key or their abbreviation, in any case of letters.
fn variant(name: &str) -> Variant {
    Variant::ALL
        .into_iter()
        .find(|variant| {
            [variant.key(), variant.short()]
                .iter()
                .any(|spelling| spelling.eq_ignore_ascii_case(name))
        })
        .unwrap_or_else(|| panic!("the test data has an unknown variant \"{name}\""))
}

fn records(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn check_rules(record: &Value) {
    let fen = record["fen"].as_str().unwrap();
    let variant = variant(record["variant"].as_str().unwrap());
    let pos = parse_fen(variant, fen).unwrap();
    let mut found: Vec<(String, String)> = pos
        .legal_moves()
        .iter()
        .map(|mv| (write_uci(*mv, variant), write_san(&pos, *mv)))
        .collect();
    let mut expected: Vec<(String, String)> = record["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| {
            (
                pair[0].as_str().unwrap().to_owned(),
                pair[1].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{variant} {fen}");
    for (uci, san) in &expected {
        assert_eq!(
            parse_uci(&pos, uci).unwrap(),
            parse_san(&pos, san).unwrap(),
            "{variant} {fen} {uci}"
        );
    }
    assert_eq!(record["check"].as_bool(), Some(pos.is_check()), "{variant} {fen}");
    assert_eq!(
        record["checkmate"].as_bool(),
        Some(pos.is_checkmate()),
        "{variant} {fen}"
    );
    if let Some(polyglot) = record["polyglot"].as_str() {
        assert_eq!(format!("{:016x}", key(&pos)), polyglot, "{variant} {fen}");
    }
}

fn check_all_rules(file: &Path, count: usize) {
    let records = records(&text(file));
    assert_eq!(records.len(), count);
    records.iter().for_each(check_rules);
}

/// Our own sample, which travels with the code: `tests/witness/rules.py` has made it with python-chess.
fn our_own_sample() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rules.jsonl");
    let records = records(&text(&path));
    assert_eq!(records.len(), 160);
    for record in &records {
        check_rules(record);
        let (variant, fen) = (
            record["variant"].as_str().unwrap(),
            record["fen"].as_str().unwrap(),
        );
        let count = |index: usize| record["perft"][index].as_u64().unwrap();
        let pos = parse_fen(self::variant(variant), fen).unwrap();
        assert_eq!(
            perft(&pos, u32::try_from(count(0)).unwrap()),
            count(1),
            "{variant} {fen}"
        );
    }
}
