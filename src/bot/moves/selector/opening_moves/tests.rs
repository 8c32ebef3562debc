//! Books and servers in one list, on the sandbox's imitations.

use super::*;
use crate::bot::moves::selector::MoveSelector as _;
use crate::bot::{
    game_task::state::Clocks,
    moves::{engine_pool::EnginePool, online_sources::OnlineSources},
    observe::metrics::Metrics,
};
use sparring_book as book;
use sparring_chess::{GameHistory, Variant, units::Nodes};
use sparring_personality::Personality;
use sparring_sandbox::{Fault, FaultKind, Sandbox};
use tokio::{net::TcpListener, sync::watch};
use tokio_util::sync::{CancellationToken, DropGuard};

/// A sandbox, and a pipeline with the book `mine`.
struct Servers {
    sandbox: Sandbox,
    url: String,
    pipeline: Pipeline,
    _stop: DropGuard,
}

impl Servers {
    async fn with_book(text: &str) -> Self {
        let sandbox = Sandbox::new(sparring_sandbox::Options::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let stop = CancellationToken::new();
        tokio::spawn(sandbox.clone().serve(listener, stop.clone()));
        let (book, findings) = book::parse("books/mine.book", text);
        assert!(findings.is_usable(), "{findings}");
        let library = Arc::new(Library::new(book.into_iter().collect()));
        Self {
            sandbox,
            url,
            pipeline: Pipeline {
                pool: EnginePool::new(1, 1).unwrap(),
                library: watch::channel(library).1,
                tablebase: None,
                online: OnlineSources::default(),
                metrics: Metrics::default(),
                pondering: Arc::new(tokio::sync::Semaphore::new(1)),
            },
            _stop: stop.drop_guard(),
        }
    }

    fn request(&self, books: &[&str], moves: &str) -> MoveRequest {
        let mut profile = Personality::new("x");
        profile.nodes = Some(Nodes(200));
        let source = |kind: SourceKind| {
            Arc::new(Source {
                server: self.url.clone(),
                ..Source::new(kind.key(), kind)
            })
        };
        MoveRequest {
            game: "abcd1234".parse().unwrap(),
            line: GameHistory::replay(Variant::Standard, "startpos", moves).unwrap(),
            persona: Persona::of(&profile),
            engine: None,
            books: books.iter().map(|name| (*name).to_owned()).collect(),
            online: SourceKind::ALL.map(source).to_vec(),
            clocks: Some(Clocks {
                mine: Millis::from_secs(300),
                theirs: Millis::from_secs(300),
                increment: Millis::ZERO,
            }),
            initial: Millis::from_secs(300),
            arrived: Instant::now(),
            overhead: Millis(50),
            opponent_last: None,
            own_last: None,
            scores: Vec::new(),
            against_bot: true,
            rated: true,
            offered_draw: false,
            offered_at: None,
            seed: 7,
        }
    }

    /// What is played and why, without a search; none where the search decides.
    async fn played(&self, request: &MoveRequest) -> Option<String> {
        let library = Arc::clone(&self.pipeline.library.borrow());
        let slot = EngineSlot::default();
        let proposal = self.pipeline.opening_move(&library, &slot, request);
        Some(proposal.await?.why)
    }

    fn fails(&self, path: &str) {
        self.sandbox.arm(Fault {
            on: path.to_owned(),
            skip: 0,
            times: 1000,
            what: FaultKind::Answer {
                status: 500,
                body: String::new(),
                content_type: "text/html".to_owned(),
                retry_after: None,
            },
        });
    }
}

const CLOUD: &str = "online:cloud-eval";

#[tokio::test]
async fn books_and_servers_are_asked_in_the_order_of_the_list() {
    let servers = Servers::with_book("1. e4 e5 2. Nf3\n").await;
    let played = async |books: &[&str], moves| servers.played(&servers.request(books, moves)).await;
    assert_eq!(
        played(&["mine", CLOUD], "").await.unwrap(),
        "book books/mine.book:1 100%"
    );
    // The sandbox knows every position, and offers the first moves of the alphabet.
    let cloud = "online cloud-eval: a2a3, +0.20 at depth 40";
    assert_eq!(played(&[CLOUD, "mine"], "").await.unwrap(), cloud);
    assert_eq!(
        played(&["mine", CLOUD], "d2d4 d7d5").await.unwrap(),
        "online cloud-eval: a2a3, +0.20 at depth 40"
    );
    assert_eq!(
        played(&["online:chessdb"], "").await.unwrap(),
        "online chessdb: a2a3, +0.20 at depth 40"
    );
    assert_eq!(played(&["online:tablebase"], "").await, None, "too many pieces");
    assert_eq!(played(&["online:nobody"], "").await, None, "no such section");
    let masters = played(&["online:explorer-masters"], "").await.unwrap();
    assert!(
        masters.starts_with("online explorer-masters: ") && masters.ends_with("% of 2083 games"),
        "{masters}"
    );
}

#[tokio::test]
async fn f56_where_a_server_fails_the_next_of_the_list_moves() {
    let servers = Servers::with_book("1. e4 e5 2. Nf3\n").await;
    servers.fails("/api/cloud-eval");
    let request = servers.request(&[CLOUD, "mine", "online:chessdb"], "");
    assert_eq!(
        servers.played(&request).await.unwrap(),
        "book books/mine.book:1 100%"
    );
    let request = servers.request(&[CLOUD, "online:chessdb"], "");
    assert!(
        servers
            .played(&request)
            .await
            .unwrap()
            .starts_with("online chessdb")
    );
    let alone = servers.request(&[CLOUD], "");
    assert_eq!(servers.played(&alone).await, None);
    let decision = servers
        .pipeline
        .select(&EngineSlot::default(), alone)
        .await
        .unwrap();
    assert!(decision.why.starts_with("engine "), "{}", decision.why);
}

#[tokio::test]
async fn what_a_book_does_not_want_no_later_server_plays() {
    let servers = Servers::with_book("1. a3xx\n").await;
    let played = async |books: &[&str]| servers.played(&servers.request(books, "")).await.unwrap();
    let mut request = servers.request(&["mine", CLOUD], "");
    // One line is all that is asked for; with more there is another move.
    assert_eq!(servers.played(&request).await, None);
    for source in &mut request.online {
        let mut wide = Source::clone(source);
        wide.max_loss = Centipawns(20);
        *source = Arc::new(wide);
    }
    let other = servers.played(&request).await.unwrap();
    assert!(
        other.starts_with("online cloud-eval: ") && !other.contains("a2a3"),
        "{other}"
    );
    assert!(
        played(&[CLOUD, "mine"]).await.contains("a2a3"),
        "the book comes later"
    );
}

#[tokio::test]
async fn limits_of_books_and_clocks_are_those_of_servers_but_for_tables() {
    let servers = Servers::with_book("").await;
    let mut request = servers.request(&[CLOUD, "online:tablebase"], "e2e4 e7e5");
    Arc::make_mut(&mut request.persona.profile).book_plies = Some(2);
    assert_eq!(servers.played(&request).await, None, "the level knows no more");
    let endgame = "8/8/8/8/8/4k3/4p3/4K2R w - - 0 1";
    request.line = GameHistory::replay(Variant::FromPosition, endgame, "").unwrap();
    Arc::make_mut(&mut request.persona.profile).book_plies = Some(0);
    assert_eq!(
        servers.played(&request).await.unwrap(),
        "online tablebase: h1f1, draw",
        "tables are asked at any time"
    );
    request.clocks.as_mut().unwrap().mine = Millis::from_secs(19);
    assert_eq!(servers.played(&request).await, None, "below min-clock");
}

#[tokio::test]
async fn a_search_may_object_to_the_move_of_a_server_but_not_to_a_table() {
    let servers = Servers::with_book("").await;
    // Captures come first in the sandbox: the queen takes a pawn that is guarded.
    let moves = "e2e4 e7e5 d1h5 b8c6";
    let mut request = servers.request(&[CLOUD], moves);
    assert!(servers.played(&request).await.unwrap().contains("h5e5"));
    Arc::make_mut(&mut request.persona.profile).book_verify = Some(Centipawns(50));
    assert_eq!(servers.played(&request).await, None);
}

#[tokio::test]
async fn a_game_asks_no_more_who_did_not_know_five_positions() {
    let servers = Servers::with_book("").await;
    servers.sandbox.arm(Fault {
        on: "/cdb.php".to_owned(),
        skip: 0,
        times: 5,
        what: FaultKind::Answer {
            status: 200,
            body: "{\"status\":\"unknown\"}".to_owned(),
            content_type: "application/json".to_owned(),
            retry_after: None,
        },
    });
    let slot = EngineSlot::default();
    let library = Arc::clone(&servers.pipeline.library.borrow());
    let request = servers.request(&["online:chessdb"], "");
    for _ in 0..7 {
        let proposal = servers.pipeline.opening_move(&library, &slot, &request);
        assert!(proposal.await.is_none());
    }
    let other_game = EngineSlot::default();
    assert!(
        servers
            .pipeline
            .opening_move(&library, &other_game, &request)
            .await
            .is_some()
    );
}

#[test]
fn games_are_told_in_round_numbers() {
    assert_eq!(shown_games(636_000, 1_200_000), "53% of 1.2 M games");
    assert_eq!(shown_games(10_000, 20_000), "50% of 20 k games");
    assert_eq!(shown_games(1, 3), "33% of 3 games");
}

#[tokio::test]
async fn in_a_variant_the_book_named_as_it_is_played_from_where_the_list_has_none() {
    let mut servers = Servers::with_book("1. e4 e5\n").await;
    let (atomic, _) = book::parse("books/atomic.book", "variant: atomic\n1. Nf3 f6\n");
    servers.pipeline.library = watch::channel(Arc::new(Library::new(atomic.into_iter().collect()))).1;
    let mut request = servers.request(&["main"], "");
    assert_eq!(servers.played(&request).await, None);
    request.line = GameHistory::new(Variant::Atomic);
    assert_eq!(
        servers.played(&request).await.unwrap(),
        "book books/atomic.book:2 100%"
    );
}
