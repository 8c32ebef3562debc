//! Arguments that commands share: config, token file, URL.

use std::path::PathBuf;

/// Arguments of every command about the bot's account.
#[derive(Debug, clap::Args)]
pub struct AccountArgs {
    /// The settings file.
    #[arg(long, default_value = "bot.toml")]
    pub config: PathBuf,
    /// The file with the token, readable by its owner alone, instead of the one in bot.toml.
    #[arg(long)]
    pub token_file: Option<PathBuf>,
    /// The server's URL, instead of the one in bot.toml.
    #[arg(long, env = "LICHESS_URL", hide_env_values = true)]
    pub url: Option<String>,
}
