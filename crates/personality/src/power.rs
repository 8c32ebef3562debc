//! Advanced parameters: every search parameter and evaluation weight, by name.

use std::sync::Arc;

use toml::{Spanned, de::DeValue};

use sparring_config_schema::{Int, Section, TypeError, ValueType};
use sparring_engine::{EngineOverrides, Params, WeightChange, WeightOverrides, WeightRow, weight_rows};

/// Reads `[search]` and `[eval]`; `None` if they change nothing.
pub(super) fn declare(file: &mut Section<'_>) -> Option<Arc<EngineOverrides>> {
    let params = file.section("search", declare_search);
    let weights = file.section("eval", declare_eval);
    let is_plain = params == Params::default() && weights.is_default();
    (!is_plain).then(|| Arc::new(EngineOverrides::new(params, weights)))
}

/// Reports the sections of power mode outside it.
pub(super) fn forbid(file: &mut Section<'_>) {
    for section in ["search", "eval"] {
        file.forbid(
            section,
            format!("[{section}] is for power mode"),
            "write mode = \"power\" at the top of the file",
        );
    }
}

fn declare_search(search: &mut Section<'_>) -> Params {
    let mut params = Params::default();
    for param in Params::LIST {
        let value = search.key(
            param.name,
            Int(param.min..=param.max, ""),
            param.default,
            param.doc,
        );
        // The form has seen to name and range.
        let _ = params.set(param.name, value);
    }
    params
}

fn declare_eval(eval: &mut Section<'_>) -> WeightOverrides {
    let mut weights = WeightOverrides::default();
    for row in weight_rows() {
        let amount = eval.key(row.key, PowerShare(row), WeightChange::Percent(100), row.doc);
        // The form has seen to length and range.
        let _ = weights.set(row, &amount);
    }
    weights
}

