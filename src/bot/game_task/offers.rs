//! Everything about a game besides its moves: offers, claims, a missing opponent, and chat.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use tracing::{debug, info, warn};

use super::{GameCallResult, GameCommand, GameTask, TaskOutcome, post_mortem, turn::Turn};
use crate::bot::{
    game_task::{
        chat_commands::{self, ChatContext, CommandResult, Persona},
        state::GameState,
    },
    moves::{
        adaptive_level,
        offer_policy::{self, Situation, WinClaim},
    },
    wall_clock::epoch,
};
use sparring_chess::units::Millis;
use sparring_lichess::{
    CallError, Client, Escaped,
    model::{ChatLine, ChatMessage, GameId, Room, Status, UserId},
};
use sparring_personality::ChatEvent;

/// How long a granted takeback may take to show on the board before thinking goes on: so long, or this share of the clock
/// if that is less.
const TAKEBACK_WITHIN: Millis = Millis::from_secs(2);
const TAKEBACK_SHARE: f64 = 0.1;
/// An answer to an offer that got lost is sent again after this time at first, and after twice as long each time.
const ANSWER_AGAIN: Duration = Duration::from_millis(500);
/// And no less often than this.
const ANSWER_SELDOM: Duration = Duration::from_secs(10);
/// A claim that had no effect is made again at the next count that lichess sends, which comes every 5 s.
const BETWEEN_CLAIMS: Duration = Duration::from_millis(4500);
/// Who has just sat down may ask for another opponent, and is then greeted by that one.
const GREETS_AFTER: Duration = Duration::from_secs(1);
/// How long the first thought waits for the chat of before.
const RECALL_WITHIN: Duration = Duration::from_millis(500);
/// With less than this on the clock nothing is waited for.
const SHORT_OF_TIME: Millis = Millis::from_secs(10);
/// So many commands are kept in mind until the chat of before is known.
const MOST_HEEDED: usize = 32;

