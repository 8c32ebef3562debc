//! A game in the terminal, through the same API as the page.

use std::{
    io::{BufRead, Write},
    thread,
};

use anyhow::{Context as _, anyhow, bail};
use tokio::{
    sync::mpsc,
    time::{sleep, timeout},
};

use super::ascii_board::draw;
use crate::bot::game_task::state::{Change, GameState};
use sparring_chess::{
    Color, Move, Outcome, Rules as _, parse_san, parse_uci, units::Millis, write_san, write_uci,
};
use sparring_files::lines::Lines;
use sparring_lichess::{
    CallError, Client, Escaped, ReconnectingStream, StreamEvent,
    model::{ChallengeRequest, ChatLine, Event, GameEvent, GameId, Room, Side, Status, UserId},
};

/// Timeout of a move.
const PATIENCE: Millis = Millis::from_secs(5);

/// Timeout of a challenge, longer than an open challenge lives.
const ARRIVAL: Millis = Millis::from_secs(30);

/// At the end of the input, how long to wait for the stream to show the end of the game, as after `resign`.
const LAST_NEWS: Millis = Millis(500);

/// How to put a piece from the pocket on the board.
const DROPS: &str = "Drops as N@f3, or @f3 for a pawn. ";

const HELP: &str = "\
Moves as Nf3 or g1f3. Other words: resign, draw, takeback, abort, say TEXT, board, moves, help, quit.";

/// The game to play.
#[derive(Debug, Clone)]
pub struct PlayOptions {
    /// The opponent.
    pub opponent: UserId,
    /// The challenge to send.
    pub invitation: ChallengeRequest,
    /// Chat lines to send at the start of the game, such as `!level 1400`.
    pub requests: Vec<String>,
}

/// The player at the terminal: input and output.
pub struct Console<W> {
    client: Client,
    me: UserId,
    typed: mpsc::Receiver<String>,
    screen: W,
    /// How long to wait for the game to begin.
    arrival: Millis,
    /// Whether the cursor is behind a prompt.
    is_asked: bool,
}

