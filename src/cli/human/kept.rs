//! Searches that were done before, so that a second fit or a report need not wait for them again.

use std::{
    collections::HashMap,
    fs::OpenOptions,
    io::{BufWriter, Write as _},
    path::Path,
};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::{games::each_line, judge::Verdict, scored::Scorer};
use crate::{
    chess::{GameLine, Move},
    personality::choice::curve::Loss,
};

/// One position's losses as the file has them.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    id: String,
    ply: usize,
    deep: Vec<f32>,
    shallow: Vec<f32>,
}

/// What a judge was asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Question {
    /// Who, and how deeply.
    pub judge: String,
    /// The game.
    pub id: String,
    /// The position.
    pub ply: usize,
    /// The move, in UCI notation; none for the best.
    pub only: Option<String>,
}

/// A judge's answer as the file has it.
#[derive(Debug, Serialize, Deserialize)]
struct Answered {
    #[serde(flatten)]
    question: Question,
    best: String,
    chances: f32,
}

/// A line of the file.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Row {
    Searched(Entry),
    Judged(Answered),
}

/// Losses by game and ply, with an engine for what is not known yet.
///
/// They belong to one version of the engine and of the order of moves: a changed engine wants a new file.
pub struct Kept {
    known: HashMap<(String, usize), Vec<Loss>>,
    verdicts: HashMap<Question, Verdict>,
    scorer: Scorer,
    file: Option<BufWriter<std::fs::File>>,
}

impl Kept {
    /// Reads what the file knows and will write what is new behind it; without a file nothing is kept.
    ///
    /// # Errors
    /// When the file cannot be read or opened.
    pub fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let (mut known, mut verdicts) = (HashMap::new(), HashMap::new());
        let Some(path) = path else {
            return Ok(Self {
                known,
                verdicts,
                scorer: Scorer::new(),
                file: None,
            });
        };
        if path.is_file() {
            each_line(path, |row: Row| match row {
                Row::Searched(entry) => {
                    let losses = entry.deep.iter().zip(&entry.shallow);
                    let losses = losses.map(|(deep, shallow)| Loss {
                        deep: *deep,
                        shallow: *shallow,
                    });
                    known.insert((entry.id, entry.ply), losses.collect());
                }
                Row::Judged(Answered {
                    question,
                    best,
                    chances,
                }) => {
                    verdicts.insert(question, Verdict { best, chances });
                }
            })?;
        }
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .with_context(|| format!("cannot write \"{}\"", path.display()))?;
        Ok(Self {
            known,
            verdicts,
            scorer: Scorer::new(),
            file: Some(BufWriter::new(file)),
        })
    }

    /// What each move loses in the last position of a game's line, known or searched now.
    ///
    /// # Errors
    /// When what was found cannot be written.
    pub fn losses(&mut self, id: &str, line: &GameLine, moves: &[Move]) -> anyhow::Result<Vec<Loss>> {
        let place = (id.to_owned(), line.ply());
        if let Some(losses) = self
            .known
            .get(&place)
            .filter(|losses| losses.len() == moves.len())
        {
            return Ok(losses.clone());
        }
        let losses = self.scorer.losses(line, moves);
        if self.file.is_some() {
            let rounded = |part: fn(&Loss) -> f32| {
                losses
                    .iter()
                    .map(|loss| (part(loss) * 100.0).round() / 100.0)
                    .collect()
            };
            let entry = Entry {
                id: place.0,
                ply: place.1,
                deep: rounded(|loss| loss.deep),
                shallow: rounded(|loss| loss.shallow),
            };
            self.write(&entry)?;
        }
        Ok(losses)
    }

    /// What a judge answered before, or answers now; none, which is not kept, where there is nothing to judge.
    ///
    /// # Errors
    /// Those of the judge, and when the answer cannot be written.
    pub fn verdict(
        &mut self,
        question: Question,
        ask: impl FnOnce() -> anyhow::Result<Option<Verdict>>,
    ) -> anyhow::Result<Option<Verdict>> {
        if let Some(known) = self.verdicts.get(&question) {
            return Ok(Some(known.clone()));
        }
        let Some(verdict) = ask()? else { return Ok(None) };
        self.write(&Answered {
            question: question.clone(),
            best: verdict.best.clone(),
            chances: verdict.chances,
        })?;
        self.verdicts.insert(question, verdict.clone());
        Ok(Some(verdict))
    }

    fn write(&mut self, row: &impl Serialize) -> anyhow::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        serde_json::to_writer(&mut *file, row).context("kept searches")?;
        writeln!(file).context("kept searches")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_judged_is_asked_once_and_known_to_the_next_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.jsonl");
        let question = |only: Option<&str>| Question {
            judge: "nobody of depth 1".to_owned(),
            id: "ours:1".to_owned(),
            ply: 12,
            only: only.map(str::to_owned),
        };
        let verdict = Verdict {
            best: "e2e4".to_owned(),
            chances: 51.25,
        };
        let mut kept = Kept::open(Some(&path)).unwrap();
        kept.verdict(question(None), || Ok(Some(verdict.clone())))
            .unwrap();
        assert_eq!(kept.verdict(question(Some("a2a3")), || Ok(None)).unwrap(), None);
        drop(kept);
        let mut kept = Kept::open(Some(&path)).unwrap();
        let again = kept.verdict(question(None), || anyhow::bail!("asked again"));
        assert_eq!(again.unwrap(), Some(verdict));
        assert!(
            kept.verdict(question(Some("a2a3")), || anyhow::bail!("asked"))
                .is_err()
        );
    }
}