/// Value type of an evaluation term: percent of the built-in weights, or centipawns.
#[derive(Debug, Clone, Copy)]
struct PowerShare(&'static WeightRow);

impl PowerShare {
    /// Form of the pairs: one, or a list.
    fn pairs(self) -> String {
        match self.0.length {
            1 => "[middle game, endgame]".to_owned(),
            length => format!("a list of {length} [middle game, endgame]"),
        }
    }

    fn read_pair(value: &Spanned<DeValue<'_>>) -> Result<[i32; 2], Vec<TypeError>> {
        let DeValue::Array(halves) = value.get_ref() else {
            return Err(vec![TypeError::new(value, "a weight is a pair of numbers")]);
        };
        let worth = |half| Int(-WeightChange::MOST..=WeightChange::MOST, "").read(half);
        match halves.iter().collect::<Vec<_>>()[..] {
            [mg, eg] => match (worth(mg), worth(eg)) {
                (Ok(mg), Ok(eg)) => Ok([mg, eg]),
                (mg, eg) => Err([mg, eg].into_iter().filter_map(Result::err).flatten().collect()),
            },
            _ => {
                let message = format!("a weight is a pair of numbers, not {}", halves.len());
                Err(vec![TypeError::new(value, message)])
            }
        }
    }
}

impl ValueType for PowerShare {
    type Value = WeightChange;

    fn describe(&self) -> String {
        let (percent, worth) = (WeightChange::MOST_PERCENT, WeightChange::MOST);
        format!(
            "\"150%\" of what the engine has, from -{percent}% to {percent}%, or {} in centipawns from -{worth} to {worth}",
            self.pairs()
        )
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<WeightChange, Vec<TypeError>> {
        match value.get_ref() {
            DeValue::String(text) => {
                let percent = text
                    .strip_suffix('%')
                    .and_then(|number| number.trim().parse().ok());
                let range = -WeightChange::MOST_PERCENT..=WeightChange::MOST_PERCENT;
                match percent.filter(|percent| range.contains(percent)) {
                    Some(percent) => Ok(WeightChange::Percent(percent)),
                    None => Err(vec![TypeError::new(value, format!("{text:?} is not a share"))]),
                }
            }
            DeValue::Array(_) if self.0.length == 1 => Ok(WeightChange::Pairs(vec![Self::read_pair(value)?])),
            DeValue::Array(pairs) if pairs.len() == self.0.length => {
                let (mut read, mut misfits) = (Vec::with_capacity(pairs.len()), Vec::new());
                for pair in pairs.iter() {
                    match Self::read_pair(pair) {
                        Ok(pair) => read.push(pair),
                        Err(mut more) => misfits.append(&mut more),
                    }
                }
                if misfits.is_empty() {
                    Ok(WeightChange::Pairs(read))
                } else {
                    Err(misfits)
                }
            }
            DeValue::Array(pairs) => {
                let message = format!("a list of {}, where {} are needed", pairs.len(), self.0.length);
                Err(vec![TypeError::new(value, message)])
            }
            _ => Err(vec![
                TypeError::new(value, "a weight is a share or a pair").with_help(self.describe()),
            ]),
        }
    }

    fn write(&self, amount: &WeightChange) -> String {
        match amount {
            WeightChange::Percent(percent) => format!("\"{percent}%\""),
            WeightChange::Pairs(pairs) => match pairs[..] {
                [[mg, eg]] => format!("[{mg}, {eg}]"),
                _ => format!("{pairs:?}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{keys, read};
    use sparring_engine::weights_in_use;

    fn setup(text: &str) -> Result<Option<Arc<EngineOverrides>>, Vec<String>> {
        let (profile, findings) = read("x.toml", &format!("mode = \"power\"\n{text}"));
        let messages = findings.list.iter();
        profile
            .map(|profile| profile.engine_overrides)
            .ok_or_else(|| messages.map(|finding| finding.message.clone()).collect())
    }

    #[test]
    fn every_number_and_weight_can_be_set_and_nothing_set_is_the_engine() {
        assert_eq!(setup(""), Ok(None));
        let keys = keys("mode = \"power\"");
        let count = |section: &str| keys.iter().filter(|key| key.path.starts_with(section)).count();
        assert_eq!(
            (count("search."), count("eval.")),
            (Params::LIST.len(), weight_rows().len())
        );
        let changed = setup("[search]\nrfp_margin = 90\n[eval]\nbishop_pair = \"150%\"\n").unwrap();
        assert_eq!(changed.unwrap().params().rfp_margin, 90);
    }

    #[test]
    fn shares_and_pairs_say_the_same() {
        let weights = weights_in_use();
        let of = |key: &str| -> Vec<[i32; 2]> {
            let row = weight_rows().iter().find(|row| row.key == key).unwrap();
            let pairs = weights[row.first..row.first + row.length].iter();
            pairs.map(|pair| pair.map(|half| half as i32)).collect()
        };
        let (pair, material) = (of("bishop_pair")[0].map(|half| 2 * half), of("material"));
        let pairs = setup(&format!(
            "[eval]\nbishop_pair = {pair:?}\nmaterial = {material:?}\n"
        ));
        assert_eq!(setup("[eval]\nbishop_pair = \"200%\"\n"), pairs);
        assert!(pairs.unwrap().is_some());
    }

    #[test]
    fn what_cannot_be_is_told_of_with_its_place() {
        let messages = |text| setup(text).unwrap_err();
        assert_eq!(
            messages("[search]\nrfp_margin = 900\n"),
            ["search.rfp_margin: 900 is more than 200"]
        );
        assert_eq!(
            messages("[search]\nrpf_margin = 90\n"),
            ["there is no setting \"search.rpf_margin\""]
        );
        assert_eq!(
            messages("[eval]\nbishop_pair = \"400%\"\n"),
            ["eval.bishop_pair: \"400%\" is not a share"]
        );
        assert_eq!(
            messages("[eval]\nbishop_pair = [1, 2, 3]\n"),
            ["eval.bishop_pair: a weight is a pair of numbers, not 3"]
        );
        assert_eq!(
            messages("[eval]\npinned = [[1, 2], [3, 4000]]\n"),
            ["eval.pinned: a list of 2, where 4 are needed"]
        );
        assert_eq!(
            messages("[eval]\npinned = [[1, 2], [3, 4000], 5, [6, 7]]\n"),
            [
                "eval.pinned: 4000 is more than 2000",
                "eval.pinned: a weight is a pair of numbers"
            ]
        );
    }

    #[test]
    fn without_the_mode_its_sections_are_refused_and_the_mode_is_named() {
        let (profile, findings) = read("x.toml", "[eval]\nbishop_pair = \"150%\"\n");
        assert_eq!(profile, None);
        let finding = &findings.list[0];
        assert_eq!(finding.message, "[eval] is for power mode");
        assert_eq!(
            finding.help.as_deref(),
            Some("write mode = \"power\" at the top of the file")
        );
    }
}
