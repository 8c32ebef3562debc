//! The whole pipeline: book, strength and personality, engine, decision, human pace. Each stage takes a value and gives
//! one; the reason of every decision is kept in words.

use std::{fmt::Write as _, sync::Arc};

use futures::{FutureExt as _, future::BoxFuture};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};
use tracing::info;

use super::{Decision, MoveRequest, MoveSelector, explanation};
use crate::{
    bot::{
        game_task::chat_commands::Persona,
        moves::{engine_pool::EnginePool, engine_slot::EngineSlot, offer_policy, strength_search},
    },
    store::{MoveExplanation, MoveSource},
};
use sparring_book::{BookMove, BookQuery, Library};
use sparring_chess::{
    Move, Rules as _,
    units::{Centipawns, Millis, Nodes},
    write_san,
};
use sparring_engine::{
    Limits, Params, Score, SearchRequest, Tablebase,
    timeman::{GameClock, TimeLimits, budget},
};
use sparring_lichess::model::Speed;
use sparring_personality::{
    book_query,
    strength::{self, StrengthResult},
    think_time::{self, ThinkTimeContext},
};

/// Where no clock runs, a move takes about this long.
const UNHURRIED: TimeLimits = TimeLimits {
    soft: Millis::from_secs(5),
    hard: Millis::from_secs(10),
};
/// The first move of a game takes no longer: lichess ends some games after half a minute without one.
const FIRST_MOVE: TimeLimits = TimeLimits {
    soft: Millis::from_secs(3),
    hard: Millis::from_secs(8),
};

/// How far the engine looks when it is asked about a move of a book: enough to see what loses material.
const VERIFY_NODES: Nodes = Nodes(30_000);
/// It must not take longer, however slow the machine.
const VERIFY_TIME: Millis = Millis(250);

/// The whole pipeline over the current books.
#[derive(Clone)]
pub struct Pipeline {
    /// Where searches run.
    pub pool: EnginePool,
    /// The books of this moment; an edit counts from the next move.
    pub library: watch::Receiver<Arc<Library>>,
    /// Endgame tables, where there are any.
    pub tablebase: Option<Arc<Tablebase>>,
}

/// A move that a stage proposes.
struct Proposal {
    mv: Move,
    score: Option<Score>,
    source: MoveSource,
    why: String,
    grounds: Option<MoveExplanation>,
}

impl MoveSelector for Pipeline {
    fn select(&self, slot: &EngineSlot, request: MoveRequest) -> BoxFuture<'static, Option<Decision>> {
        let (pipeline, slot) = (self.clone(), slot.clone());
        async move { pipeline.decide(&slot, request).await }.boxed()
    }
}

impl Pipeline {
    async fn decide(&self, slot: &EngineSlot, request: MoveRequest) -> Option<Decision> {
        let library = Arc::clone(&self.library.borrow());
        let proposal = match self.opened(&library, slot, &request).await {
            Some(proposal) => proposal,
            None => self.calculated(slot, &request).await?,
        };
        let decision = conclude(&request, &proposal);
        let spent = Millis::from(request.arrived.elapsed());
        let pause = pause(&request, &proposal, spent);
        sleep_until(Instant::now() + pause.into()).await;
        Some(decision)
    }

    /// Stage 1: a move of the personality's books, as long as its level stays in them, and as the engine agrees if the
    /// personality wants it asked.
    async fn opened(&self, library: &Library, slot: &EngineSlot, request: &MoveRequest) -> Option<Proposal> {
        let Persona { profile, level, .. } = &request.persona;
        let speed = request.clocks.map_or(Speed::Correspondence, |clocks| {
            Speed::of_clock(request.initial, clocks.increment)
        });
        let mut without = Vec::new();
        loop {
            let plain = BookQuery::new(&request.books, &request.line, request.seed);
            let wish = BookQuery {
                speed: Some(speed.key()),
                without: &without,
                ..book_query::in_manner(profile, *level, plain)
            };
            let found = library.choose(&wish)?;
            let Some(margin) = profile.book_verify else {
                return Some(proposed(found, library, &wish));
            };
            match self.objection(slot, request, found.mv, margin).await {
                None => return Some(proposed(found, library, &wish)),
                Some(objection) => {
                    let san = write_san(request.line.position(), found.mv);
                    info!(game = %request.game, "book move {san} of {} vetoed: {objection}", found.at);
                    without.push(found.mv);
                }
            }
        }
    }

    /// What the engine has against a move, after a short search; nothing where there is no time to ask.
    async fn objection(
        &self,
        slot: &EngineSlot,
        request: &MoveRequest,
        mv: Move,
        margin: Centipawns,
    ) -> Option<String> {
        let budget = limits(request);
        if budget.hard < VERIFY_TIME + VERIFY_TIME {
            return None;
        }
        let deadline = request.arrived + budget.hard.into();
        let limits = Limits {
            nodes: Some(VERIFY_NODES),
            hard: Some(VERIFY_TIME),
            ..Limits::default()
        };
        let Persona { profile, level, .. } = &request.persona;
        let orthodox = request.line.variant().is_orthodox();
        let search = SearchRequest {
            // One judge for book and search, so that neither forgets what it has learned.
            by_terms: strength::knobs_of(profile, *level, orthodox).weaken(),
            ..SearchRequest::new(request.line.clone(), limits)
        };
        let best = self.pool.search(slot, search.clone(), deadline).await?;
        let instead = best.best().filter(|best| *best != mv)?;
        let alone = SearchRequest {
            only: vec![mv],
            limits: Limits {
                depth: Some(best.depth),
                ..search.limits
            },
            ..search
        };
        let this = self.pool.search(slot, alone, deadline).await?;
        let (better, score) = best.beside(&this)?;
        (better.scaled() - score.scaled() > margin.0).then(|| {
            format!(
                "{score}, and {} is {better} at depth {}",
                write_san(request.line.position(), instead),
                this.depth.0
            )
        })
    }