impl GameTask {
    /// The game is known: says hello, unless it was running before we came.
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
            self.greets_at = Some(Instant::now() + GREETS_AFTER);
        }
        self.recall();
        self.remember();
    }

    /// When to say hello, once it is known that no earlier run of this program has.
    pub(super) fn greets_at(&self) -> Option<Instant> {
        self.greets_at.filter(|_| self.has_recalled)
    }

    /// Says hello when it is time to.
    pub(super) fn poll_greeting(&mut self, now: Instant) {
        if self.greets_at().is_some_and(|at| now >= at) {
            self.greets_at = None;
            if !self.is_over() {
                self.speak(ChatEvent::Greeting);
                self.tell_of_adapting();
            }
        }
    }

    /// Answers a command, unless the greeting that is still to come says the same.
    fn answer(&mut self, command: &chat_commands::ChatCommand, answer: String) {
        let greeting = self.greets_at.and_then(|_| self.line(ChatEvent::Greeting));
        let is_told = greeting.is_some_and(|greeting| match command {
            chat_commands::ChatCommand::Play(name) => *name == self.persona.profile.name,
            chat_commands::ChatCommand::Level(level) => {
                self.persona.level == Some(*level) && greeting.contains(&level.to_string())
            }
            _ => false,
        });
        if !is_told {
            self.chat_queue.answer(answer);
        }
    }

    /// A level that follows the opponent is never hidden from them.
    fn tell_of_adapting(&mut self) {
        let opponent = self.game.as_ref().and_then(|game| game.opponent().id.as_ref());
        let (Some(opponent), Some(level)) = (opponent, self.persona.plays_at()) else {
            return;
        };
        let lead = self.context.opponent_memory.lead(opponent, epoch());
        if let Some(line) = adaptive_level::told(self.settings.play.adapt, level, lead) {
            self.chat_queue.say(line);
        }
    }

    pub(super) fn say_farewell(&mut self) {
        self.chat_queue.drop_answers();
        let Some(game) = &self.game else { return };
        let counted = !matches!(game.status(), Status::Aborted | Status::NoStart);
        let occasion = match game.winner() {
            Some(side) if side == game.my_side() => ChatEvent::Won,
            Some(_) => ChatEvent::Lost,
            None => ChatEvent::Drawn,
        };
        if counted {
            self.speak(occasion);
        }
        if self.persona.explains {
            self.chat_queue.say(post_mortem::summarize(&self.scores));
        }
    }

    fn speak(&mut self, occasion: ChatEvent) {
        if let Some(line) = self.line(occasion) {
            self.chat_queue.say(line);
        }
    }

    /// What the personality says on an occasion. lichess' computer has no ears.
    fn line(&self, occasion: ChatEvent) -> Option<String> {
        let opponent = self.game.as_ref()?.opponent();
        if opponent.ai_level.is_some() || self.persona.quiet {
            return None;
        }
        // Only a name that can be one on lichess is ever said: nobody speaks through us.
        let name = opponent
            .name
            .as_deref()
            .filter(|name| name.parse::<UserId>().is_ok());
        self.persona
            .profile
            .say(occasion, name.unwrap_or("stranger"), self.persona.level)
    }

    pub(super) fn say(&self, line: String) {
        self.call(
            |client, id| async move { GameCallResult::Said(client.say(&id, &Room::Player, &line).await) },
        );
    }

    /// Somebody said something. Only the opponent can ask for anything, and only between the players.
    pub(super) fn on_chat_line(&mut self, line: &ChatLine) {
        let Some(game) = &self.game else { return };
        if line.room != Room::Player || !self.is_opponents(&line.username) || game.is_over() {
            return;
        }
        debug!("{}: {}", Escaped(&line.username), Escaped(&line.text));
        if let Some(command) = chat_commands::read(&line.text).filter(|_| self.settings.chat.commands) {
            let ply = game.line().ply();
            let obeyed = self.obey(&command, &self.persona, game, ply);
            if let (Some(opponent), Some(asked)) = (&game.opponent().id, obeyed.later) {
                self.context.opponent_memory.ask(opponent, asked);
            }
            self.become_asked(obeyed.manner);
            self.answer(&command, obeyed.answer);
            if self.commands_done.len() == MOST_HEEDED {
                self.commands_done.remove(0);
            }
            self.commands_done.push((command, ply));
        }
    }

    /// What comes of a command that was said after so many half moves.
    fn obey(
        &self,
        command: &chat_commands::ChatCommand,
        manner: &Persona,
        game: &GameState,
        ply: usize,
    ) -> CommandResult {
        let scene = ChatContext {
            cast: &self.context.personalities.borrow(),
            offer: &self.settings.chat,
            rated: game.frame().rated,
            ply,
            book: self
                .book
                .as_deref()
                .unwrap_or("I have not played from a book in this game."),
        };
        chat_commands::obey(command, manner, &scene)
    }

    /// Takes on what was asked for, and keeps it for whoever takes the game up after a restart.
    fn become_asked(&mut self, manner: Persona) {
        self.persona = manner;
        if self.record_persona()
            && let Some(opponent) = self.game.as_ref().and_then(|game| game.opponent().id.as_ref())
        {
            self.context.opponent_memory.answered(opponent);
        }
    }

    fn is_opponents(&self, name: &str) -> bool {
        !name.eq_ignore_ascii_case(self.context.me.as_str()) && !name.eq_ignore_ascii_case("lichess")
    }

    /// Asks for what was said before the stream was open: an opponent may be quicker than we are, and a game may have
    /// run long before we came.
    fn recall(&mut self) {
        let may_wait =
            |game: &GameState| may_wait_for_chat(game.line().ply(), game.clocks().map(|clocks| clocks.mine));
        if self.game.as_ref().is_some_and(may_wait) {
            self.recall_due = Some(Instant::now() + RECALL_WITHIN);
        }
        self.call(|client, id| async move { GameCallResult::Recalled(client.chat(&id).await) });
    }

    /// What was asked for before the stream was open counts too, and is answered unless we have said something since: while a
    /// game of days sleeps nobody listens. Nobody is greeted twice.
    pub(super) fn recalled(&mut self, lines: Result<Vec<ChatMessage>, CallError>) {
        self.recall_due = None;
        self.has_recalled = true;
        let lines = lines.unwrap_or_else(|error| {
            debug!("what was said before is not known: {error}");
            Vec::new()
        });
        let Some(game) = &self.game else { return };
        let is_mine = |line: &ChatMessage| line.user.eq_ignore_ascii_case(self.context.me.as_str());
        let last_of_mine = lines.iter().rposition(is_mine);
        let read = |(index, line): (usize, &ChatMessage)| {
            let is_open = last_of_mine.is_none_or(|mine| index > mine);
            let command = chat_commands::read(&line.text)
                .filter(|_| self.settings.chat.commands && self.is_opponents(&line.user));
            command.map(|command| (command, is_open))
        };
        let mut missed: Vec<(chat_commands::ChatCommand, bool)> =
            lines.iter().enumerate().filter_map(read).collect();
        // What the stream has told since it was opened comes last among them, as far as it was said before the answer.
        missed.truncate(missed.len() - overlap(&missed, &self.commands_done));
        // What was granted is kept with the game. Where it is not, the chat does not say whether it was asked for in time.
        let is_settled =
            self.is_resumed || (self.settings.adopted && !chat_commands::is_early(game.line().ply()));
        let mut manner = self.first_persona.clone();
        let mut answers = Vec::new();
        for (command, is_open) in missed {
            if is_settled && !is_open && command.is_about_strength() {
                continue;
            }
            let obeyed = self.obey(&command, &manner, game, game.line().ply());
            manner = obeyed.manner;
            if is_open {
                if let (Some(opponent), Some(asked)) = (&game.opponent().id, obeyed.later) {
                    self.context.opponent_memory.ask(opponent, asked);
                }
                answers.push((command, obeyed.answer));
            }
        }
        // What was granted in time stays granted, however late the rest comes.
        for (command, ply) in &self.commands_done {
            manner = self.obey(command, &manner, game, *ply).manner;
        }
        self.become_asked(manner);
        if last_of_mine.is_some() {
            self.greets_at = None;
        }
        for (command, answer) in answers {
            self.answer(&command, answer);
        }
    }

    pub(super) fn answer_draw(&mut self) {
        let Some(game) = &self.game else { return };
        let scores = self.my_scores();
        let outlook = Situation {
            scores: &scores,
            ply: game.line().ply(),
            rated: game.frame().rated,
            against_bot: game.opponent().is_bot(),
            offered_at: self.offered_at,
        };
        if offer_policy::takes_draw(&self.persona.profile, outlook) {
            self.command(GameCommand::AcceptDraw);
        } else if !game.is_my_turn() {
            // On my turn the move itself is the answer.
            self.speak(ChatEvent::DrawRefused);
        }
    }

    pub(super) fn answer_takeback(&mut self) {
        let Some(game) = &self.game else { return };
        let granted = offer_policy::grants_takeback(&self.persona.profile, game, self.granted_takebacks);
        if granted {
            self.granted_takebacks += 1;
            self.record_flags();
            // A move sent now could meet another position; thinking goes on if nothing comes of the takeback.
            if matches!(self.turn, Turn::Thinking(_)) {
                self.turn = Turn::Open;
            }
            self.held_until = Some(Instant::now() + hold(self.left()).into());
        }
        self.speak(if granted {
            ChatEvent::TakebackGranted
        } else {
            ChatEvent::TakebackRefused
        });
        self.command(GameCommand::Takeback(granted));
    }

    pub(super) fn claim(&mut self) {
        let now = Instant::now();
        let is_early = self.next_claim.is_some_and(|at| now < at);
        if !is_early && self.game.as_ref().and_then(offer_policy::claim).is_some() {
            self.next_claim = Some(now + BETWEEN_CLAIMS);
            self.command(GameCommand::Claim);
        }
    }

    /// Starts or stops waiting for the opponent's first move. Who has days for it may take them.
    pub(super) fn expect_first_move(&mut self) {
        let missing = self
            .game
            .as_ref()
            .is_some_and(|game| game.is_abortable() && !game.is_my_turn() && game.clocks().is_some());
        let within = self.settings.no_show.filter(|_| missing);
        self.no_show_at = within.map(|span| self.heard + span.into());
    }

    pub(super) fn abort_no_show(&mut self, now: Instant) {
        info!("the opponent did not appear, aborting");
        // Once more later, should the abort get lost.
        self.no_show_at = self.settings.no_show.map(|span| now + span.into());
        self.command(GameCommand::Abort);
    }

    /// Nobody knows whether an answer to an offer was heard. Sent blindly once more it might be an offer of our own: so the
    /// board is given some time to show what became of it.
    fn distrust_answer(&mut self, command: GameCommand) {
        if matches!(command, GameCommand::AcceptDraw | GameCommand::Takeback(_)) {
            let pause = (ANSWER_AGAIN * 2_u32.saturating_pow(self.lost_answers)).min(ANSWER_SELDOM);
            self.lost_answers = self.lost_answers.saturating_add(1);
            self.call(|_, _| async move {
                sleep(pause).await;
                GameCallResult::Unheard(command)
            });
        }
    }

    /// Answers an offer that is still on the table.
    pub(super) fn command_again(&mut self, command: GameCommand) {
        let is_open = self.game.as_ref().is_some_and(|game| match command {
            GameCommand::AcceptDraw => game.is_offered_draw(),
            GameCommand::Takeback(_) => game.is_asked_for_takeback(),
            _ => false,
        });
        if is_open && !self.is_over() {
            self.command(command);
        }
    }

    /// Sends a command; its effect comes by the stream.
    pub(super) fn command(&self, command: GameCommand) {
        let claim = self.game.as_ref().and_then(offer_policy::claim);
        self.call(|client, id| async move {
            let answer = send(&client, &id, command, claim).await;
            GameCallResult::Commanded(command, answer)
        });
    }

    pub(super) fn commanded(&mut self, command: GameCommand, answer: Result<(), CallError>) {
        let failed = answer.is_err();
        if matches!(answer, Err(CallError::Transient { .. })) {
            self.distrust_answer(command);
        } else {
            self.lost_answers = 0;
        }
        if let Err(error) = answer {
            warn!("{error}");
            if matches!(error, CallError::Unauthorized { .. }) {
                self.outcome = Some(TaskOutcome::Unauthorized(error));
            }
        }
        if command == GameCommand::GiveUp
            && let Some(error) = self.unplayable.take()
        {
            self.outcome = Some(TaskOutcome::Unplayable(error));
        }
        // The server does not let us go: play on.
        let leaves = matches!(command, GameCommand::Resign | GameCommand::GiveUp);
        if leaves && failed && self.outcome.is_none() && !self.is_over() {
            self.resign_failed = true;
            self.turn = Turn::Open;
        }
    }
}

