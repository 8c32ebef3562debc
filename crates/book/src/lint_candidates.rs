//! Selects lines worth linting while a book is indexed, so that a check does not parse all lines again.

use std::collections::{HashMap, HashSet};

use super::{
    book::Book,
    index::{Occurrence, PlacedAnnotation, RowMark},
    parsed_book::ParsedBook,
    positions::Entry,
};
use sparring_diagnostics::Diagnostics;

/// The book, what is wrong with its lines, and the lines that may hold a slip: all that do, and a few that do not.
pub(super) fn find(draft: ParsedBook) -> (Book, Diagnostics, HashSet<usize>) {
    let mut candidates = HashSet::new();
    let occurrences = draft.occurrences();
    alike(&occurrences.rows, &mut candidates);
    let is_sided = occurrences.is_sided;
    let (book, findings, kept) = draft.gather(|said, annotations, counts, lines: &mut Vec<u32>| {
        contradictory(said, annotations, counts, lines);
        if is_sided {
            unplayed(said, annotations, counts, lines);
        }
    });
    candidates.extend(kept.into_iter().flatten().map(|line| line as usize));
    (book, findings, candidates)
}

/// Rows with the same moves as another, and rows of which nothing counts.
fn alike(rows: &[RowMark], candidates: &mut HashSet<usize>) {
    let mut first: HashMap<u64, u32> = HashMap::with_capacity(rows.len());
    for row in rows {
        if row.is_idle {
            candidates.insert(row.line as usize);
        }
        let known = *first.entry(row.wording).or_insert(row.line);
        if known != row.line {
            candidates.extend([known as usize, row.line as usize]);
        }
    }
}

/// The rows at which what is said of a move turns: where its number changes, and where its first praise, blame,
/// recommendation and ban stand, as far as there is something against them. The check needs no others, and where a book
/// disputes its very first move that spares it reading all rows again.
fn contradictory(
    said: &[Occurrence],
    annotations: &[PlacedAnnotation],
    counts: &[Entry],
    lines: &mut Vec<u32>,
) {
    if said.len() < 2 || said.iter().filter(|one| one.is_annotated()).nth(1).is_none() {
        return;
    }
    for entry in counts {
        let own = || {
            said.iter()
                .filter(|one| one.is_annotated() && one.mv() == Some(entry.mv))
                .map(|one| one.annotation(annotations))
                .filter(|annotation| annotation.pin.is_none())
        };
        let mut numbered = own().filter_map(|one| Some((one.number?, one.line)));
        if let Some(mut before) = numbered.next() {
            for now in numbered {
                if now.0 != before.0 {
                    lines.extend([before.1, now.1]);
                }
                before = now;
            }
        }
        let first = |is_meant: fn(&PlacedAnnotation) -> bool| own().find(is_meant).map(|one| one.line);
        let against = [
            (
                first(|one| one.never),
                first(|one| !one.never && (one.marks > 0 || one.number.is_some_and(|number| number > 0))),
            ),
            (first(|one| one.marks > 0), first(|one| one.marks < 0)),
        ];
        for (one, other) in against {
            if let (Some(one), Some(other)) = (one, other) {
                lines.extend([one, other]);
            }
        }
    }
}

/// Rows through a move that is never played: where only one side counts, what follows it cannot come up.
fn unplayed(said: &[Occurrence], annotations: &[PlacedAnnotation], counts: &[Entry], lines: &mut Vec<u32>) {
    for entry in counts.iter().filter(|entry| entry.share() == 0) {
        let rows = said.iter().filter(|one| one.mv() == Some(entry.mv));
        lines.extend(rows.map(|one| one.annotation(annotations).line));
    }
}
