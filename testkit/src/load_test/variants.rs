//! Many games of each variant against an opponent that plays legal moves at random: whether the bot ever plays an illegal
//! move or loses on time.

use super::{Args, games, row, stats::Tally};
use crate::harness::{BOOK, GameStart, OpponentBehavior, SandboxServer, clock};
use sparring_chess::{
    Variant, chess960_fen,
    units::{Millis, Nodes},
};

/// A level, so that its handicaps are played with too, and moves at once.
const PLAYER: &str = "about = \"Plays every variant.\"\nlevel = 1600\ndelay = \"off\"\nbooks = []\n";
/// The opponent resigns then.
const MOST_PLIES: usize = 500;

/// What to play.
#[derive(Debug, Clone)]
pub(super) struct Variants(Vec<Variant>);

/// Reads a variant by key, name or abbreviation, or `all`.
pub(super) fn parse(text: &str) -> Result<Variants, String> {
    if text == "all" {
        return Ok(Variants(Variant::ALL.to_vec()));
    }
    let known = Variant::named(text).map(|variant| Variants(vec![variant]));
    known.ok_or_else(|| {
        format!(
            "write \"all\", or one of {}",
            Variant::ALL.map(Variant::key).join(", ")
        )
    })
}

/// Plays the games and prints how they ended.
///
/// # Errors
/// When the program cannot be started or the sandbox cannot be served; when the server refused a move of the bot, or the bot
/// lost on time, or a game did not end.
pub(super) async fn measure(args: &Args) -> anyhow::Result<()> {
    let sandbox_server = SandboxServer::new(args.seed).await?;
    let (bot, _) = super::start(&sandbox_server, PLAYER, BOOK, args.at_once).await?;
    let variants = args.variant.as_ref().map_or(&[][..], |variants| &variants.0);
    let mut faults = 0;
    for (number, variant) in variants.iter().enumerate() {
        let behavior = |game| OpponentBehavior {
            start: start(*variant, args.seed, game),
            clock: clock(game),
            pause: Millis::ZERO,
            drawn: usize::MAX,
            nodes: Nodes(0),
            seed: args.seed ^ ((game as u64) << 32),
            most_plies: MOST_PLIES,
        };
        let tally = games(&sandbox_server, args, 1000 * (number + 1), behavior).await?;
        let refused = bot.heard().refusals;
        let unfinished = args.games - tally.finished;
        row(variant.key(), &told(&tally, refused, unfinished));
        faults += refused + tally.lost_on_time + unfinished;
    }
    bot.end().await?;
    anyhow::ensure!(
        faults == 0,
        "{faults} illegal moves, losses on time and unfinished games"
    );
    Ok(())
}

/// Where a game begins. Chess960 is drawn by the server; From Position gets one of the same starts.
fn start(variant: Variant, seed: u64, game: usize) -> GameStart {
    let number = (seed.wrapping_mul(31).wrapping_add(game as u64) % 960) as u32;
    GameStart {
        variant,
        fen: (variant == Variant::FromPosition).then(|| chess960_fen(number)),
    }
}

fn told(tally: &Tally, refused: usize, unfinished: usize) -> String {
    format!(
        "{} games: {}; {refused} illegal, {} lost on time, {unfinished} unfinished; the bot won {}",
        tally.finished,
        tally.endings(),
        tally.lost_on_time,
        tally.won
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_variant_or_all_can_be_asked_for() {
        assert_eq!(parse("all").unwrap().0, Variant::ALL);
        assert_eq!(parse("racing kings").unwrap().0, [Variant::RacingKings]);
        assert!(
            parse("bughouse")
                .unwrap_err()
                .ends_with("racingKings, crazyhouse")
        );
    }
}
