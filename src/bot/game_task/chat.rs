//! Chat of one game: the greeting, the farewell, commands of the opponent, and the chat history.

use std::time::Duration;

use tokio::time::Instant;
use tracing::{debug, info};

use super::{
    GameCallResult, GameTask,
    chat_commands::{self, ChatCommand, ChatContext, CommandResult, Persona},
    chat_queue::ChatQueue,
    post_mortem,
    spectators::SpectatorChat,
    state::GameState,
};
use crate::bot::{moves::adaptive_level, wall_clock::epoch};
use sparring_chess::units::Millis;
use sparring_lichess::{
    CallError, Escaped,
    model::{ChatLine, ChatMessage, Room, Status, UserId},
};
use sparring_personality::{ChatEvent, ChatNames, strength::Strength};

/// The greeting waits so long: the opponent may ask for another personality at once, which greets them then.
const GREETING_DELAY: Duration = Duration::from_secs(1);
/// How long the first search waits for the chat history.
const HISTORY_WITHIN: Duration = Duration::from_millis(500);
/// With less than this on the clock no search waits for it.
const SHORT_OF_TIME: Millis = Millis::from_secs(10);
/// So many commands are kept until the chat history is known; a flood keeps its newest.
const COMMANDS_KEPT: usize = 32;

/// The chat of one game.
pub(super) struct GameChat {
    queue: ChatQueue,
    /// When the opponent is greeted, unless an earlier run did.
    greets_at: Option<Instant>,
    /// The first search waits for the chat history until then.
    history_due: Option<Instant>,
    /// Whether the chat history is known, or cannot be known.
    has_history: bool,
    /// Commands of the opponent since the stream was opened, in order, each with its ply.
    commands: Vec<(ChatCommand, usize)>,
    /// The answer to `!book`.
    last_book_move: Option<String>,
    pub(super) spectators: SpectatorChat,
}

impl GameChat {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            queue: ChatQueue::new(now),
            greets_at: None,
            history_due: None,
            has_history: false,
            commands: Vec::new(),
            last_book_move: None,
            spectators: SpectatorChat::new(now),
        }
    }

    /// Whether everything is said.
    pub(super) fn is_done(&self) -> bool {
        self.queue.is_done() && self.spectators.queue.is_done()
    }

    /// Whether the greeting is still to come.
    pub(super) fn has_greeting(&self) -> bool {
        self.greets_at.is_some()
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        [self.due_greeting(), self.history_due, self.queue.next_deadline()]
            .into_iter()
            .flatten()
            .min()
    }

    /// The last line to a room was sent, or is lost.
    pub(super) fn line_sent(&mut self, room: &Room) {
        match room {
            Room::Spectator => self.spectators.queue.sent(),
            Room::Player | Room::Other(_) => self.queue.sent(),
        }
    }

    /// Whether the first search waits for the chat history.
    pub(super) fn waits_for_history(&mut self, now: Instant) -> bool {
        self.history_due = self.history_due.filter(|due| now < *due);
        self.history_due.is_some()
    }

    pub(super) fn set_book_move(&mut self, said: String) {
        self.last_book_move = Some(said);
    }

    /// Takes on what an earlier run played from a book, unless this one has played from it too.
    pub(super) fn restore_book_move(&mut self, said: Option<String>) {
        self.last_book_move = self.last_book_move.take().or(said);
    }

    /// When to greet, once the chat history shows that no earlier run did.
    fn due_greeting(&self) -> Option<Instant> {
        self.greets_at.filter(|_| self.has_history)
    }
}

impl GameTask {
    /// Begins a game once its first line is known: schedules the greeting, asks for chat and moves of before.
    pub(super) fn begin(&mut self) {
        let Some(game) = self.game.as_ref().filter(|game| !game.is_over()) else {
            return;
        };
        self.saw_running = true;
        let frame = game.frame();
        info!(
            "{} {} {} against {}",
            if frame.rated { "rated" } else { "casual" },
            frame.speed,
            Escaped(&frame.variant.key),
            Escaped(&game.opponent().display_name()),
        );
        if game.line().ply() < 2 {
            self.chat.greets_at = Some(Instant::now() + GREETING_DELAY);
        }
        self.request_chat_history();
        self.request_moves();
    }

    /// Greets when it is due, and sends the next line that the rate limit allows.
    pub(super) fn poll_chat(&mut self, now: Instant) {
        if self.chat.due_greeting().is_some_and(|at| now >= at) {
            self.chat.greets_at = None;
            if !self.is_over() {
                self.speak(ChatEvent::Greeting);
                self.tell_of_adapting();
                self.tell_spectators(ChatEvent::SpectatorsGreeting);
            }
        }
        if let Some(line) = self.chat.queue.next(now, &self.context.chat_rate_limit) {
            self.say(Room::Player, line);
        }
        self.poll_spectators(now);
    }

