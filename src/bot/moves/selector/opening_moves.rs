//! Moves without a search: the books and online sources of a personality in their one order.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use tokio::time::Instant;
use tracing::info;

use super::{
    MoveRequest, explanation,
    pipeline::{Pipeline, Proposal},
};
use crate::{
    bot::{game_task::chat_commands::Persona, moves::engine_slot::EngineSlot},
    store::MoveSource,
};
use sparring_book::{BookMove, BookQuery, Library};
use sparring_chess::{
    Move,
    units::{Centipawns, Millis},
    write_san, write_uci,
};
use sparring_engine::Score;
use sparring_lichess::model::Speed;
use sparring_online::{Answer, Choice, Evaluation, Evidence, Source, SourceKind, TableResult, choose};
use sparring_personality::{book_query, online_source};

/// The share of the clock that a move waits for all of its online sources, and the most of it.
const ONLINE_SHARE: f64 = 0.025;
const LONGEST_ONLINE: Millis = Millis::from_secs(2);

/// A move of a book or an online source.
enum Opening {
    Book(BookMove),
    Online(Arc<Source>, Choice),
}

impl Opening {
    fn mv(&self) -> Move {
        match self {
            Self::Book(found) => found.mv,
            Self::Online(_, choice) => choice.mv,
        }
    }

    /// Whether a short search may object to it: tables know better.
    fn may_err(&self) -> bool {
        !matches!(self, Self::Online(source, _) if source.kind == SourceKind::Tablebase)
    }

    fn place(&self) -> String {
        match self {
            Self::Book(found) => found.at.clone(),
            Self::Online(source, _) => format!("online {}", source.name),
        }
    }
}

/// What the sources answered at this turn, and until when they may answer.
#[derive(Default)]
struct Asked {
    answers: BTreeMap<String, Option<Answer>>,
    deadline: Option<Instant>,
}

impl Pipeline {
    /// A move of the books and online sources, within the depth of the level, and verified by a search if the personality says so.
    pub(super) async fn opening_move(
        &self,
        library: &Library,
        slot: &EngineSlot,
        request: &MoveRequest,
    ) -> Option<Proposal> {
        let Persona { profile, level, .. } = &request.persona;
        let speed = request.clocks.map_or(Speed::Correspondence, |clocks| {
            Speed::of_clock(request.initial, clocks.increment)
        });
        let books = library.books_for(&request.books, request.line.variant());
        let (mut without, mut asked) = (Vec::new(), Asked::default());
        loop {
            let plain = BookQuery::new(&books, &request.line, request.seed);
            let query = BookQuery {
                speed: Some(speed.key()),
                without: &without,
                ..book_query::book_query(profile, *level, plain)
            };
            let found = self
                .first_known(library, slot, request, &query, &mut asked)
                .await?;
            let objection = match profile.book_verify.filter(|_| found.may_err()) {
                Some(margin) => self.objection(slot, request, found.mv(), margin).await,
                None => None,
            };
            let Some(objection) = objection else {
                return Some(match found {
                    Opening::Book(found) => from_book(found, library, &query),
                    Opening::Online(source, choice) => from_online(&source, &choice, request),
                });
            };
            let san = write_san(request.line.position(), found.mv());
            info!(game = %request.game, "book move {san} of {} vetoed: {objection}", found.place());
            without.push(found.mv());
        }
    }

