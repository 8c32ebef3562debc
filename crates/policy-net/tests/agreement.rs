//! Networks agree with reference outputs: ours with those of torch, Maia's with those of another reader. The files of two tests are
//! not in the repository; without them, the two are reported as ignored.

use std::{
    env, fs,
    io::Read as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use serde::Deserialize;
use sparring_chess::{GameHistory, Variant, units::Millis, write_uci};
use sparring_policy_net::{Clock, Context, Encoded, Speed, lc0, net};

fn main() -> ExitCode {
    let trials = vec![
        Trial::ignorable_test("a_tiny_network_agrees_with_torch", tiny_network),
        Trial::ignorable_test("a_given_network_agrees_with_torch", given_network),
        Trial::ignorable_test("maia_predicts_what_the_reference_says", maia),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

type Outcome = Result<Completion, Failed>;

fn tiny_network() -> Outcome {
    let network = unpacked(include_bytes!("fixtures/tiny.bin.gz"));
    let lines = unpacked(include_bytes!("fixtures/tiny.jsonl.gz"));
    let network = net::Network::from_bytes(&network).unwrap();
    let (count, off) = compare(&network, std::str::from_utf8(&lines).unwrap());
    assert_eq!(count, 20);
    assert!(off < 5e-6, "{off}");
    Ok(Completion::Completed)
}

/// `POLICY_NET=FILE POLICY_NET_REFERENCE=FILE`: both files of `training/export.py`.
fn given_network() -> Outcome {
    let (Some(file), Some(reference)) = (env::var_os("POLICY_NET"), env::var_os("POLICY_NET_REFERENCE"))
    else {
        return Ok(Completion::ignored_with(
            "set POLICY_NET and POLICY_NET_REFERENCE to its files",
        ));
    };
    let network = net::Network::from_bytes(&read(file.as_ref())).unwrap();
    let (count, off) = compare(&network, &text(reference.as_ref()));
    assert!(count > 0 && off < 1e-5, "{count} positions, at most {off:.7} off");
    Ok(Completion::Completed)
}

/// The folder of the Maia networks and their reference outputs: `SPARRING_MAIA`, or beside the checkout.
fn maia_folder() -> Option<PathBuf> {
    env::var_os("SPARRING_MAIA").map(PathBuf::from).or_else(|| {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/maia");
        beside.is_dir().then_some(beside)
    })
}

fn maia() -> Outcome {
    let Some(folder) = maia_folder() else {
        return Ok(Completion::ignored_with(
            "set SPARRING_MAIA to the folder of Maia's files",
        ));
    };
    let rows: Vec<serde_json::Value> = text(&folder.join("reference.jsonl"))
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (mut agreed, mut asked, mut worst) = (0, 0, 0.0_f64);
    for rating in ["1100", "1500", "1900"] {
        let network = {
            let file = folder.join(format!("maia-{rating}.pb.gz"));
            lc0::Network::from_gzip(&read(&file)).unwrap()
        };
        for row in &rows {
            let moves = row["moves"].as_str().unwrap();
            let game = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
            let look = network.look(&game).unwrap();
            let chance = |uci: &str| {
                let named = |(mv, _): &&(_, f32)| write_uci(*mv, Variant::Standard) == uci;
                f64::from(look.chances.iter().find(named).unwrap().1)
            };
            let top = row[rating]["top"].as_array().unwrap();
            let likeliest = look.chances.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0;
            agreed += usize::from(write_uci(likeliest, Variant::Standard) == top[0][0].as_str().unwrap());
            asked += 1;
            for pair in top {
                let difference = chance(pair[0].as_str().unwrap()) - pair[1].as_f64().unwrap();
                worst = worst.max(difference.abs());
            }
            for (ours, theirs) in look.wdl.into_iter().zip(row[rating]["wdl"].as_array().unwrap()) {
                worst = worst.max((f64::from(ours) - theirs.as_f64().unwrap()).abs());
            }
        }
    }
    assert_eq!((agreed, asked), (600, 600));
    assert!(worst < 0.01, "{worst}");
    Ok(Completion::Completed)
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

fn text(path: &Path) -> String {
    String::from_utf8(read(path)).unwrap()
}

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed)
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

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

/// Checks every line; how many there were, and how far chances, outcome and think time were off at most.
fn compare(network: &net::Network, lines: &str) -> (usize, f32) {
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

fn far(ours: &[f32], theirs: &[f32]) -> f32 {
    assert_eq!(ours.len(), theirs.len());
    ours.iter()
        .zip(theirs)
        .map(|(our, their)| (our - their).abs())
        .fold(0.0, f32::max)
}
