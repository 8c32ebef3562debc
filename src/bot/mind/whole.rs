//! The whole pipeline: book, strength and personality, engine, decision, human pace. Each stage takes a value and gives
//! one; the reason of every decision is kept in words.

use std::{fmt::Write as _, sync::Arc};

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};
use tracing::info;

use super::{Decision, MoveRequest};
use crate::{
    book::{BookMove, Library, Wish},
    bot::{
        chat::Manner,
        decide,
        thinker::{Table, Thinker},
    },
    chess::{Move, Rules as _, write_san},
    engine::{
        Limits, Score, Search,
        time::{Budget, GameClock, budget},
    },
    lichess::model::Speed,
    personality::{
        pace::{self, Scene},
        strength::{self, Thought},
    },
    store::Source,
    units::{Centipawns, Millis, Nodes},
};

/// Where no clock runs, a move takes about this long.
const UNHURRIED: Budget = Budget {
    soft: Millis::from_secs(5),
    hard: Millis::from_secs(10),
};
/// The first move of a game takes no longer: lichess ends some games after half a minute without one.
const FIRST_MOVE: Budget = Budget {
    soft: Millis::from_secs(3),
    hard: Millis::from_secs(8),
};

/// How far the engine looks when it is asked about a move of a book: enough to see what loses material.
const VERIFY_NODES: Nodes = Nodes(30_000);
/// It must not take longer, however slow the machine.
const VERIFY_TIME: Millis = Millis(250);
/// The level that books are asked with where none is set: above all that people reach.
const FULL_STRENGTH: u32 = 3500;

/// The whole pipeline over the current books.
#[derive(Clone)]
pub struct Whole {
    /// Where the engine thinks.
    pub thinker: Thinker,
    /// The table of each game, in mebibytes.
    pub hash_mib: usize,
    /// The books of this moment; an edit counts from the next move.
    pub library: watch::Receiver<Arc<Library>>,
}

/// A move that a stage proposes.
struct Proposal {
    mv: Move,
    score: Option<Score>,
    source: Source,
    why: String,
}

impl Whole {
    pub(super) async fn decide(&self, table: &Table, request: MoveRequest) -> Option<Decision> {
        let library = Arc::clone(&self.library.borrow());
        let proposal = match self.opened(&library, table, &request).await {
            Some(proposal) => proposal,
            None => self.calculated(table, &request).await?,
        };
        let decision = conclude(&request, &proposal);
        let spent = Millis::from(request.arrived.elapsed());
        let pause = pause(&request, &proposal, spent);
        sleep_until(Instant::now() + pause.into()).await;
        Some(decision)
    }

