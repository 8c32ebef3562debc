//! Games by an external engine that fails every few moves.

use super::{Args, Bot, many, row};
use crate::harness::{BOOK, Folder, SandboxServer, settings};

/// The nodes that the engine looks at, so that what remains of an answer's time is ours.
const NODES: u32 = 1;

/// Plays the games and prints how they ended.
///
/// # Errors
/// When the program cannot be started or the sandbox cannot be served.
pub(super) async fn measure(engine: &str, args: &Args) -> anyhow::Result<()> {
    let sandbox_server = SandboxServer::new(args.seed).await?;
    let proxy = std::env::current_exe()?;
    let folder = Folder::new()?;
    let text = format!(
        "{}[engine.rogue]\ncommand = {:?}\narguments = [\"rogue-engine\", \"--seed\", \"{}\", \"--every\", \"{}\", \"--\", {engine:?}]\nnodes = {NODES}\n",
        settings(args.at_once, "50ms"),
        proxy.display().to_string(),
        args.seed,
        args.every,
    );
    let personality =
        "about = \"Lets another engine search.\"\nengine = \"rogue\"\ndelay = \"off\"\nbooks = []\n";
    folder.write(&text, personality, BOOK)?;
    let bot = Bot::start_in(&sandbox_server, folder).await?;
    let tally = many(&sandbox_server, args).await?;
    row("games finished as", &tally.endings());
    row("the bot's losses on time", &tally.lost_on_time.to_string());
    row("unfinished", &(args.games - tally.finished).to_string());
    let log = bot.end().await?;
    row(
        "moves of the engine, and of the embedded one",
        &format!("{}, {}", log.external, log.embedded),
    );
    row("failures of the engine", &log.failures.to_string());
    row("moves the server refused", &log.refusals.to_string());
    row("from our turn to the move out", &log.own.to_string());
    row(
        "without the first moves, as the engine starts",
        &log.own_later.to_string(),
    );
    Ok(())
}
