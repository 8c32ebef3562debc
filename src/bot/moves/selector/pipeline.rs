//! Pipeline of the move selector: opening moves, search with strength and style, offers and resignation, think time.

use std::{fmt::Write as _, sync::Arc};

use futures::{FutureExt as _, future::BoxFuture};
use tokio::{
    sync::{Semaphore, watch},
    time::{Instant, sleep_until},
};
use tracing::debug;

use super::{Decision, MoveRequest, MoveSelector, explanation};
use crate::{
    bot::{
        game_task::chat_commands::Persona,
        moves::{
            engine_pool::EnginePool,
            engine_slot::EngineSlot,
            external_engine::{ExternalMove, ExternalSearch, StyleChoice},
            offer_policy,
            online_sources::OnlineSources,
            strength_search,
        },
        observe::metrics::Metrics,
    },
    config::ExternalEngine,
    store::{MoveExplanation, MoveSource},
};
use sparring_book::Library;
use sparring_chess::{
    GameHistory, Move, Rules as _,
    units::{Centipawns, Millis, Nodes},
    write_san,
};
use sparring_engine::{
    Limits, Params, Score, SearchRequest, Tablebase,
    timeman::{GameClock, TimeLimits, budget},
};
use sparring_personality::{
    strength::{self, StrengthRequest, StrengthResult},
    think_time::{self, ThinkTimeContext},
};
use sparring_uci_client::{self as uci_client, GoLimits, STOP_TIMEOUT};

/// Time limits without a clock.
const UNHURRIED: TimeLimits = TimeLimits {
    soft: Millis::from_secs(5),
    hard: Millis::from_secs(10),
};
/// Time limits of the first move: lichess aborts some games after half a minute without one.
const FIRST_MOVE: TimeLimits = TimeLimits {
    soft: Millis::from_secs(3),
    hard: Millis::from_secs(8),
};

/// With less on the clock the embedded engine moves: it cannot hang.
const LEAST_FOR_EXTERNAL: Millis = Millis(1_000);
/// What an external engine may take beyond half as much again as the embedded one's limit.
const MARGIN_OF_STOP: Millis = Millis(100);

/// How long a game ponders about one reply at most.
const MOST_PONDERING: Millis = Millis::from_secs(60);

/// Nodes of the search that verifies a book move: enough to see what loses material.
const VERIFY_NODES: Nodes = Nodes(30_000);
/// Its time limit, however slow the machine.
const VERIFY_TIME: Millis = Millis(250);

/// The pipeline.
#[derive(Clone)]
pub struct Pipeline {
    /// Where searches run.
    pub pool: EnginePool,
    /// The current books; an edit counts from the next move.
    pub library: watch::Receiver<Arc<Library>>,
    /// Endgame tables, if there are any.
    pub tablebase: Option<Arc<Tablebase>>,
    /// Servers that are asked for moves.
    pub online: OnlineSources,
    /// Where failures of external engines and requests to servers are counted.
    pub metrics: Metrics,
    /// As many permits as external engines may ponder at the same time.
    pub pondering: Arc<Semaphore>,
}

/// A proposed move.
pub(super) struct Proposal {
    pub(super) mv: Move,
    pub(super) score: Option<Score>,
    pub(super) reply: Option<Move>,
    pub(super) source: MoveSource,
    pub(super) why: String,
    pub(super) grounds: Option<MoveExplanation>,
}

impl MoveSelector for Pipeline {
    fn select(&self, slot: &EngineSlot, request: MoveRequest) -> BoxFuture<'static, Option<Decision>> {
        let (pipeline, slot) = (self.clone(), slot.clone());
        async move { pipeline.decide(&slot, request).await }.boxed()
    }

    fn ponder(&self, slot: &EngineSlot, request: MoveRequest) -> BoxFuture<'static, ()> {
        let (pipeline, slot) = (self.clone(), slot.clone());
        async move { pipeline.think_ahead(&slot, request).await }.boxed()
    }
}

impl Pipeline {
    async fn decide(&self, slot: &EngineSlot, request: MoveRequest) -> Option<Decision> {
        let library = Arc::clone(&self.library.borrow());
        if let Some(engine) = &request.engine {
            slot.external().prepare(engine, &self.metrics);
        }
        let proposal = match self.opening_move(&library, slot, &request).await {
            Some(proposal) => proposal,
            None => match self.external_move(slot, &request).await {
                Some(proposal) => proposal,
                None => self.searched_move(slot, &request).await?,
            },
        };
        let decision = conclude(&request, &proposal);
        let spent = Millis::from(request.arrived.elapsed());
        let pause = pause(&request, &proposal, spent);
        sleep_until(Instant::now() + pause.into()).await;
        Some(decision)
    }