impl<W: Write> Console<W> {
    /// A player whose input is read from `keyboard` on a thread of its own.
    pub fn new(client: Client, me: UserId, keyboard: impl BufRead + Send + 'static, screen: W) -> Self {
        let (tx, typed) = mpsc::channel(16);
        // Detached: a read from a terminal cannot be interrupted, and ends with the program.
        thread::spawn(move || {
            let mut lines = Lines::new(keyboard);
            while let Ok(Some(line)) = lines.next_text() {
                if tx.blocking_send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            client: client.board_api(),
            me,
            typed,
            screen,
            arrival: ARRIVAL,
            is_asked: false,
        }
    }

    /// Challenges the bot and plays one game, until its end, `quit` or the end of the input.
    ///
    /// # Errors
    /// When the server stops, the bot declines or does not answer, or the terminal cannot be written.
    pub async fn play(&mut self, wishes: &PlayOptions) -> anyhow::Result<()> {
        let mut events = ReconnectingStream::events(&self.client, 1);
        let challenge = self
            .client
            .create_challenge(&wishes.opponent, &wishes.invitation)
            .await?;
        let start = self.wait_for_start(&mut events, &challenge.id);
        let game = timeout(self.arrival.into(), start).await.map_err(|_| {
            let seconds = self.arrival.0.div_ceil(1000);
            anyhow!("the bot has not begun the game within {seconds} seconds")
        })??;
        for request in &wishes.requests {
            self.client.post_chat(&game, &Room::Player, request).await?;
        }
        self.follow(&game).await
    }

    async fn wait_for_start(
        &self,
        events: &mut ReconnectingStream<Event>,
        challenge: &GameId,
    ) -> anyhow::Result<GameId> {
        loop {
            let news = events.next().await.context("the server has closed the door")?;
            match news {
                StreamEvent::Event { event, .. } => match event {
                    Event::GameStart { game } if game.game() == Some(challenge) => {
                        return Ok(challenge.clone());
                    }
                    Event::ChallengeDeclined { challenge: declined } if declined.id == *challenge => {
                        let why = declined.decline_reason.unwrap_or_default();
                        bail!("the bot declines: {}", Escaped(&why));
                    }
                    _ => {}
                },
                StreamEvent::Refused(error) => return Err(error.into()),
                _ => {}
            }
        }
    }

    async fn follow(&mut self, id: &GameId) -> anyhow::Result<()> {
        let mut stream = ReconnectingStream::game(&self.client, id, 2);
        let mut game: Option<GameState> = None;
        let mut listening = true;
        loop {
            // The input has ended. While the opponent thinks, the game can still be watched.
            let is_stuck = !listening && game.as_ref().is_some_and(GameState::is_my_turn);
            tokio::select! {
                news = stream.next() => {
                    let Some(news) = news else { bail!("the server has dropped the game") };
                    if self.take(&mut game, news)? {
                        return Ok(());
                    }
                }
                // What is typed before there is a game waits for it.
                line = self.typed.recv(), if listening && game.is_some() => match (line, &game) {
                    (Some(line), Some(game)) => {
                        self.is_asked = false;
                        if !self.obey(game, line.trim()).await? {
                            return Ok(());
                        }
                    }
                    _ => listening = false,
                },
                () = sleep(LAST_NEWS.into()), if is_stuck => {
                    self.leave_prompt()?;
                    writeln!(self.screen, "Nothing more can be typed: you leave the game.")?;
                    return Ok(());
                }
            }
        }
    }

    /// Shows a stream line. Returns whether the game is over.
    fn take(&mut self, game: &mut Option<GameState>, news: StreamEvent<GameEvent>) -> anyhow::Result<bool> {
        let event = match news {
            StreamEvent::Event { event, .. } => event,
            StreamEvent::Disconnected { .. } => {
                writeln!(self.screen, "(connection lost, trying again)")?;
                return Ok(false);
            }
            StreamEvent::Refused(error) => return Err(error.into()),
            StreamEvent::Opened
            | StreamEvent::BadLine(_)
            | StreamEvent::OpenFailed { .. }
            | StreamEvent::Throttled(_) => return Ok(false),
        };
        if let GameEvent::Chat(line) = &event {
            self.show_chat(line)?;
        }
        match game {
            None => {
                let GameEvent::Full(frame) = event else {
                    return Ok(false);
                };
                let fresh = game.insert(GameState::new(*frame, &self.me)?);
                let (color, name) = (name_of(fresh.my_side()), fresh.opponent().display_name());
                let drops = if fresh.line().variant().traits().drops {
                    DROPS
                } else {
                    ""
                };
                let against = Escaped(&name);
                writeln!(self.screen, "You play {color} against {against}. {drops}{HELP}")?;
                let first = fresh.first_step();
                self.show(fresh, first)
            }
            Some(game) => {
                let step = game.apply(&event)?;
                self.show(game, step)
            }
        }
    }

    fn show(&mut self, game: &GameState, step: Change) -> anyhow::Result<bool> {
        if step.moved || step.draw_offered || step.ended {
            self.leave_prompt()?;
        }
        if step.moved {
            self.show_position(game)?;
        }
        if step.draw_offered {
            writeln!(self.screen, "Your opponent offers a draw: type draw to accept.")?;
        }
        if step.ended {
            writeln!(self.screen, "{}", ending(game))?;
            return Ok(true);
        }
        if step.my_turn {
            self.ask("your move> ")?;
        }
        Ok(false)
    }

    fn show_position(&mut self, game: &GameState) -> anyhow::Result<()> {
        let line = game.line();
        let last = line.moves().last().copied();
        if let Some(mv) = last {
            let mut before = line.clone();
            before.truncate(line.ply() - 1);
            let pos = before.position();
            let dots = before.turn().fold_wb(".", "...");
            writeln!(self.screen, "\n{}{dots} {}", pos.fullmoves(), write_san(pos, mv))?;
        }
        write!(
            self.screen,
            "{}",
            draw(line.position(), Color::from(game.my_side()), last)
        )?;
        if let Some(clocks) = game.clocks() {
            writeln!(
                self.screen,
                "clocks: you {}, opponent {}",
                clocks.mine, clocks.theirs
            )?;
        }
        Ok(())
    }

    fn show_chat(&mut self, line: &ChatLine) -> anyhow::Result<()> {
        let own = line.username.eq_ignore_ascii_case(self.me.as_str());
        if line.room == Room::Player && !own {
            self.leave_prompt()?;
            writeln!(
                self.screen,
                "{}: {}",
                Escaped(&line.username),
                Escaped(&line.text)
            )?;
        }
        Ok(())
    }

    /// Runs a typed command. Returns whether to go on.
    async fn obey(&mut self, game: &GameState, typed: &str) -> anyhow::Result<bool> {
        let id = game.id();
        let (word, rest) = typed.split_once(' ').unwrap_or((typed, ""));
        let done = match word {
            "" => Ok(()),
            "quit" => return Ok(false),
            "help" => return self.answer(HELP),
            "board" => {
                self.show_position(game)?;
                return Ok(true);
            }
            "moves" => return self.answer(&sans(game).join(" ")),
            "resign" => self.client.resign(id).await,
            "abort" => self.client.abort(id).await,
            "draw" => self.client.draw(id, true).await,
            "takeback" => self.client.takeback(id, true).await,
            "say" => self.client.post_chat(id, &Room::Player, rest).await,
            _ => return self.play_move(game, typed).await,
        };
        self.report(done)
    }

    async fn play_move(&mut self, game: &GameState, typed: &str) -> anyhow::Result<bool> {
        let pos = game.line().position();
        if !game.is_my_turn() {
            return self.answer("It is not your move.");
        }
        match parse_san(pos, typed).map_err(|error| error.to_string()) {
            Ok(mv) => self.send_move(game, mv).await,
            Err(why) => match parse_uci(pos, typed) {
                Ok(mv) => self.send_move(game, mv).await,
                Err(_) => self.answer(&format!("{why}; type moves to see what is, help for other words")),
            },
        }
    }

    async fn send_move(&mut self, game: &GameState, mv: Move) -> anyhow::Result<bool> {
        let uci = write_uci(mv, game.line().variant());
        let done = self.client.play(game.id(), &uci, false, PATIENCE).await;
        self.report(done)
    }

    fn report(&mut self, done: Result<(), CallError>) -> anyhow::Result<bool> {
        match done {
            Ok(()) => Ok(true),
            Err(error) => self.answer(&error.to_string()),
        }
    }

    fn answer(&mut self, text: &str) -> anyhow::Result<bool> {
        writeln!(self.screen, "{text}")?;
        self.ask("> ")?;
        Ok(true)
    }

    fn ask(&mut self, prompt: &str) -> anyhow::Result<()> {
        write!(self.screen, "{prompt}")?;
        self.screen.flush()?;
        self.is_asked = true;
        Ok(())
    }

    /// Ends the line of an unanswered prompt.
    fn leave_prompt(&mut self) -> anyhow::Result<()> {
        if std::mem::take(&mut self.is_asked) {
            writeln!(self.screen)?;
        }
        Ok(())
    }
}

fn sans(game: &GameState) -> Vec<String> {
    let pos = game.line().position();
    pos.legal_moves().iter().map(|mv| write_san(pos, *mv)).collect()
}

fn name_of(side: Side) -> &'static str {
    match side {
        Side::White => "White",
        Side::Black => "Black",
    }
}

/// The result in one sentence.
fn ending(game: &GameState) -> String {
    let who = match game.winner() {
        Some(side) if side == game.my_side() => "You won",
        Some(_) => "You lost",
        None => "Drawn",
    };
    let line = game.line();
    let how = match game.status() {
        Status::VariantEnd => return format!("{who}: {}.", line.variant_end()),
        Status::Draw if line.outcome() == Some(Outcome::Variant(None)) => {
            return format!("{who}: {}.", line.variant_end());
        }
        Status::Mate => "by checkmate",
        Status::Resign => "by resignation",
        Status::OutOfTime => "on time",
        Status::Timeout => "because a player left",
        Status::Stalemate => "by stalemate",
        Status::Aborted => return "The game was aborted.".to_owned(),
        _ => "",
    };
    format!("{who} {how}").trim_end().to_owned() + "."
}

#[cfg(test)]
mod tests {
    use std::{io::Cursor, time::Duration};

