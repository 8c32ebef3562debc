//! Arguments that commands share: config, token file, URL.

use std::path::PathBuf;

/// What every command about the bot's account may be told.
#[derive(Debug, clap::Args)]
pub struct AccountArgs {
    /// The settings.
    #[arg(long, default_value = "bot.toml")]
    pub config: PathBuf,
    /// A file with the token, readable by nobody else, instead of the one that the settings name.
    #[arg(long)]
    pub token_file: Option<PathBuf>,
    /// The server, instead of the one in bot.toml.
    #[arg(long, env = "LICHESS_URL", hide_env_values = true)]
    pub url: Option<String>,
}
