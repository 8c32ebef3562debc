//! A game from Anna's side of the board: what she plays, and what she waits for.

use serde_json::Value;
use tokio::time::timeout;

use crate::{
    stage::PATIENCE,
    table::{Lines, Player},
};

/// A game from Anna's side of the board.
pub struct Game {
    pub id: String,
    anna: Player,
    lines: Lines,
    moves: String,
    /// Everything that her stream has said.
    seen: Vec<Value>,
}

impl Game {
    /// A game that has begun, as its stream shows it to her.
    pub fn new(id: String, anna: Player, lines: Lines) -> Self {
        Self {
            id,
            anna,
            lines,
            moves: String::new(),
            seen: Vec::new(),
        }
    }

    /// Anna plays a move.
    pub async fn human_plays(&mut self, uci: &str) -> &mut Self {
        self.anna.plays(&self.id, &format!("move/{uci}")).await;
        self.append(uci);
        self
    }

    /// The stream shows the bot's move, and nothing else was played.
    pub async fn bot_answers(&mut self, uci: &str) -> &mut Self {
        self.append(uci);
        let expected = self.moves.clone();
        let shown = |state: &Value| {
            state["moves"]
                .as_str()
                .is_some_and(|moves| moves.len() >= expected.len())
        };
        let state = self.until(&format!("{uci} is shown"), shown).await;
        assert_eq!(state["moves"], expected, "another move was played");
        self
    }

    /// The bot's move was seen, whatever it was.
    pub fn saw(&mut self, uci: &str) {
        self.append(uci);
    }

    /// Anna sends a command such as `resign` or `draw/yes`.
    pub async fn human_does(&mut self, command: &str) -> &mut Self {
        self.anna.plays(&self.id, command).await;
        self
    }

    /// Anna resigns, and the bot's color has won.
    pub async fn human_resigns_to(&mut self, color: &str) -> &mut Self {
        self.human_does("resign").await.ends("resign", Some(color)).await
    }

    /// Anna says something to the bot.
    pub async fn human_says(&mut self, text: &str) -> &mut Self {
        assert_eq!(self.anna.says(&self.id, text).await.0, 200);
        self
    }

    /// The bot says something with these words.
    pub async fn bot_says(&mut self, words: &str) -> &mut Self {
        let said = |line: &Value| {
            line["username"] == "SandBot" && line["text"].as_str().is_some_and(|text| text.contains(words))
        };
        self.until(&format!("the bot says {words:?}"), said).await;
        self
    }

    /// The game ends so.
    pub async fn ends(&mut self, status: &str, winner: Option<&str>) -> &mut Self {
        let over = |state: &Value| state["status"].as_str().is_some_and(|status| status != "started");
        let state = self.until("the game ends", over).await;
        assert_eq!(state["status"], status);
        assert_eq!(state["winner"].as_str(), winner);
        self
    }

    /// A takeback of so many plies shows on the board.
    pub async fn takes_back(&mut self, plies: usize) -> &mut Self {
        let moves: Vec<&str> = self.moves.split(' ').collect();
        self.moves = moves[..moves.len() - plies].join(" ");
        let expected = self.moves.clone();
        self.until("the takeback shows", |state| state["moves"] == expected)
            .await;
        self
    }

    /// How often the bot has said something.
    pub fn lines_of_the_bot(&self) -> usize {
        self.seen
            .iter()
            .filter(|line| line["username"] == "SandBot")
            .count()
    }

    /// Anna's stream is opened anew, after all connections were cut.
    pub async fn returns(&mut self) -> &mut Self {
        // Those that were cut may still lie in the pool.
        self.anna.http = reqwest::Client::builder().no_proxy().build().unwrap();
        self.lines = self.anna.watches(&self.id).await;
        self
    }

    /// Reads until a line or the state of a game's first line is so.
    pub async fn until(&mut self, what: &str, so: impl Fn(&Value) -> bool) -> Value {
        let read = async {
            loop {
                let mut line = self.lines.next().await;
                if line["type"] == "gameFull" {
                    line = line["state"].take();
                }
                self.seen.push(line.clone());
                if so(&line) {
                    return line;
                }
            }
        };
        timeout(PATIENCE, read)
            .await
            .unwrap_or_else(|_| panic!("never: {what}"))
    }

    fn append(&mut self, uci: &str) {
        if !self.moves.is_empty() {
            self.moves.push(' ');
        }
        self.moves.push_str(uci);
    }
}
