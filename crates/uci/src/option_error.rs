//! Why an option cannot be set.

use thiserror::Error;

use sparring_engine::ParamError;

/// A setting that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum OptionError {
    #[error("there is no option \"{name}\"{hint}")]
    Unknown {
        name: String,
        /// The end of the sentence: what may have been meant.
        hint: String,
    },
    #[error("option \"{name}\" needs a number from {min} to {max}, not \"{text}\"")]
    Spin {
        name: &'static str,
        text: String,
        min: u64,
        max: u64,
    },
    #[error("option \"{name}\" needs true or false, not \"{text}\"")]
    Check { name: &'static str, text: String },
    #[error("option \"{name}\" needs one of {choices}, not \"{text}\"")]
    Combo {
        name: &'static str,
        text: String,
        choices: String,
    },
    #[error("option \"{name}\" needs the name of a file")]
    File { name: &'static str },
    #[error(transparent)]
    Param(#[from] ParamError),
}