    use tokio::net::TcpListener;
    use tokio_util::sync::{CancellationToken, DropGuard};

    use super::*;
    use sparring_lichess::{Token, model::ChallengeColor};
    use sparring_sandbox::{Options, Sandbox};

    /// Nothing on loopback takes so long.
    const PATIENCE: Duration = Duration::from_secs(20);

    /// A person with these keys to press, and a bot that accepts what comes, if it does.
    async fn sit_down(keys: &'static str, bot_comes: bool) -> (Console<Vec<u8>>, DropGuard) {
        let sandbox = Sandbox::new(Options::default());
        let (bot, me) = (
            sandbox.add_bot("Robo").unwrap(),
            sandbox.add_human("You").unwrap(),
        );
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let stop = CancellationToken::new();
        tokio::spawn(sandbox.serve(listener, stop.clone()));
        let client = |token: &str| Client::new(&address, Token::parse(token).unwrap(), 1).unwrap();
        let bot = client(&bot);
        if bot_comes {
            tokio::spawn(async move {
                let mut events = ReconnectingStream::<Event>::events(&bot, 3);
                while let Some(news) = events.next().await {
                    if let StreamEvent::Event {
                        event: Event::Challenge { challenge, .. },
                        ..
                    } = news
                    {
                        bot.accept(&challenge.id).await.unwrap();
                    }
                }
            });
        }
        let keyboard = Cursor::new(keys);
        let console = Console::new(client(&me), "You".parse().unwrap(), keyboard, Vec::new());
        (console, stop.drop_guard())
    }

