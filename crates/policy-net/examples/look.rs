//! Prints how long one look takes: `look NETWORK REFERENCE.jsonl`, a JSON line with `"moves": "e2e4 ..."` for each position.

use std::{path::Path, time::Instant};

use sparring_chess::{GameHistory, Variant, units::Elo};
use sparring_policy_net::{Context, PolicyNetwork};

#[expect(clippy::print_stdout, reason = "an example prints its result")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(network), Some(positions)) = (arguments.next(), arguments.next()) else {
        return Err("usage: look NETWORK REFERENCE.jsonl".into());
    };
    let begun = Instant::now();
    let network = PolicyNetwork::open(Path::new(&network))?;
    println!("read in {:.1?}", begun.elapsed());
    let player = Context::rated(Elo(1500));
    let mut games = Vec::new();
    for line in std::fs::read_to_string(positions)?.lines() {
        let row: serde_json::Value = serde_json::from_str(line)?;
        games.push(GameHistory::replay(
            Variant::Standard,
            "startpos",
            row["moves"].as_str().unwrap_or_default(),
        )?);
    }
    let mut times = Vec::new();
    for game in games.iter().cycle().take(games.len() * 5) {
        let begun = Instant::now();
        std::hint::black_box(network.look(game, &player));
        times.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    let [least, median, most] =
        [0, times.len() / 2, times.len().saturating_sub(1)].map(|at| times.get(at).copied().unwrap_or(0.0));
    println!(
        "{} looks: least {least:.0} us, median {median:.0} us, most {most:.0} us",
        times.len()
    );
    Ok(())
}