    /// Thinks ahead with the engine that would move. A limit of nodes or plies promises a move that nothing else decides.
    async fn think_ahead(&self, slot: &EngineSlot, request: MoveRequest) {
        let Some(engine) = &request.engine else {
            let StrengthRequest { search, .. } = self.strength_request(&request, None);
            if search.limits.nodes.is_none() && search.limits.depth.is_none() {
                self.pool.ponder(slot, search, MOST_PONDERING).await;
            }
            return;
        };
        let Some(search) = external_search(engine, &request) else {
            return;
        };
        if engine.nodes.is_none()
            && engine.depth.is_none()
            && let Ok(permit) = Arc::clone(&self.pondering).acquire_owned().await
        {
            slot.external().ponder(engine, &self.metrics, search, permit);
        }
    }

    /// Why a short search rejects a book move; none if it does not, or if there is no time.
    pub(super) async fn objection(
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
        let search = SearchRequest {
            // The same evaluation as in the search, so that the transposition table stays valid.
            classical_only: strength::level_params(profile, *level, request.line.variant()).weaken(),
            ..SearchRequest::new(request.line.clone(), limits)
        };
        let best = self.pool.search(slot, search.clone(), deadline).await?;
        let instead = best.best().filter(|best| *best != mv)?;
        let alone = SearchRequest {
            search_moves: vec![mv],
            limits: Limits {
                depth: Some(best.depth),
                ..search.limits
            },
            ..search
        };
        let this = self.pool.search(slot, alone, deadline).await?;
        let (better, score) = best.common_depth_scores(&this)?;
        (better.scaled() - score.scaled() > margin.0).then(|| {
            format!(
                "{score}, and {} is {better} at depth {}",
                write_san(request.line.position(), instead),
                this.depth.0
            )
        })
    }

    /// Stage 2 with an external engine; none where there is none or it fails.
    async fn external_move(&self, slot: &EngineSlot, request: &MoveRequest) -> Option<Proposal> {
        let engine = request.engine.as_ref()?;
        let search = external_search(engine, request)?;
        match slot.external().search(engine, &self.metrics, search).await {
            Ok(found) => Some(from_engine(engine, &request.line, &found)),
            Err(error) => {
                debug!(game = %request.game, "{error}");
                None
            }
        }
    }

    /// Stage 2: a search with the strength and style of the personality.
    async fn searched_move(&self, slot: &EngineSlot, request: &MoveRequest) -> Option<Proposal> {
        let limits = limits(request);
        let deadline = request.arrived + limits.hard.into();
        let strength = self.strength_request(request, Some((limits.soft, limits.hard)));
        let result = strength_search::search(&self.pool, slot, strength, deadline).await;
        match result.as_ref().and_then(|result| result.report.best()) {
            Some(mv) => {
                let result = result.as_ref()?;
                Some(Proposal {
                    grounds: Some(explanation::of_search(&request.line, result)),
                    ..from_search(mv, result)
                })
            }
            None => first_legal_move(request),
        }
    }

    fn strength_request(&self, request: &MoveRequest, budget: Option<(Millis, Millis)>) -> StrengthRequest {
        let Persona { profile, level, .. } = &request.persona;
        strength::request(profile, *level, request.line.clone(), budget, request.seed)
            .with_tablebase(self.tablebase.clone())
    }
}

/// How an external engine searches for a move. It takes its own time by the clocks. It is stopped when it has taken much more than
/// the embedded engine would, and a quarter of the clock at most: a hung one leaves time for the embedded one. None when the clock is
/// nearly out.
fn external_search(engine: &ExternalEngine, request: &MoveRequest) -> Option<ExternalSearch> {
    let gone = request.arrived.elapsed().into();
    let clocks = request.clocks.filter(|_| request.line.ply() >= 2);
    let mine = clocks.map(|clocks| clocks.mine - gone - request.overhead);
    if mine.is_some_and(|mine| mine < LEAST_FOR_EXTERNAL) {
        return None;
    }
    let (time, stop_after) = match mine {
        Some(mine) => (
            None,
            mine.scaled(0.25)
                .min(limits(request).hard.scaled(1.5) + MARGIN_OF_STOP),
        ),
        None if request.line.ply() < 2 => (Some(FIRST_MOVE.soft), FIRST_MOVE.hard - gone),
        None => (Some(UNHURRIED.soft), UNHURRIED.hard.scaled(3.0)),
    };
    let has_limit = engine.nodes.is_some() || engine.depth.is_some();
    let move_time = engine.move_time.or(time.filter(|_| !has_limit));
    Some(ExternalSearch {
        line: request.line.clone(),
        level: request.persona.plays_at(),
        style: request.persona.profile.style.search_bonus(),
        limits: GoLimits {
            clocks: clocks.zip(mine).map(|(clocks, mine)| {
                let left = [mine, clocks.theirs];
                uci_client::Clocks {
                    left: request.line.turn().fold_wb(left, [left[1], left[0]]),
                    increments: [clocks.increment; 2],
                    to_go: [None; 2],
                }
            }),
            move_time: move_time.map(|time| time.min(stop_after)),
            nodes: engine.nodes,
            depth: engine.depth,
            only: None,
        },
        stop_after,
        limit: stop_after + STOP_TIMEOUT.min(mine.map_or(STOP_TIMEOUT, |mine| mine.scaled(0.1))),
    })
}