    /// The move of the first book or online source in the list that has one.
    async fn first_known(
        &self,
        library: &Library,
        slot: &EngineSlot,
        request: &MoveRequest,
        query: &BookQuery<'_>,
        asked: &mut Asked,
    ) -> Option<Opening> {
        for (index, entry) in query.books.iter().enumerate() {
            let source = online_source(entry)
                .and_then(|name| request.online.iter().find(|source| source.name == name));
            let Some(source) = source else { continue };
            let before = BookQuery {
                books: query.books.get(..index).unwrap_or_default(),
                ..*query
            };
            if let Some(found) = library.choose(&before) {
                return Some(Opening::Book(found));
            }
            // A level that leaves its books early leaves these early as well.
            let is_known_by_heart = query
                .plies
                .is_none_or(|plies| request.line.ply() < plies as usize);
            if source.kind != SourceKind::Tablebase && !is_known_by_heart {
                continue;
            }
            let Some(answer) = self.answer(source, slot, request, asked).await else {
                continue;
            };
            let unwanted = [query.without, &library.unwanted(&before)].concat();
            let choice = choose(
                source,
                &answer,
                &request.line,
                query.policy,
                request.seed,
                &unwanted,
            );
            if let Some(choice) = choice {
                return Some(Opening::Online(Arc::clone(source), choice));
            }
        }
        library.choose(query).map(Opening::Book)
    }

    /// What a source says at this turn; it is asked once. None with little on the clock.
    async fn answer(
        &self,
        source: &Arc<Source>,
        slot: &EngineSlot,
        request: &MoveRequest,
        asked: &mut Asked,
    ) -> Option<Answer> {
        if let Some(answer) = asked.answers.get(&source.name) {
            return answer.clone();
        }
        let left = request
            .clocks
            .map(|clocks| clocks.mine - request.arrived.elapsed().into() - request.overhead);
        if left.is_some_and(|left| left < source.min_clock) {
            return None;
        }
        let wait = left.map_or(LONGEST_ONLINE, |left| {
            left.scaled(ONLINE_SHARE).min(LONGEST_ONLINE)
        });
        let deadline = *asked.deadline.get_or_insert_with(|| Instant::now() + wait.into());
        let answer = self
            .online
            .ask(source, &request.line, slot.online(), deadline, &self.metrics)
            .await;
        asked.answers.insert(source.name.clone(), answer.clone());
        answer
    }
}

/// A book move as a proposal.
fn from_book(found: BookMove, library: &Library, query: &BookQuery<'_>) -> Proposal {
    let grounds = explanation::of_book(&found, &library.choices_for(query), query.line);
    let mut why = format!("book {} {:.0}%", found.at, found.chance * 100.0);
    if let Some(note) = found.note {
        let _ = write!(why, " {note}"); // writing to a string cannot fail
    }
    Proposal {
        mv: found.mv,
        score: None,
        reply: None,
        source: MoveSource::Book,
        why,
        grounds: Some(grounds),
    }
}

/// A move of an online source as a proposal.
fn from_online(source: &Source, choice: &Choice, request: &MoveRequest) -> Proposal {
    let (note, score) = match choice.evidence {
        Evidence::Games { games, .. } => (shown_games(games, choice.games), None),
        Evidence::Search { score, depth } => {
            let score = match score {
                Evaluation::Cp(cp) => Score::Cp(Centipawns(cp)),
                Evaluation::Mate(moves) => Score::Mate(moves),
            };
            let depth = depth.map_or_else(String::new, |depth| format!(" at depth {depth}"));
            (
                format!("{}{depth}", super::pipeline::shown(Some(score))),
                Some(score),
            )
        }
        Evidence::Table(result) => {
            let draw = (result == TableResult::Draw).then_some(Score::Cp(Centipawns(0)));
            (result.word().to_owned(), draw)
        }
    };
    let uci = write_uci(choice.mv, request.line.variant());
    Proposal {
        mv: choice.mv,
        score,
        reply: None,
        source: MoveSource::Online,
        why: format!("online {}: {uci}, {note}", source.name),
        grounds: Some(explanation::of_online(source, &note, choice, &request.line)),
    }
}

/// A share of games: `53% of 1.2 M games`.
fn shown_games(games: u64, all: u64) -> String {
    let all = all.max(games).max(1);
    let percent = games as f64 / all as f64 * 100.0;
    let count = match all {
        1_000_000.. => format!("{:.1} M", all as f64 / 1e6),
        10_000.. => format!("{:.0} k", all as f64 / 1e3),
        _ => all.to_string(),
    };
    format!("{percent:.0}% of {count} games")
}

#[cfg(test)]
mod tests;
