//! Cache file of searches and evaluations, for later fits and reports.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{BufReader, BufWriter, Write as _},
    path::Path,
};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

use super::{games::each_line, scorer::Scorer};
use sparring_chess::{GameHistory, Move};
use sparring_engine::bench;
use sparring_files::{self as files, lines::Lines};
use sparring_personality::human_model::loss_curve::Loss;

/// One position's losses as the file has them.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    id: String,
    ply: usize,
    best: f32,
    deep: Vec<f32>,
    shallow: Vec<f32>,
}

/// Evaluation of a position, or of one move there, by the reference engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The best move, in UCI notation.
    pub best: String,
    /// The winning chances of the side to move after it, from 0 to 100.
    pub chances: f32,
}

/// Key of a cached evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Question {
    /// Name and depth of the reference engine.
    pub judge: String,
    /// The game.
    pub id: String,
    /// The position.
    pub ply: usize,
    /// The move, in UCI notation; none for the best.
    pub only: Option<String>,
}

/// A cached evaluation in the file.
#[derive(Debug, Serialize, Deserialize)]
struct Answered {
    #[serde(flatten)]
    question: Question,
    best: String,
    chances: f32,
}

/// The first line: the cache is valid for the engine with this fingerprint only.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Heading {
    engine: u64,
}

impl Heading {
    fn of_this_engine() -> Self {
        Self {
            engine: bench::fingerprint().0,
        }
    }
}

/// A line of the file.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum CacheRow {
    Heading(Heading),
    Searched(Entry),
    Judged(Answered),
}

/// Chances and losses by game and ply, with an engine for what is not known yet.
///
/// They belong to one version of the engine, which the file's first line names.
pub struct SearchCache {
    known: HashMap<(String, usize), (f32, Vec<Loss>)>,
    verdicts: HashMap<Question, Evaluation>,
    scorer: Scorer,
    file: Option<BufWriter<File>>,
}

impl SearchCache {
    /// Reads a cache file and appends new entries to it; without a file nothing is cached.
    ///
    /// # Errors
    /// When the file cannot be read or opened, or another engine wrote it.
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
        let heading = Heading::of_this_engine();
        let is_new = !path.is_file() || path.metadata().is_ok_and(|file| file.len() == 0);
        if !is_new {
            check(path, &heading)?;
            each_line(path, |row: CacheRow| match row {
                CacheRow::Heading(found) => debug_assert_eq!(found, heading),
                CacheRow::Searched(entry) => {
                    let losses = entry.deep.iter().zip(&entry.shallow);
                    let losses = losses.map(|(deep, shallow)| Loss {
                        deep: *deep,
                        shallow: *shallow,
                    });
                    known.insert((entry.id, entry.ply), (entry.best, losses.collect()));
                }
                CacheRow::Judged(Answered {
                    question,
                    best,
                    chances,
                }) => {
                    verdicts.insert(question, Evaluation { best, chances });
                }
            })?;
        }
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .with_context(|| format!("cannot write \"{}\"", path.display()))?;
        let mut kept = Self {
            known,
            verdicts,
            scorer: Scorer::new(),
            file: Some(BufWriter::new(file)),
        };
        if is_new {
            kept.write(&heading)?;
        }
        Ok(kept)
    }

    /// The winning chances of the best move in the last position of a game's line, and what each loses against it, known or
    /// searched now.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn losses(
        &mut self,
        id: &str,
        line: &GameHistory,
        moves: &[Move],
    ) -> anyhow::Result<(f32, Vec<Loss>)> {
        let place = (id.to_owned(), line.ply());
        if let Some(known) = self
            .known
            .get(&place)
            .filter(|(_, losses)| losses.len() == moves.len())
        {
            return Ok(known.clone());
        }
        // Hundredths, as in the file: a fit must be the same whatever was known before.
        let hundredths = |value: f32| (value * 100.0).round() / 100.0;
        let (best, losses) = self.scorer.losses(line, moves);
        let (deep, shallow): (Vec<f32>, Vec<f32>) = losses
            .iter()
            .map(|loss| (hundredths(loss.deep), hundredths(loss.shallow)))
            .unzip();
        let both = deep.iter().zip(&shallow);
        let losses = both.map(|(deep, shallow)| Loss {
            deep: *deep,
            shallow: *shallow,
        });
        let found = (hundredths(best), losses.collect());
        if self.file.is_some() {
            self.write(&Entry {
                id: place.0,
                ply: place.1,
                best: found.0,
                deep,
                shallow,
            })?;
        }
        Ok(found)
    }

    /// The cached evaluation, or a new one; `None`, which is not cached, without a legal move.
    ///
    /// # Errors
    /// Those of the reference engine, and when the file cannot be written.
    pub fn verdict(
        &mut self,
        question: Question,
        ask: impl FnOnce() -> anyhow::Result<Option<Evaluation>>,
    ) -> anyhow::Result<Option<Evaluation>> {
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

/// Whether the file's first line is this heading.
fn check(path: &Path, heading: &Heading) -> anyhow::Result<()> {
    let file = files::open(path).with_context(|| format!("\"{}\"", path.display()))?;
    let first = Lines::new(BufReader::new(file))
        .next_text()
        .context("kept searches")?
        .unwrap_or_default();
    if serde_json::from_str::<Heading>(&first).ok().as_ref() != Some(heading) {
        bail!(
            "{}:1: these searches are of another engine; delete the file or name another one",
            path.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_of_another_engine_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.jsonl");
        drop(SearchCache::open(Some(&path)).unwrap());
        drop(SearchCache::open(Some(&path)).unwrap());
        for other in [
            "{\"engine\":1}\n",
            "{\"id\":\"a\",\"ply\":1,\"deep\":[],\"shallow\":[]}\n",
        ] {
            std::fs::write(&path, other).unwrap();
            let refused = SearchCache::open(Some(&path)).err().unwrap().to_string();
            assert!(
                refused.contains("kept.jsonl:1: ") && refused.contains("delete"),
                "{refused}"
            );
        }
    }

    #[test]
    fn evaluations_are_cached_for_the_next_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.jsonl");
        let question = |only: Option<&str>| Question {
            judge: "nobody of depth 1".to_owned(),
            id: "ours:1".to_owned(),
            ply: 12,
            only: only.map(str::to_owned),
        };
        let verdict = Evaluation {
            best: "e2e4".to_owned(),
            chances: 51.25,
        };
        let mut kept = SearchCache::open(Some(&path)).unwrap();
        kept.verdict(question(None), || Ok(Some(verdict.clone())))
            .unwrap();
        assert_eq!(kept.verdict(question(Some("a2a3")), || Ok(None)).unwrap(), None);
        drop(kept);
        let mut kept = SearchCache::open(Some(&path)).unwrap();
        let again = kept.verdict(question(None), || anyhow::bail!("asked again"));
        assert_eq!(again.unwrap(), Some(verdict));
        assert!(
            kept.verdict(question(Some("a2a3")), || anyhow::bail!("asked"))
                .is_err()
        );
    }
}