    /// Answers a command, unless the greeting that is still to come says the same.
    fn answer(&mut self, command: &ChatCommand, answer: String) {
        let greeting = self.chat.greets_at.and_then(|_| self.line(ChatEvent::Greeting));
        let is_said = greeting.is_some_and(|greeting| match command {
            ChatCommand::Play(name) => *name == self.persona.profile.name,
            ChatCommand::Level(level) => {
                self.persona.level == Some(*level) && greeting.contains(&level.to_string())
            }
            _ => false,
        });
        if !is_said {
            self.chat.queue.answer(answer);
        }
    }

    /// Tells the opponent of a level that follows their results.
    fn tell_of_adapting(&mut self) {
        let opponent = self.game.as_ref().and_then(|game| game.opponent().id.as_ref());
        let (Some(opponent), Some(level)) = (opponent, self.persona.plays_at()) else {
            return;
        };
        let lead = self.context.opponent_memory.lead(opponent, epoch());
        if let Some(line) = adaptive_level::told(self.play.adapt, level, lead) {
            self.chat.queue.say(line);
        }
    }

    /// Says the farewell, and where the game turned.
    pub(super) fn say_farewell(&mut self) {
        self.chat.queue.drop_answers();
        let Some(game) = &self.game else { return };
        let counted = !matches!(game.status(), Status::Aborted | Status::NoStart);
        let event = match game.winner() {
            Some(side) if side == game.my_side() => ChatEvent::Won,
            Some(_) => ChatEvent::Lost,
            None => ChatEvent::Drawn,
        };
        if counted {
            self.speak(event);
            self.tell_spectators(ChatEvent::SpectatorsFarewell);
        }
        if self.persona.explains {
            self.chat.queue.say(post_mortem::summarize(&self.scores));
        }
    }

    pub(super) fn speak(&mut self, event: ChatEvent) {
        if let Some(line) = self.line(event) {
            self.chat.queue.say(line);
        }
    }

    /// What the personality says at an event; nothing to lichess' computer.
    pub(super) fn line(&self, event: ChatEvent) -> Option<String> {
        let opponent = self.game.as_ref()?.opponent();
        if opponent.ai_level.is_some() || self.persona.quiet {
            return None;
        }
        // Only a valid lichess name is repeated: nobody puts words into our mouth.
        let name = opponent
            .name
            .as_deref()
            .filter(|name| name.parse::<UserId>().is_ok());
        let profile = &self.persona.profile;
        let names = ChatNames {
            opponent: name.unwrap_or("stranger"),
            me: &profile.title,
            strength: Strength::of(profile, self.persona.level),
        };
        profile.chat.line(event, names)
    }

    pub(super) fn say(&self, room: Room, line: String) {
        self.call(|client, id| async move {
            let answer = client.post_chat(&id, &room, &line).await;
            GameCallResult::Said(room, answer)
        });
    }

    /// Handles a line of chat. Only the opponent can give commands that change anything, and only in the players' room.
    pub(super) fn on_chat_line(&mut self, line: &ChatLine) {
        let Some(game) = &self.game else { return };
        if line.room == Room::Spectator {
            return self.on_spectator_line(line, Instant::now());
        }
        if line.room != Room::Player || !self.is_opponents(&line.username) || game.is_over() {
            return;
        }
        debug!("{}: {}", Escaped(&line.username), Escaped(&line.text));
        if let Some(command) = chat_commands::read(&line.text).filter(|_| self.settings.config.chat.commands)
        {
            let ply = game.line().ply();
            let result = self.run_command(&command, &self.persona, game, ply);
            if let (Some(opponent), Some(asked)) = (&game.opponent().id, result.later) {
                self.context.opponent_memory.ask(opponent, asked);
            }
            self.set_persona(result.persona);
            self.answer(&command, result.answer);
            if self.chat.commands.len() == COMMANDS_KEPT {
                self.chat.commands.remove(0);
            }
            self.chat.commands.push((command, ply));
        }
    }

    /// What comes of a command given at this ply.
    fn run_command(
        &self,
        command: &ChatCommand,
        persona: &Persona,
        game: &GameState,
        ply: usize,
    ) -> CommandResult {
        let context = ChatContext {
            personalities: &self.context.personalities.borrow(),
            offer: &self.settings.config.chat,
            rated: game.frame().rated,
            ply,
            book: self
                .chat
                .last_book_move
                .as_deref()
                .unwrap_or("I have not played from a book in this game."),
        };
        chat_commands::run(command, persona, &context)
    }

