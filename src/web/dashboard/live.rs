//! Stream of running games as NDJSON: all at first, then each change and end.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
};
use futures::stream::{StreamExt as _, unfold};
use serde_json::{Value, json};
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::DropGuard;

use super::state::DashboardState;
use crate::bot::games::live::{GameSnapshot, Snapshots};
use sparring_chess::units::Millis;
use sparring_lichess::model::GameId;

/// Shortest interval between updates of the page.
const MIN_INTERVAL: Duration = Duration::from_millis(200);
/// Interval of empty keep-alive lines, as on lichess' streams.
const KEEP_ALIVE: Duration = Duration::from_secs(7);

/// Serves the stream.
pub(super) async fn stream(State(panel): State<DashboardState>) -> Response {
    let end = panel.viewers.join();
    let tail = Tail {
        news: panel.live_games.follow(),
        sent: None,
        _left: end.clone().drop_guard(),
    };
    let lines = unfold(tail, |mut tail| async move {
        let text = tail.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(text)), tail))
    });
    let lines = lines.take_until(end.cancelled_owned());
    (
        [(header::CONTENT_TYPE, "application/x-ndjson")],
        Body::from_stream(lines),
    )
        .into_response()
}

/// The state of one reader of the stream.
struct Tail {
    news: watch::Receiver<Snapshots>,
    /// None before the first lines.
    sent: Option<Snapshots>,
    /// Cancels the viewer's token when the reader disconnects.
    _left: DropGuard,
}

impl Tail {
    /// The next lines; none when the daemon has ended.
    async fn next(&mut self) -> Option<String> {
        if self.sent.is_some() {
            match timeout(KEEP_ALIVE, self.news.changed()).await {
                Err(_) => return Some("\n".to_owned()),
                Ok(changed) => changed.ok()?,
            }
            sleep(MIN_INTERVAL).await;
        }
        let now = self.news.borrow_and_update().clone();
        let text = changes(self.sent.as_ref(), &now);
        self.sent = Some(now);
        Some(text)
    }
}

/// The NDJSON lines that turn `before` into `now`.
fn changes(before: Option<&Snapshots>, now: &Snapshots) -> String {
    let known = |id: &GameId, board: &Arc<GameSnapshot>| {
        before
            .and_then(|before| before.get(id))
            .is_some_and(|old| Arc::ptr_eq(old, board))
    };
    let mut text = String::new();
    if before.is_none() {
        text += "{\"type\":\"all\"}\n";
    }
    for (id, board) in now.iter().filter(|(id, board)| !known(id, board)) {
        text += &format!("{}\n", line(id, board));
    }
    let gone = before
        .into_iter()
        .flat_map(|before| before.keys())
        .filter(|id| !now.contains_key(*id));
    for id in gone {
        text += &format!("{}\n", json!({"type": "gone", "id": id}));
    }
    // A game that came and went between two looks leaves nothing to say.
    if text.is_empty() { "\n".to_owned() } else { text }
}

fn line(id: &GameId, board: &GameSnapshot) -> Value {
    let since = Millis::from(Instant::now().saturating_duration_since(board.seen));
    json!({
        "type": "board", "id": id, "opponent": board.opponent, "rating": board.rating, "bot": board.is_bot,
        "side": board.side, "variant": board.variant, "speed": board.speed, "rated": board.rated,
        "personality": board.personality, "level": board.level, "fen": board.fen, "last": board.last,
        "plies": board.plies, "clocks": board.clocks.map(|(mine, theirs)| json!({"mine": mine, "theirs": theirs})),
        "sinceMillis": since,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_hears_all_at_first_and_then_only_what_is_new() {
        let (one, two): (GameId, GameId) = ("aaaaaaaa".parse().unwrap(), "bbbbbbbb".parse().unwrap());
        let before = Snapshots::from([
            (one.clone(), Arc::new(GameSnapshot::sample(1))),
            (two.clone(), Arc::new(GameSnapshot::sample(1))),
        ]);
        let first = changes(None, &before);
        assert_eq!(first.lines().count(), 3);
        assert!(first.starts_with("{\"type\":\"all\"}\n"));
        let mut now = before.clone();
        now.remove(&one);
        now.insert(two, Arc::new(GameSnapshot::sample(2)));
        let said = changes(Some(&before), &now);
        let lines: Vec<Value> = said
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["plies"], 2);
        assert_eq!(lines[0]["clocks"], json!({"mine": 5000, "theirs": 6000}));
        assert_eq!(lines[1], json!({"type": "gone", "id": "aaaaaaaa"}));
        assert_eq!(changes(Some(&now), &now), "\n");
    }

    #[test]
    fn nobody_is_told_what_the_bot_thinks() {
        let text = line(&"aaaaaaaa".parse().unwrap(), &GameSnapshot::sample(3)).to_string();
        for word in ["score", "eval", "pv", "note"] {
            assert!(!text.contains(word), "{text}");
        }
    }
}