    /// Stage 1: a move of the personality's books, as long as its level stays in them, and as the engine agrees if the
    /// personality wants it asked.
    async fn opened(&self, library: &Library, table: &Table, request: &MoveRequest) -> Option<Proposal> {
        let Manner { profile, level, .. } = &request.manner;
        if !strength::allows_book(profile, *level, request.line.ply()) {
            return None;
        }
        let speed = request.clocks.map_or(Speed::Correspondence, |clocks| {
            Speed::of_clock(request.initial, clocks.increment)
        });
        let level = level.or(profile.level).map_or(FULL_STRENGTH, |level| level.0);
        let mut without = Vec::new();
        loop {
            let wish = Wish {
                speed: Some(speed.key()),
                level: Some(level),
                taste: profile.book_taste,
                without: &without,
                ..Wish::new(&request.books, &request.line, request.seed)
            };
            let found = library.choose(&wish)?;
            let Some(margin) = profile.book_verify else {
                return Some(proposed(found));
            };
            match self.objection(table, request, found.mv, margin).await {
                None => return Some(proposed(found)),
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
        table: &Table,
        request: &MoveRequest,
        mv: Move,
        margin: Centipawns,
    ) -> Option<String> {
        let budget = limits(request);
        if budget.hard < VERIFY_TIME + VERIFY_TIME {
            return None;
        }
        let deadline = request.arrived + budget.hard.into();
        let search = Search::new(
            request.line.clone(),
            Limits {
                nodes: Some(VERIFY_NODES),
                hard: Some(VERIFY_TIME),
                ..Limits::default()
            },
        );
        let alone = Search {
            only: vec![mv],
            ..search.clone()
        };
        let best = self.thinker.search(table, search, deadline).await?;
        if best.best() == Some(mv) {
            return None;
        }
        let this = self.thinker.search(table, alone, deadline).await?;
        let (better, score) = (best.lines.first()?, this.lines.first()?.score);
        let loss = worth(better.score) - worth(score);
        (loss > margin.0).then(|| {
            let instead = better
                .pv
                .first()
                .map(|mv| write_san(request.line.position(), *mv));
            format!(
                "{score}, and {} is {} at depth {}",
                instead.unwrap_or_default(),
                better.score,
                best.depth.0
            )
        })
    }

    /// Stages 2 and 3: what the engine finds with the strength of the personality.
    async fn calculated(&self, table: &Table, request: &MoveRequest) -> Option<Proposal> {
        let limits = limits(request);
        let deadline = request.arrived + limits.hard.into();
        let order = strength::order(
            &request.manner.profile,
            request.manner.level,
            request.line.clone(),
            Some((limits.soft, limits.hard)),
            request.seed,
        );
        let thought = self.thinker.think(table, order, deadline).await;
        match thought.as_ref().and_then(|thought| thought.report.best()) {
            Some(mv) => Some(from_thought(mv, thought.as_ref()?)),
            None => unconsidered(request),
        }
    }
}

/// The time for thinking, of which what has passed since the turn came is gone.
fn limits(request: &MoveRequest) -> Budget {
    let plan = request.clocks.map_or(UNHURRIED, |clocks| {
        budget(&GameClock {
            remaining: clocks.mine,
            increment: clocks.increment,
            moves_to_go: None,
            overhead: request.overhead,
        })
    });
    let most = if request.line.ply() < 2 { FIRST_MOVE } else { plan };
    let gone = request.arrived.elapsed().into();
    Budget {
        soft: plan.soft.min(most.soft) - gone,
        hard: plan.hard.min(most.hard) - gone,
    }
}

/// A move of a book, with its reason in words.
fn proposed(found: BookMove) -> Proposal {
    let mut why = format!("book {} {:.0}%", found.at, found.chance * 100.0);
    if let Some(note) = found.note {
        let _ = write!(why, " {note}"); // writing to a string cannot fail
    }
    Proposal {
        mv: found.mv,
        score: None,
        source: Source::Book,
        why,
    }
}

/// A score on one scale, with mates beyond all estimates.
fn worth(score: Score) -> i32 {
    const MATE: i32 = 100_000;
    match score {
        Score::Cp(cp) => cp.0,
        Score::Mate(moves) if moves < 0 => -MATE - moves,
        Score::Mate(moves) => MATE - moves,
    }
}

/// What a search found and how it was chosen from, in words.
fn from_thought(mv: Move, thought: &Thought) -> Proposal {
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
        source: Source::Engine {
            depth: report.depth,
            nodes: report.nodes,
        },
        why,
    }
}

/// What remains when the engine fails: the first legal move, so that the game goes on.
fn unconsidered(request: &MoveRequest) -> Option<Proposal> {
    let mv = *request.line.position().legal_moves().first()?;
    Some(Proposal {
        mv,
        score: None,
        source: Source::Other,
        why: "first legal move, since the engine failed".to_owned(),
    })
}

/// Stage 4: the move with what goes with it, by the scores up to this one.
fn conclude(request: &MoveRequest, proposal: &Proposal) -> Decision {
    let mut scores = request.scores.clone();
    scores.extend(proposal.score);
    let outlook = request.outlook(&scores);
    let profile = &request.manner.profile;
    let calculated = proposal.score.is_some();
    Decision {
        mv: proposal.mv,
        draw: calculated
            && if request.offered_draw {
                decide::takes_draw(profile, outlook)
            } else {
                decide::offers_draw(profile, outlook)
            },
        resign: calculated && decide::resigns(profile, outlook),
        score: proposal.score,
        source: proposal.source,
        why: proposal.why.clone(),
    }
}

/// Stage 5: how much longer the personality seems to think.
fn pause(request: &MoveRequest, proposal: &Proposal, spent: Millis) -> Millis {
    if request.manner.fast {
        return Millis::ZERO;
    }
    let mut scene = Scene::of(&request.line, proposal.mv);
    scene.from_book = proposal.source == Source::Book;
    scene.clock = request.clocks.map(|clocks| pace::Clock {
        initial: request.initial,
        increment: clocks.increment,
        remaining: clocks.mine,
    });
    scene.opponent_last = request.opponent_last;
    scene.own_last = request.own_last;
    scene.elapsed = spent;
    scene.lag = request.overhead;
    scene.level = request.manner.level;
    pace::pause(&request.manner.profile, &scene, request.seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        book,
        bot::game::Clocks,
        chess::{GameLine, Variant, write_uci},
        engine::{Line, Report},
        personality::{
            Delay, DrawTemper, Profile, ResignTemper,
            strength::{Choice, Chosen},
        },
        units::{Depth, Elo},
    };

    fn request(profile: &Profile, moves: &str) -> MoveRequest {
        MoveRequest {
            game: "abcd1234".parse().unwrap(),
            line: GameLine::replay(Variant::Standard, "startpos", moves).unwrap(),
            manner: Manner::of(profile),
            books: profile.books.clone(),
            clocks: Some(Clocks {
                mine: Millis::from_secs(60),
                theirs: Millis::from_secs(60),
                increment: Millis::from_secs(1),
            }),
            initial: Millis::from_secs(60),
            arrived: Instant::now(),
            overhead: Millis(50),
            opponent_last: None,
            own_last: None,
            scores: Vec::new(),
            against_bot: true,
            offered_draw: false,
            offered_at: None,
            seed: 7,
        }
    }

    fn whole(text: &str) -> Whole {
        let (book, findings) = book::parse("books/mine.book", text);
        assert!(findings.is_usable(), "{findings}");
        let library = Arc::new(Library::new(book.into_iter().collect()));
        Whole {
            thinker: Thinker::new(1).unwrap(),
            hash_mib: 1,
            library: watch::channel(library).1,
        }
    }

    fn bookish() -> Profile {
        let mut profile = Profile::new("x");
        profile.books = vec!["mine".to_owned()];
        profile.nodes = Some(Nodes(200));
        profile
    }

    #[tokio::test]
    async fn a_move_in_the_book_is_played_from_it_and_says_where() {
        let whole = whole("1. e4 e5 2. Nf3 Nc6\n");
        let decision = whole
            .decide(&Table::new(1), request(&bookish(), "e2e4 e7e5"))
            .await
            .unwrap();
        assert_eq!(write_uci(decision.mv, Variant::Standard), "g1f3");
        assert_eq!(decision.why, "book books/mine.book:1 100%");
        assert_eq!(decision.score, None);
    }

    #[tokio::test]
    async fn beyond_the_book_the_engine_plays_and_says_what_it_saw() {
        let whole = whole("1. e4 e5\n");
        let decision = whole
            .decide(&Table::new(1), request(&bookish(), "d2d4 d7d5"))
            .await
            .unwrap();
        assert!(decision.why.starts_with("engine "), "{}", decision.why);
        assert!(decision.score.is_some());
    }

    #[tokio::test]
    async fn a_weak_level_leaves_the_book_early() {
        let whole = whole("1. e4 e5 2. Nf3 Nc6 3. Bb5\n");
        let mut profile = bookish();
        profile.book_plies = Some(2);
        let decision = whole
            .decide(&Table::new(1), request(&profile, "e2e4 e7e5"))
            .await
            .unwrap();
        assert!(decision.why.starts_with("engine "), "{}", decision.why);
    }

    #[tokio::test]
    async fn a_book_move_that_loses_a_queen_is_vetoed_if_the_personality_asks_the_engine() {
        let whole = whole("1. e4 e5 2. Qg4 1000 | Nf3 1\n");
        let mut profile = bookish();
        let played = |profile: Profile| {
            let whole = whole.clone();
            async move {
                let request = request(&profile, "e2e4 e7e5");
                let decision = whole.decide(&Table::new(1), request).await.unwrap();
                (write_uci(decision.mv, Variant::Standard), decision.why)
            }
        };
        // Not yet: this queen is safe enough for those who trust their books.
        assert_eq!(played(profile.clone()).await.0, "d1g4");
        profile.book_verify = Some(Centipawns(40));
        let (mv, why) = played(profile).await;
        assert_eq!(mv, "g1f3");
        assert_eq!(why, "book books/mine.book:1 100%");
    }

    #[tokio::test]
    async fn an_edited_book_counts_from_the_next_move() {
        let mut whole = whole("1. e4 e5 2. Nf3\n");
        let (edited, _) = book::parse("books/mine.book", "1. e4 e5 2. Nc3\n");
        let (sender, library) = watch::channel(Arc::new(Library::empty()));
        whole.library = library;
        sender
            .send(Arc::new(Library::new(edited.into_iter().collect())))
            .unwrap();
        let decision = whole
            .decide(&Table::new(1), request(&bookish(), "e2e4 e7e5"))
            .await
            .unwrap();
        assert_eq!(write_uci(decision.mv, Variant::Standard), "b1c3");
    }

    #[tokio::test]
    async fn a_mated_side_has_no_decision() {
        let whole = whole("");
        let mated = request(&bookish(), "f2f3 e7e5 g2g4 d8h4");
        assert!(whole.decide(&Table::new(1), mated).await.is_none());
    }

    #[test]
    fn a_pause_comes_from_the_personality_unless_speed_was_asked_for() {
        let mut profile = bookish();
        profile.delay = Delay::Fixed(Millis(800));
        let mut request = request(&profile, "");
        let proposal = unconsidered(&request).unwrap();
        assert_eq!(pause(&request, &proposal, Millis(300)), Millis(500));
        request.manner.fast = true;
        assert_eq!(pause(&request, &proposal, Millis(300)), Millis::ZERO);
    }

    #[test]
    fn scores_up_to_this_move_decide_on_draw_and_resignation() {
        let mut profile = bookish();
        profile.draw = Some(DrawTemper {
            within: Centipawns(20),
            moves: 2,
        });
        profile.resign = Some(ResignTemper {
            behind: Centipawns(500),
            moves: 2,
        });
        let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(6);
        let mut request = request(&profile, moves.trim());
        request.scores = vec![Score::Cp(Centipawns(10))];
        request.offered_draw = true;
        let proposal = |cp| Proposal {
            score: Some(Score::Cp(Centipawns(cp))),
            ..unconsidered(&request).unwrap()
        };
        assert!(conclude(&request, &proposal(5)).draw);
        assert!(!conclude(&request, &proposal(50)).draw);
        let mut lost = request.clone();
        lost.scores = vec![Score::Cp(Centipawns(-600))];
        assert!(conclude(&lost, &proposal(-600)).resign);
        assert!(!conclude(&request, &proposal(-600)).resign);
    }

    #[test]
    fn a_first_move_comes_within_ten_seconds_whatever_the_clock() {
        let mut request = request(&bookish(), "");
        request.clocks.as_mut().unwrap().mine = Millis::from_secs(10_800);
        assert!(limits(&request).hard <= Millis::from_secs(8));
        request.line = GameLine::replay(Variant::Standard, "startpos", "e2e4 e7e5").unwrap();
        assert!(limits(&request).hard > Millis::from_secs(100));
        request.clocks = None;
        assert!(limits(&request).hard <= Millis::from_secs(10));
    }

    #[test]
    fn time_that_passed_since_the_turn_came_is_gone() {
        let mut request = request(&bookish(), "e2e4 e7e5");
        let fresh = limits(&request).hard;
        request.arrived -= std::time::Duration::from_secs(2);
        assert!(limits(&request).hard + Millis(1900) < fresh);
    }

    #[test]
    fn a_report_reads_well() {
        let request = request(&bookish(), "");
        let mv = *request.line.position().legal_moves().first().unwrap();
        let report = Report {
            depth: Depth(9),
            nodes: Nodes(20_000),
            lines: vec![Line {
                score: Score::Cp(Centipawns(32)),
                pv: vec![mv],
            }],
            ..Report::default()
        };
        let why = |chosen| {
            let report = report.clone();
            from_thought(mv, &Thought { report, chosen }).why
        };
        assert_eq!(why(None), "engine +0.32 depth 9 nodes 20000");
        let chosen = Chosen {
            chance: 0.231,
            choice: Choice {
                rating: Elo(1400),
                sharpness: 1.0,
                margin: None,
            },
            corrected: false,
        };
        assert_eq!(
            why(Some(chosen)),
            "engine +0.32 depth 9 nodes 20000, as people of 1400 play 23%"
        );
        let corrected = Chosen {
            corrected: true,
            ..chosen
        };
        assert_eq!(
            why(Some(corrected)),
            "engine +0.32 depth 9 nodes 20000, instead of one that people of 1400 play 23%"
        );
    }
}