    /// Plays on as this persona, and records it for the next run.
    fn set_persona(&mut self, persona: Persona) {
        self.persona = persona;
        if self.record_persona()
            && let Some(opponent) = self.game.as_ref().and_then(|game| game.opponent().id.as_ref())
        {
            self.context.opponent_memory.answered(opponent);
        }
    }

    fn is_opponents(&self, name: &str) -> bool {
        !name.eq_ignore_ascii_case(self.context.me.as_str()) && !name.eq_ignore_ascii_case("lichess")
    }

    /// Asks for the chat before the stream was open: the opponent may have been quicker, and the game may be an old one.
    fn request_chat_history(&mut self) {
        let may_wait =
            |game: &GameState| may_wait_for_chat(game.line().ply(), game.clocks().map(|clocks| clocks.mine));
        if self.game.as_ref().is_some_and(may_wait) {
            self.chat.history_due = Some(Instant::now() + HISTORY_WITHIN);
        }
        self.call(|client, id| async move { GameCallResult::ChatHistory(client.chat_history(&id).await) });
    }

    /// Handles the chat history. Its commands count too, and are answered unless we have said something since: nobody reads
    /// the chat of a parked game. Nobody is greeted twice.
    pub(super) fn on_chat_history(&mut self, lines: Result<Vec<ChatMessage>, CallError>) {
        self.chat.history_due = None;
        self.chat.has_history = true;
        let lines = lines.unwrap_or_else(|error| {
            debug!("the chat history is not known: {error}");
            Vec::new()
        });
        let Some(game) = &self.game else { return };
        let is_mine = |line: &ChatMessage| line.user.eq_ignore_ascii_case(self.context.me.as_str());
        let last_of_mine = lines.iter().rposition(is_mine);
        let read = |(index, line): (usize, &ChatMessage)| {
            let is_open = last_of_mine.is_none_or(|mine| index > mine);
            let command = chat_commands::read(&line.text)
                .filter(|_| self.settings.config.chat.commands && self.is_opponents(&line.user));
            command.map(|command| (command, is_open))
        };
        let mut missed: Vec<(ChatCommand, bool)> = lines.iter().enumerate().filter_map(read).collect();
        // The last of them may have come by the stream as well.
        missed.truncate(missed.len() - overlap(&missed, &self.chat.commands));
        // The archive has what was granted. Where it has not, the chat does not say whether a command came in time.
        let is_settled =
            self.is_resumed || (self.settings.adopted && !chat_commands::is_early(game.line().ply()));
        let mut persona = self.first_persona.clone();
        let mut answers = Vec::new();
        for (command, is_open) in missed {
            if is_settled && !is_open && command.is_about_strength() {
                continue;
            }
            let result = self.run_command(&command, &persona, game, game.line().ply());
            persona = result.persona;
            if is_open {
                if let (Some(opponent), Some(asked)) = (&game.opponent().id, result.later) {
                    self.context.opponent_memory.ask(opponent, asked);
                }
                answers.push((command, result.answer));
            }
        }
        // What was granted in time stays granted.
        for (command, ply) in &self.chat.commands {
            persona = self.run_command(command, &persona, game, *ply).persona;
        }
        self.set_persona(persona);
        if last_of_mine.is_some() {
            self.chat.greets_at = None;
        }
        for (command, answer) in answers {
            self.answer(&command, answer);
        }
    }
}

/// Whether the first search may wait for the chat history, at this ply and with so much time left. Only at the start of a
/// game can it change who plays.
fn may_wait_for_chat(ply: usize, left: Option<Millis>) -> bool {
    chat_commands::is_early(ply) && left.is_none_or(|left| left >= SHORT_OF_TIME)
}

/// How many commands at the end of the history are the first of those that came by the stream.
fn overlap(missed: &[(ChatCommand, bool)], seen: &[(ChatCommand, usize)]) -> usize {
    let commands = |count: usize| missed[missed.len() - count..].iter().map(|(command, _)| command);
    let most = missed.len().min(seen.len());
    (0..=most)
        .rev()
        .find(|count| commands(*count).eq(seen[..*count].iter().map(|(command, _)| command)))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f44_nobody_who_is_short_of_time_or_far_into_a_game_waits_for_chat() {
        let minute = Some(Millis::from_secs(60));
        assert!(may_wait_for_chat(0, minute) && may_wait_for_chat(3, None));
        assert!(!may_wait_for_chat(4, minute), "it would change nothing");
        assert!(!may_wait_for_chat(1, Some(Millis::from_secs(3))));
    }
}