/// How long thinking waits for a granted takeback to show on the board, with so much time left.
fn hold(left: Option<Millis>) -> Millis {
    let share = left.map(|left| left.scaled(TAKEBACK_SHARE));
    share.map_or(TAKEBACK_WITHIN, |share| share.min(TAKEBACK_WITHIN))
}

/// Whether the first thought may wait for the chat of before, after so many half moves and with so much time left. Only
/// in a game that has just begun it can change who plays; with little time nothing is waited for.
fn may_wait_for_chat(ply: usize, left: Option<Millis>) -> bool {
    chat_commands::is_early(ply) && left.is_none_or(|left| left >= SHORT_OF_TIME)
}

/// How many commands at the end of what was missed are the first of those that were heeded.
fn overlap(
    missed: &[(chat_commands::ChatCommand, bool)],
    heeded: &[(chat_commands::ChatCommand, usize)],
) -> usize {
    let commands = |count: usize| missed[missed.len() - count..].iter().map(|(command, _)| command);
    let most = missed.len().min(heeded.len());
    (0..=most)
        .rev()
        .find(|count| commands(*count).eq(heeded[..*count].iter().map(|(command, _)| command)))
        .unwrap_or(0)
}

async fn send(
    client: &Client,
    id: &GameId,
    command: GameCommand,
    claim: Option<WinClaim>,
) -> Result<(), CallError> {
    match command {
        GameCommand::Abort => client.abort(id).await,
        GameCommand::Resign => client.resign(id).await,
        GameCommand::AcceptDraw => client.draw(id, true).await,
        GameCommand::Takeback(yes) => client.takeback(id, yes).await,
        GameCommand::Claim => match claim {
            Some(WinClaim::Victory) => client.claim_victory(id).await,
            Some(WinClaim::Draw) => client.claim_draw(id).await,
            None => Ok(()),
        },
        // Only young games can be aborted.
        GameCommand::GiveUp => match client.abort(id).await {
            Err(CallError::Rejected { .. }) => client.resign(id).await,
            other => other,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_short_of_time_does_not_wait_long_for_a_takeback() {
        assert_eq!(hold(None), TAKEBACK_WITHIN);
        assert_eq!(hold(Some(Millis::from_secs(60))), TAKEBACK_WITHIN);
        assert_eq!(hold(Some(Millis(1500))), Millis(150));
    }

    #[test]
    fn f44_nobody_who_is_short_of_time_or_far_into_a_game_waits_for_chat() {
        let minute = Some(Millis::from_secs(60));
        assert!(may_wait_for_chat(0, minute) && may_wait_for_chat(3, None));
        assert!(!may_wait_for_chat(4, minute), "it would change nothing");
        assert!(!may_wait_for_chat(1, Some(Millis::from_secs(3))));
    }
}