/// The time limits of the search, less what has passed since the turn came.
fn limits(request: &MoveRequest) -> TimeLimits {
    let plan = request.clocks.map_or(UNHURRIED, |clocks| {
        let clock = GameClock {
            remaining: clocks.mine,
            increment: clocks.increment,
            moves_to_go: None,
            overhead: request.overhead,
        };
        match strength::engine_overrides(&request.persona.profile, request.persona.level) {
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

/// A score in the log: `0.31`, `#3`.
pub(super) fn shown(score: Option<Score>) -> String {
    match score {
        Some(Score::Cp(cp)) => cp.to_string(),
        Some(Score::Mate(moves)) => format!("#{moves}"),
        None => "?".to_owned(),
    }
}

/// A move of an external engine as a proposal.
fn from_engine(engine: &ExternalEngine, line: &GameHistory, found: &ExternalMove) -> Proposal {
    let mut why = format!(
        "engine {} {} depth {} nodes {}",
        engine.name,
        shown(found.score),
        found.depth.0,
        found.nodes.0
    );
    if let Some(best) = found.style.as_ref().and_then(StyleChoice::passed_over)
        && let Some(mv) = best.pv.first()
    {
        let (san, score) = (write_san(line.position(), *mv), shown(Some(best.score)));
        let _ = write!(why, ", in style instead of {san} {score}"); // writing to a string cannot fail
    }
    Proposal {
        mv: found.mv,
        score: found.score,
        reply: found.reply,
        source: MoveSource::Engine {
            depth: found.depth,
            nodes: found.nodes,
        },
        why,
        grounds: found
            .style
            .as_ref()
            .map(|choice| explanation::of_engine(line, &choice.lines)),
    }
}

/// A searched move as a proposal.
fn from_search(mv: Move, result: &StrengthResult) -> Proposal {
    let report = &result.report;
    let score = report.lines.first().map(|line| line.score);
    let mut why = format!(
        "engine {} depth {} nodes {}",
        shown(score),
        report.depth.0,
        report.nodes.0
    );
    if let Some(chosen) = result.chosen {
        let (rating, percent) = (chosen.choice.rating, chosen.chance * 100.0);
        let _ = match chosen.corrected {
            true => write!(why, ", instead of one that people of {rating} play {percent:.0}%"),
            false => write!(why, ", as people of {rating} play {percent:.0}%"),
        }; // writing to a string cannot fail
    }
    let expected = report.lines.iter().find(|line| line.pv.first() == Some(&mv));
    Proposal {
        mv,
        score,
        reply: expected.and_then(|line| line.pv.get(1).copied()),
        source: MoveSource::Engine {
            depth: report.depth,
            nodes: report.nodes,
        },
        why,
        grounds: None,
    }
}

/// The first legal move, so that the game goes on when the engine fails.
fn first_legal_move(request: &MoveRequest) -> Option<Proposal> {
    let mv = *request.line.position().legal_moves().first()?;
    Some(Proposal {
        mv,
        score: None,
        reply: None,
        source: MoveSource::Other,
        why: "first legal move, since the engine failed".to_owned(),
        grounds: None,
    })
}

/// Stage 3: draw offers and resignation, by the scores up to this one.
fn conclude(request: &MoveRequest, proposal: &Proposal) -> Decision {
    let mut scores = request.scores.clone();
    scores.extend(proposal.score);
    let situation = request.situation(&scores);
    let profile = &request.persona.profile;
    let is_searched = proposal.score.is_some();
    Decision {
        mv: proposal.mv,
        draw: is_searched
            && if request.offered_draw {
                offer_policy::takes_draw(profile, situation)
            } else {
                offer_policy::offers_draw(profile, situation)
            },
        resign: is_searched && offer_policy::resigns(profile, situation),
        score: proposal.score,
        reply: proposal.reply,
        source: proposal.source,
        why: proposal.why.clone(),
        grounds: proposal.grounds.clone(),
    }
}

/// Stage 4: the rest of the think time.
fn pause(request: &MoveRequest, proposal: &Proposal, spent: Millis) -> Millis {
    if request.persona.fast {
        return Millis::ZERO;
    }
    let mut context = ThinkTimeContext::of(&request.line, proposal.mv);
    context.from_book = matches!(proposal.source, MoveSource::Book | MoveSource::Online);
    context.clock = request.clocks.map(|clocks| think_time::Clock {
        initial: request.initial,
        increment: clocks.increment,
        remaining: clocks.mine,
    });
    context.opponent_last = request.opponent_last;
    context.own_last = request.own_last;
    context.elapsed = spent;
    context.lag = request.overhead;
    context.level = request.persona.level;
    think_time::pause(&request.persona.profile, &context, request.seed)
}

#[cfg(test)]
mod tests;
