//! Personalities and settings as rows of name, value and meaning, for `sparring explain` and the editor's preview.

use sparring_config_schema::{DefaultValue, Key};
use sparring_personality::{
    Personality,
    human_model::RootScores,
    strength::{BlunderCheck, CALIBRATION, LevelParams, Strength},
};

/// The strength in a few words: `level 1400, ...`, `full strength`.
pub(crate) fn strength_of(profile: &Personality) -> String {
    match Strength::of(profile, None) {
        level @ Strength::Level(_) => format!("{level}, {CALIBRATION}"),
        other => other.to_string(),
    }
}

/// A strength parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParamRow {
    /// Its key in a personality file.
    pub(crate) name: &'static str,
    /// The value with its unit.
    pub(crate) value: String,
    /// What it does.
    pub(crate) doc: &'static str,
}

/// The strength parameters of a level.
pub(crate) fn param_rows(params: &LevelParams) -> Vec<ParamRow> {
    let or = |value: Option<String>, nothing: &str| value.unwrap_or_else(|| nothing.to_owned());
    let checks = params.choice.is_some();
    let choice = params.choice.map_or(Vec::new(), |choice| {
        let with_care = |tell: fn(BlunderCheck) -> String| or(choice.blunder_check.map(tell), "none");
        vec![
            (
                "rating",
                choice.rating.to_string(),
                "of the people whose choice of moves it makes its own",
            ),
            (
                "sharpness",
                format!("{:.2}", choice.sharpness),
                "power that the chances of their moves are raised to",
            ),
            (
                "vigilance",
                with_care(|care| format!("{:.0} %", 100.0 * care.vigilance)),
                "share of the moves that it takes care with, less once the game is decided",
            ),
            (
                "focus",
                with_care(|care| format!("{:.2}", care.sharpness)),
                "the power with care, instead of sharpness",
            ),
            (
                "margin",
                with_care(|care| format!("{:.1}", care.margin)),
                "points of winning chances that a move may lose with care",
            ),
        ]
    });
    let rows = [
        (
            "nodes",
            match params.nodes {
                Some(nodes) => nodes.0.to_string(),
                None if checks => "none".to_owned(),
                None => "no limit".to_owned(),
            },
            if checks {
                "positions looked at to check the chosen move"
            } else {
                "positions looked at for a move"
            },
        ),
        (
            "depth",
            match params.depth {
                Some(depth) => depth.0.to_string(),
                None if checks => RootScores::DEEP.0.to_string(),
                None => "no limit".to_owned(),
            },
            "half moves looked ahead, exchanges excepted",
        ),
        (
            "noise",
            format!("{} cp", params.noise.0),
            "spread of errors in judging a position",
        ),
        (
            "blunder-rate",
            format!("{:.3}", params.blunder_rate),
            "chance to overlook a kind of move",
        ),
        (
            "book-plies",
            or(params.book_plies.map(|plies| plies.to_string()), "no limit"),
            "half moves of the game from books",
        ),
    ];
    choice
        .into_iter()
        .chain(rows)
        .map(|(name, value, doc)| ParamRow { name, value, doc })
        .collect()
}

/// A settings key with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyRow<'k> {
    /// The dotted path.
    pub(crate) path: &'k str,
    /// The value, or what leaving the key out means.
    pub(crate) value: &'k str,
    /// Byte offset of the key in the text; none if it is not written there.
    pub(crate) written_at: Option<usize>,
    /// Where the value comes from if the key is not written: `default` or `left out`.
    pub(crate) source: &'static str,
    /// What it means.
    pub(crate) doc: &'static str,
}

/// All keys with their values.
pub(crate) fn key_rows(keys: &[Key]) -> Vec<KeyRow<'_>> {
    let rows = keys.iter().map(|key| {
        let (value, source) = match (&key.value, &key.fallback) {
            (Some(value), _) => (value.as_str(), "default"),
            (None, DefaultValue::Nothing(meaning)) => (*meaning, "left out"),
            (None, DefaultValue::Value(value)) => (value.as_str(), "default"),
        };
        KeyRow {
            path: &key.path,
            value,
            written_at: key.value.as_ref().and(key.span.as_ref()).map(|span| span.start),
            source,
            doc: key.doc,
        }
    });
    rows.collect()
}
