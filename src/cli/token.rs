//! Sources of the lichess token: a systemd credential, a private file, the environment. Never a flag.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::{
    cli::state_dir::beside,
    secret_file::{SecretFileError, credential, credentials, read_private},
};
use sparring_lichess::{BadToken, Token};

/// The environment variable that may hold the token.
pub const VARIABLE: &str = "LICHESS_TOKEN";
/// The name of the systemd credential that may hold it, and of the file that the units make it of.
const CREDENTIAL: &str = "lichess-token";

/// Why there is no usable token. Each message says what to do; none quotes the token.
#[derive(Debug, Error)]
pub enum TokenError {
    /// No source has a token.
    #[error(
        "no lichess token: put it into a file that only you can read and name it with --token-file, or set {VARIABLE}; \
         create one at https://lichess.org/account/oauth/token with the scope bot:play"
    )]
    Missing,
    /// A service was started without a token.
    #[error(
        "no lichess token: create one at https://lichess.org/account/oauth/token with the scope bot:play, and put it into \
         the file that the unit names by LoadCredential={CREDENTIAL}, readable by root alone"
    )]
    NoCredential,
    /// A file cannot be read, or others may read it.
    #[error(transparent)]
    File(#[from] SecretFileError),
    /// A text that is no token, for example two lines or a pasted header.
    #[error("the text from {source_name} is not a token")]
    Malformed {
        /// The source.
        source_name: String,
        /// What is wrong with it.
        #[source]
        source: BadToken,
    },
}

/// The sources of a token, in order.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// systemd's folder of credentials.
    pub credentials: Option<PathBuf>,
    /// A file named on the command line.
    pub file: Option<PathBuf>,
    /// The file named in `bot.toml`. Where it does not exist, the later sources count: settings may be copied to a service or container
    /// that gets its token elsewhere.
    pub named: Option<PathBuf>,
    /// The value of the environment variable.
    pub environment: Option<String>,
    /// The file beside the settings from which the units make the credential: for commands run by hand about a service.
    pub beside: Option<PathBuf>,
}

impl Sources {
    /// The sources of this process: credentials, the given files, the environment, and the file beside the settings.
    #[must_use]
    pub fn of_process(file: Option<PathBuf>, named: Option<PathBuf>, settings: &Path) -> Self {
        Self {
            credentials: credentials(),
            file,
            named,
            environment: std::env::var(VARIABLE).ok(),
            beside: Some(beside(settings).join(CREDENTIAL)).filter(|path| path.exists()),
        }
    }

    /// The first token found.
    ///
    /// # Errors
    /// [`TokenError`] when there is none, or the first source with one is not private or malformed.
    pub fn read(&self) -> Result<Token, TokenError> {
        let (text, source_name) = self.find()?;
        Token::parse(&text).map_err(|source| TokenError::Malformed { source_name, source })
    }

    /// The first text found that should be a token, and its source.
    fn find(&self) -> Result<(String, String), TokenError> {
        if let Some((text, path)) = credential(self.credentials.as_deref(), CREDENTIAL)? {
            return Ok((text, path.display().to_string()));
        }
        if let Some(path) = &self.file {
            return Ok((read_private(path)?, path.display().to_string()));
        }
        let missing = match self.named.as_deref().map(|path| (path, read_private(path))) {
            Some((path, Ok(text))) => return Ok((text, path.display().to_string())),
            Some((_, Err(why))) if !why.is_missing() => return Err(why.into()),
            Some((_, Err(why))) => Some(why),
            None => None,
        };
        if let Some(text) = self.environment.as_ref().filter(|text| !text.trim().is_empty()) {
            return Ok((text.clone(), VARIABLE.to_owned()));
        }
        match &self.beside {
            Some(path) => Ok((read_private(path)?, path.display().to_string())),
            None => Err(match missing {
                Some(why) => why.into(),
                None if self.credentials.is_some() => TokenError::NoCredential,
                None => TokenError::Missing,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    fn found(sources: &Sources) -> String {
        assert!(sources.read().is_ok());
        sources.find().unwrap().0.trim().to_owned()
    }

    #[cfg(unix)]
    fn file(folder: &Path, mode: u32) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = folder.join("token");
        fs::write(&path, "lip_fromFile\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[cfg(unix)]
    #[test]
    fn a_credential_comes_before_a_file_and_that_before_the_environment_and_what_lies_beside() {
        let folder = tempfile::tempdir().unwrap();
        let mut sources = Sources {
            credentials: Some(folder.path().to_owned()),
            file: Some(file(folder.path(), 0o600)),
            named: Some(folder.path().join("elsewhere")),
            environment: Some("lip_fromEnvironment".into()),
            beside: None,
        };
        fs::write(folder.path().join(CREDENTIAL), "lip_fromCredential").unwrap();
        assert_eq!(found(&sources), "lip_fromCredential");
        sources.credentials = None;
        assert_eq!(found(&sources), "lip_fromFile");
        sources.file = None;
        // The file that the settings name stayed where they came from.
        assert_eq!(found(&sources), "lip_fromEnvironment");
        sources.environment = None;
        sources.beside = Some(file(folder.path(), 0o600));
        assert_eq!(found(&sources), "lip_fromFile");
        sources.beside = None;
        assert!(sources.read().unwrap_err().to_string().contains("elsewhere"));
        sources.named = Some(file(folder.path(), 0o644));
        sources.environment = Some("lip_fromEnvironment".into());
        assert!(sources.read().unwrap_err().to_string().contains("chmod 600"));
        (sources.named, sources.environment) = (None, None);
        assert!(matches!(sources.read(), Err(TokenError::Missing)));
        // What the unit has in the place of a file that is not there.
        fs::write(folder.path().join(CREDENTIAL), "\n").unwrap();
        sources.credentials = Some(folder.path().to_owned());
        assert!(matches!(sources.read(), Err(TokenError::NoCredential)));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_refused_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o644);
        let error = Sources {
            file: Some(path),
            ..Sources::default()
        }
        .read()
        .unwrap_err();
        assert!(error.to_string().contains("chmod 600"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_as_editors_and_windows_write_it_is_read_and_another_encoding_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o600);
        let sources = Sources {
            file: Some(path.clone()),
            ..Sources::default()
        };
        for text in [
            "\u{feff}lip_fromFile\r\n",
            "lip_fromFile \n\n",
            "\"lip_fromFile\"",
        ] {
            fs::write(&path, text).unwrap();
            let token = sources.read().unwrap();
            let plain = Token::parse("lip_fromFile").unwrap();
            assert_eq!(token.fingerprint("a"), plain.fingerprint("a"), "{text:?}");
        }
        let wide: Vec<u8> = "\u{feff}lip_fromFile"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        for (bytes, expected) in [
            (&wide[..], "this is UTF-16, not UTF-8; save"),
            (b"lip_\xfcCANARY", "not UTF-8; save"),
        ] {
            fs::write(&path, bytes).unwrap();
            let said = format!("{:#}", anyhow::Error::new(sources.read().unwrap_err()));
            assert!(said.contains(expected) && !said.contains("CANARY"), "{said}");
        }
    }

    #[test]
    fn text_that_would_change_a_header_is_refused_without_quoting_it() {
        let sources = Sources {
            environment: Some("lip_a\r\nX-Evil: 1".into()),
            ..Sources::default()
        };
        let error = sources.read().unwrap_err().to_string();
        assert!(
            error.contains("LICHESS_TOKEN") && !error.contains("Evil"),
            "{error}"
        );
    }
}
