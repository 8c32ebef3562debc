//! What stands in the log, and what never does.

use std::{
    io,
    sync::{Arc, Mutex},
};

use sparring_chess::units::Millis;
use tokio::time::timeout;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::MakeWriter;

use crate::stage::{Act, PATIENCE, WHITE, acts, answer, replies};

/// Everything that is logged on this thread, down to the last detail.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub fn keep() -> (Self, DefaultGuard) {
        let log = Self::default();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(log.clone())
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn every_decision_gives_its_reason_and_the_token_is_nowhere() {
    let (log, _guard) = Log::keep();
    let mut stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = stage.game(&WHITE).await;
    stage.arm("/move/e7e5", 1, answer(502, "<html>Bad Gateway</html>"));
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.table.sandbox.revoke(&stage.table.bot.token);
    game.human_plays("g1f3").await;
    stage.bot.take().unwrap().end().await.unwrap_err();
    let text = log.text();
    let decision = format!("{} 1... e5 script | 0.0 s", game.id);
    assert!(text.contains(&decision), "{text}");
    assert!(text.contains("502"), "the trouble is told");
    let secret = stage.table.bot.token.trim_start_matches("lip_");
    let leak = text.lines().find(|line| line.contains(secret));
    assert_eq!(leak, None);
}

#[tokio::test]
async fn f32_strangers_text_cannot_forge_a_line() {
    let (log, _guard) = Log::keep();
    let stage = replies(&["e7e5"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_says("hello\n2026-01-01 INFO all games won\u{1b}[2J")
        .await;
    game.human_says("!help").await.bot_says("!level 1400").await;
    let text = log.text();
    assert!(text.contains("hello\\n2026-01-01"), "the line is shown");
    assert!(!text.contains("\n2026-01-01 INFO all games won"));
    assert!(!text.contains('\u{1b}'));
}

#[tokio::test]
async fn f5_an_outage_is_not_told_anew_by_each_look_at_the_list() {
    let (log, _guard) = Log::keep();
    let mut stage = replies(&[])
        .options(|options| options.timing.poll_every = Millis(20))
        .open()
        .await;
    stage.server_goes_down().await;
    stage.bot().until("deaf", |status| !status.is_listening).await;
    let before = log.text().len();
    let looks = async {
        while log.text()[before..].matches("running games: ").count() < 5 {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, looks).await.expect("nobody looks");
    let text = log.text();
    let mut told = text[before..]
        .lines()
        .filter(|line| line.contains("running games: "));
    assert!(told.all(|line| !line.contains("WARN")), "{text}");
}

#[tokio::test]
async fn a_panic_does_not_tell_the_token() {
    let (log, _guard) = Log::keep();
    let told = Log::default();
    let hear = told.clone();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let _ = io::Write::write(&mut hear.clone(), format!("{panic}\n").as_bytes()); // it cannot fail
        before(panic);
    }));
    let mut stage = acts(|_, _| Act::Panic).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.ends("aborted", None).await;
    stage.bot().until("no game", |status| status.games == 0).await;
    let text = log.text() + &told.text();
    assert!(told.text().contains("the script says so"), "{text}");
    assert!(log.text().contains("its task panicked"), "{text}");
    let secret = stage.table.bot.token.trim_start_matches("lip_");
    assert!(!text.contains(secret));
}