    /// Stages 2 and 3: what the engine finds with the strength of the personality.
    async fn calculated(&self, slot: &EngineSlot, request: &MoveRequest) -> Option<Proposal> {
        let limits = limits(request);
        let deadline = request.arrived + limits.hard.into();
        let order = strength::order(
            &request.persona.profile,
            request.persona.level,
            request.line.clone(),
            Some((limits.soft, limits.hard)),
            request.seed,
        )
        .with_tablebase(self.tablebase.clone());
        let thought = strength_search::search(&self.pool, slot, order, deadline).await;
        match thought.as_ref().and_then(|thought| thought.report.best()) {
            Some(mv) => {
                let thought = thought.as_ref()?;
                Some(Proposal {
                    grounds: Some(explanation::of_search(&request.line, thought)),
                    ..from_thought(mv, thought)
                })
            }
            None => unconsidered(request),
        }
    }
}

/// The time for thinking, of which what has passed since the turn came is gone.
fn limits(request: &MoveRequest) -> TimeLimits {
    let plan = request.clocks.map_or(UNHURRIED, |clocks| {
        let clock = GameClock {
            remaining: clocks.mine,
            increment: clocks.increment,
            moves_to_go: None,
            overhead: request.overhead,
        };
        match strength::setup(&request.persona.profile, request.persona.level) {
            Some(setup) => budget(&clock, setup.params()),
            None => budget(&clock, &Params::default()),
        }
    });
    let most = if request.line.ply() < 2 { FIRST_MOVE } else { plan };
    let gone = request.arrived.elapsed().into();
    TimeLimits {
        soft: plan.soft.min(most.soft) - gone,
        hard: plan.hard.min(most.hard) - gone,
    }
}

/// A move of a book, with its reason in words.
fn proposed(found: BookMove, library: &Library, wish: &BookQuery<'_>) -> Proposal {
    let grounds = explanation::of_book(&found, &library.choices_for(wish), wish.line);
    let mut why = format!("book {} {:.0}%", found.at, found.chance * 100.0);
    if let Some(note) = found.note {
        let _ = write!(why, " {note}"); // writing to a string cannot fail
    }
    Proposal {
        mv: found.mv,
        score: None,
        source: MoveSource::Book,
        why,
        grounds: Some(grounds),
    }
}

/// What a search found and how it was chosen from, in words.
fn from_thought(mv: Move, thought: &StrengthResult) -> Proposal {
    let report = &thought.report;
    let score = report.lines.first().map(|line| line.score);
    let worth = match score {
        Some(Score::Cp(cp)) => cp.to_string(),
        Some(Score::Mate(moves)) => format!("#{moves}"),
        None => "?".to_owned(),
    };
    let mut why = format!("engine {worth} depth {} nodes {}", report.depth.0, report.nodes.0);
    if let Some(chosen) = thought.chosen {
        let (rating, percent) = (chosen.choice.rating, chosen.chance * 100.0);
        let _ = match chosen.corrected {
            true => write!(why, ", instead of one that people of {rating} play {percent:.0}%"),
            false => write!(why, ", as people of {rating} play {percent:.0}%"),
        }; // writing to a string cannot fail
    }
    Proposal {
        mv,
        score,
        source: MoveSource::Engine {
            depth: report.depth,
            nodes: report.nodes,
        },
        why,
        grounds: None,
    }
}

/// What remains when the engine fails: the first legal move, so that the game goes on.
fn unconsidered(request: &MoveRequest) -> Option<Proposal> {
    let mv = *request.line.position().legal_moves().first()?;
    Some(Proposal {
        mv,
        score: None,
        source: MoveSource::Other,
        why: "first legal move, since the engine failed".to_owned(),
        grounds: None,
    })
}

/// Stage 4: the move with what goes with it, by the scores up to this one.
fn conclude(request: &MoveRequest, proposal: &Proposal) -> Decision {
    let mut scores = request.scores.clone();
    scores.extend(proposal.score);
    let outlook = request.outlook(&scores);
    let profile = &request.persona.profile;
    let calculated = proposal.score.is_some();
    Decision {
        mv: proposal.mv,
        draw: calculated
            && if request.offered_draw {
                offer_policy::takes_draw(profile, outlook)
            } else {
                offer_policy::offers_draw(profile, outlook)
            },
        resign: calculated && offer_policy::resigns(profile, outlook),
        score: proposal.score,
        source: proposal.source,
        why: proposal.why.clone(),
        grounds: proposal.grounds.clone(),
    }
}

/// Stage 5: how much longer the personality seems to think.
fn pause(request: &MoveRequest, proposal: &Proposal, spent: Millis) -> Millis {
    if request.persona.fast {
        return Millis::ZERO;
    }
    let mut scene = ThinkTimeContext::of(&request.line, proposal.mv);
    scene.from_book = proposal.source == MoveSource::Book;
    scene.clock = request.clocks.map(|clocks| think_time::Clock {
        initial: request.initial,
        increment: clocks.increment,
        remaining: clocks.mine,
    });
    scene.opponent_last = request.opponent_last;
    scene.own_last = request.own_last;
    scene.elapsed = spent;
    scene.lag = request.overhead;
    scene.level = request.persona.level;
    think_time::pause(&request.persona.profile, &scene, request.seed)
}

#[cfg(test)]
mod tests;