    /// Plays with White: what came of it, and what the screen shows.
    async fn play(console: &mut Console<Vec<u8>>) -> (anyhow::Result<()>, String) {
        let wishes = PlayOptions {
            opponent: "Robo".parse().unwrap(),
            invitation: ChallengeRequest {
                color: ChallengeColor::White,
                ..ChallengeRequest::default()
            },
            requests: Vec::new(),
        };
        let played = tokio::time::timeout(PATIENCE, console.play(&wishes)).await;
        let screen = String::from_utf8(console.screen.clone()).unwrap();
        (played.expect("the game hangs"), screen)
    }

    #[tokio::test]
    async fn where_nothing_more_can_be_typed_the_game_is_left() {
        let (mut console, _stop) = sit_down("", true).await;
        let (played, screen) = play(&mut console).await;
        played.unwrap();
        assert!(screen.contains("Nothing more can be typed"), "{screen}");
    }

    #[tokio::test]
    async fn the_end_that_the_last_word_brings_about_is_still_shown() {
        let (mut console, _stop) = sit_down("resign\n", true).await;
        let (played, screen) = play(&mut console).await;
        played.unwrap();
        assert!(screen.contains("The game was aborted."), "{screen}");
        assert!(!screen.contains("Nothing more"), "{screen}");
    }

    #[tokio::test]
    async fn a_bot_that_does_not_come_is_not_waited_for_without_end() {
        let (mut console, _stop) = sit_down("", false).await;
        console.arrival = Millis(100);
        let error = play(&mut console).await.0.unwrap_err();
        assert!(error.to_string().contains("has not begun the game"), "{error}");
    }
}
