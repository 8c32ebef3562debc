//! `sparring sandbox`: the lichess-compatible server alone, to test bots and boards.

use anyhow::Context as _;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::cli::{
    bootstrap::fresh_seed,
    exit::{Exit, Failure},
    threads,
};
use sparring_http_server::raise_open_files;
use sparring_sandbox::{AnonymousAccess, Key, Options, SPEEDS, Sandbox, has_page};

/// Serves the lichess API on this machine, to test bots and boards.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring sandbox                          one bot account; prints its token and the admin key
  sparring sandbox --bot MyBot --human ana  these two accounts")]
pub struct Args {
    /// The port; 0 for any free port.
    #[arg(long, default_value_t = 8888)]
    port: u16,
    /// Name of a bot account to create; may be repeated.
    #[arg(long = "bot", default_value = "SandboxBot")]
    bots: Vec<String>,
    /// Name of a human account to create; may be repeated.
    #[arg(long = "human")]
    humans: Vec<String>,
    /// Speed factor of the sandbox's clocks; at 0 they stand still.
    #[arg(long, default_value_t = 1.0, value_parser = parse_speed)]
    speed: f64,
    /// Seed of ids, tokens and random colors, for repeatable runs. The tokens of a known seed can be guessed.
    #[arg(long)]
    seed: Option<u64>,
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed| SPEEDS.contains(speed));
    speed.ok_or_else(|| {
        format!(
            "\"{text}\" is not a speed: write a number from 0 to {}",
            SPEEDS.end()
        )
    })
}

/// Serves until Ctrl-C.
///
/// # Errors
/// When the port is in use, or an account name is invalid.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    raise_open_files().warn_if_few();
    let runtime = threads::runtime()?;
    runtime.block_on(serve(args))
}

async fn serve(args: &Args) -> anyhow::Result<Exit> {
    // Other users of this machine can connect; without the key they cannot move clocks or create tokens.
    let key = Key::random().context("cannot create a key")?;
    let mut options = Options {
        speed_factor: args.speed,
        access: AnonymousAccess::Public(key.clone()),
        ..Options::default()
    };
    options.rules.seed = args.seed.unwrap_or_else(fresh_seed);
    let sandbox = Sandbox::new(options);
    let listener = bind(args.port).await?;
    let address = format!("http://{}/", listener.local_addr()?);
    super::print(&address)?;
    for name in &args.bots {
        super::print(format_args!("bot {name} {}", sandbox.add_bot(name)?))?;
    }
    for name in &args.humans {
        super::print(format_args!("human {name} {}", sandbox.add_human(name)?))?;
    }
    super::print(format_args!("key {}", key.expose()))?;
    if has_page() {
        super::print(format_args!("page {}", with_key(&address, &key)))?;
    }
    let stop = CancellationToken::new();
    let server = tokio::spawn(sandbox.serve(listener, stop.clone()));
    tokio::signal::ctrl_c()
        .await
        .context("cannot listen for Ctrl-C")?;
    stop.cancel();
    server.await.context("the sandbox panicked")??;
    Ok(Exit::Success)
}

/// The page's URL with the key in its fragment, which the browser sends to no server.
pub fn with_key(address: &str, key: &Key) -> String {
    format!("{address}#key={}", key.expose())
}

/// Binds a port of the loopback address.
///
/// # Errors
/// [`Exit::Unavailable`] with a fix when the port cannot be bound.
pub async fn bind(port: u16) -> anyhow::Result<TcpListener> {
    TcpListener::bind(("127.0.0.1", port)).await.map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::AddrInUse => "is in use; is another Sparring running?".to_owned(),
            _ => format!("cannot be bound: {error}."),
        };
        Failure::error(
            Exit::Unavailable,
            format!("port {port} {why} Choose another with --port, 0 for any free port"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_a_finite_number_in_range() {
        assert_eq!(parse_speed("0"), Ok(0.0));
        assert_eq!(parse_speed("2.5"), Ok(2.5));
        for text in ["-1", "nan", "inf", "1e300", "fast"] {
            assert!(parse_speed(text).is_err(), "{text}");
        }
    }
}
