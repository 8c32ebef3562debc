//! Words with the spectators of one game: a greeting, a farewell, and answers about the bot's last move on the board.
//!
//! All of it goes to the spectators' room. The players never read that room while the game runs.

use tokio::time::Instant;

use super::{
    GameTask,
    chat_queue::ChatQueue,
    post_mortem::score_in_words,
    turn::{numbered, origin},
};
use crate::{
    bot::game_task::state::GameState,
    store::{MoveExplanation, MoveSource, Thought},
};
use sparring_chess::{Color, GameHistory, Rules as _, units::Millis};
use sparring_lichess::{
    model::{ChatLine, Room},
    retry::SlidingWindow,
};
use sparring_personality::{ChatEvent, chat_lines::LONGEST_LINE};

/// The most answers to the spectators of one game within a minute.
const ANSWERS_A_MINUTE: usize = 3;
/// The most answers to the spectators of one game.
const ANSWERS_A_GAME: usize = 30;

/// A spectator's command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpectatorCommand {
    /// Which commands are there?
    Help,
    /// How did the bot see itself after its last move?
    Eval,
    /// Which line did it expect with its last move?
    Pv,
    /// Which book did its last book move come from?
    Book,
}

/// Parses a line of the spectators' room; `None` if it is no command of theirs.
fn read(text: &str) -> Option<SpectatorCommand> {
    match text.trim().to_ascii_lowercase().as_str() {
        "!help" => Some(SpectatorCommand::Help),
        "!eval" => Some(SpectatorCommand::Eval),
        "!pv" => Some(SpectatorCommand::Pv),
        "!book" => Some(SpectatorCommand::Book),
        _ => None,
    }
}

/// The spectators' room of one game.
pub(super) struct SpectatorChat {
    pub(super) queue: ChatQueue,
    began: Instant,
    last_minute: SlidingWindow,
    answers: usize,
}

impl SpectatorChat {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            queue: ChatQueue::new(now),
            began: now,
            last_minute: SlidingWindow::new(ANSWERS_A_MINUTE, Millis::from_secs(60)),
            answers: 0,
        }
    }

    /// Whether another answer is allowed now. It counts as given. What is asked beyond the limits gets no answer: a later
    /// one would be about another move.
    fn may_answer(&mut self, now: Instant) -> bool {
        let now = Millis::from(now.saturating_duration_since(self.began));
        if self.answers >= ANSWERS_A_GAME || self.last_minute.wait(now) > Millis::ZERO {
            return false;
        }
        self.answers += 1;
        self.last_minute.record(now);
        true
    }
}

impl GameTask {
    /// Handles a line of the spectators' room. The players themselves are not answered there, and with them no other bot:
    /// lichess lets bots speak in their own games alone.
    pub(super) fn on_spectator_line(&mut self, line: &ChatLine, now: Instant) {
        let Some(game) = self.game.as_ref().filter(|game| !game.is_over()) else {
            return;
        };
        if !self.settings.config.chat.spectators
            || !is_spectators(&line.username, game, self.context.me.as_str())
        {
            return;
        }
        let Some(command) = read(&line.text) else { return };
        let thoughts = self.recorder.thoughts();
        let answer = answer(command, game.line(), game.my_side().into(), thoughts);
        if self.chat.spectators.may_answer(now) && self.context.spectator_rate_limit.draw(now).is_ok() {
            self.chat.spectators.queue.say(answer);
        }
    }

    /// Says to the spectators what the personality says to them at an event.
    pub(super) fn tell_spectators(&mut self, event: ChatEvent) {
        if self.settings.config.chat.spectators
            && let Some(line) = self.line(event)
        {
            self.chat.spectators.queue.say(line);
        }
    }

    /// Sends the next line to the spectators.
    pub(super) fn poll_spectators(&mut self, now: Instant) {
        let limit = &self.context.spectator_rate_limit;
        if let Some(line) = self.chat.spectators.queue.next(now, limit) {
            self.say(Room::Spectator, line);
        }
    }
}

/// Whether a spectator wrote this: neither player. False while the opponent's name is unknown.
fn is_spectators(name: &str, game: &GameState, me: &str) -> bool {
    let opponent = game.opponent();
    let Some(id) = &opponent.id else { return false };
    let players = [
        Some(me),
        Some(id.as_str()),
        opponent.name.as_deref(),
        Some("lichess"),
        Some(""),
    ];
    !players
        .into_iter()
        .flatten()
        .any(|player| player.eq_ignore_ascii_case(name))
}

/// The answer to a command, about moves that are on the board.
fn answer(command: SpectatorCommand, line: &GameHistory, me: Color, thoughts: &[(usize, Thought)]) -> String {
    let thought_at = |ply: usize| {
        thoughts
            .iter()
            .find(|(at, _)| *at == ply)
            .map(|(_, thought)| thought)
    };
    let last = last_ply(line, me);
    let text = match (command, last) {
        (SpectatorCommand::Help, _) => {
            "About my last move I answer !eval (how I saw myself), !pv (the line I expected) and !book."
                .to_owned()
        }
        (_, None) => "I have not moved yet.".to_owned(),
        (SpectatorCommand::Book, Some(last)) => (0..=last)
            .rev()
            .find_map(|ply| {
                let grounds = thought_at(ply)?.grounds.as_ref()?;
                origin(grounds, &said_at(line, ply).1)
            })
            .unwrap_or_else(|| "I have not played from a book in this game.".to_owned()),
        (SpectatorCommand::Eval | SpectatorCommand::Pv, Some(ply)) => {
            let (before, said) = said_at(line, ply);
            let thought = thought_at(ply);
            let seen = thought.and_then(|thought| match &thought.grounds {
                Some(MoveExplanation::Search(search)) => search.lines.first(),
                _ => None,
            });
            match (command, thought, seen) {
                (SpectatorCommand::Pv, _, Some(seen)) if !seen.san.is_empty() => {
                    format!(
                        "With my last move I expected {}.",
                        numbered_line(&before, &seen.san)
                    )
                }
                (
                    SpectatorCommand::Eval,
                    Some(Thought {
                        source,
                        score: Some(score),
                        ..
                    }),
                    _,
                ) => {
                    let depth = match source {
                        MoveSource::Engine { depth, .. } => format!(", at depth {}", depth.0),
                        MoveSource::Book | MoveSource::Online | MoveSource::Other => String::new(),
                    };
                    format!(
                        "With my last move, {said}, I saw myself at {}{depth}.",
                        score_in_words(*score)
                    )
                }
                (
                    _,
                    Some(Thought {
                        source: MoveSource::Book,
                        ..
                    }),
                    _,
                ) => {
                    format!("My last move, {said}, came from a book. I have not calculated it.")
                }
                _ => format!("I have no calculation of my last move, {said}."),
            }
        }
    };
    text.chars().take(LONGEST_LINE).collect()
}

/// The ply before a side's last move on the board.
fn last_ply(line: &GameHistory, side: Color) -> Option<usize> {
    line.ply().checked_sub(if line.turn() == side { 2 } else { 1 })
}

/// The game before the move at a ply, and this move with its number.
fn said_at(line: &GameHistory, ply: usize) -> (GameHistory, String) {
    let mut before = GameHistory::from_position(line.variant(), line.start().clone());
    for mv in &line.moves()[..ply] {
        before.play(*mv);
    }
    let said = numbered(&before, line.moves()[ply]);
    (before, said)
}

/// Moves in SAN with their numbers, as in `12. Nf3 Nc6 13. Bb5`.
fn numbered_line(before: &GameHistory, san: &[String]) -> String {
    let pos = before.position();
    let is_white = pos.turn() == Color::White;
    let words = san.iter().enumerate().map(|(index, mv)| {
        let half = index + usize::from(!is_white);
        let number = pos.fullmoves().get() as usize + half / 2;
        match (half % 2, index) {
            (0, _) => format!("{number}. {mv}"),
            (_, 0) => format!("{number}... {mv}"),
            _ => mv.clone(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::store::{BookChance, BookChoice, PvLine, ScoreJson, SearchExplanation};
    use sparring_chess::{
        Variant,
        units::{Centipawns, Depth, Nodes},
    };
    use sparring_engine::Score;

    fn line(moves: &str) -> GameHistory {
        GameHistory::replay(Variant::Standard, "startpos", moves).unwrap()
    }

    fn searched(cp: i32, pv: &[&str]) -> Thought {
        Thought {
            source: MoveSource::Engine {
                depth: Depth(14),
                nodes: Nodes(9000),
            },
            note: String::new(),
            score: Some(Score::Cp(Centipawns(cp))),
            think: Millis::ZERO,
            grounds: Some(MoveExplanation::Search(SearchExplanation {
                lines: vec![PvLine {
                    score: ScoreJson::Cp(cp),
                    san: pv.iter().map(|&san| san.to_owned()).collect(),
                }],
                people: None,
            })),
            pondered: None,
        }
    }

    fn from_book(san: &str) -> Thought {
        Thought {
            source: MoveSource::Book,
            score: None,
            grounds: Some(MoveExplanation::Book(BookChoice {
                at: "books/main.book:7".to_owned(),
                note: None,
                moves: vec![BookChance {
                    san: san.to_owned(),
                    permille: 300,
                }],
            })),
            ..searched(0, &[])
        }
    }

    #[test]
    fn answers_are_about_the_last_move_on_the_board_and_never_about_the_one_to_come() {
        let thoughts = [
            (1, from_book("e5")),
            (3, searched(-42, &["Nc6", "Bb5", "a6"])),
            (5, searched(900, &["Bc5"])),
        ];
        // The move of ply 5 is chosen, and not yet on the board.
        let game = line("e2e4 e7e5 g1f3 b8c6 f1c4");
        let ask = |command| answer(command, &game, Color::Black, &thoughts);
        assert_eq!(
            ask(SpectatorCommand::Eval),
            "With my last move, 2... Nc6, I saw myself at -0.4, at depth 14."
        );
        assert_eq!(
            ask(SpectatorCommand::Pv),
            "With my last move I expected 2... Nc6 3. Bb5 a6."
        );
        assert_eq!(
            ask(SpectatorCommand::Book),
            "My last book move was 1... e5, from the book main, line 7, where 30% of my games go this way."
        );
        let shown = line("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5");
        assert!(answer(SpectatorCommand::Eval, &shown, Color::Black, &thoughts).contains("3... Bc5"));
    }

    #[test]
    fn what_was_not_calculated_is_told_so() {
        let ask =
            |command, moves: &str, thoughts: &[_]| answer(command, &line(moves), Color::White, thoughts);
        assert_eq!(ask(SpectatorCommand::Eval, "", &[]), "I have not moved yet.");
        assert_eq!(
            ask(SpectatorCommand::Pv, "e2e4", &[(0, from_book("e4"))]),
            "My last move, 1. e4, came from a book. I have not calculated it."
        );
        assert_eq!(
            ask(SpectatorCommand::Eval, "e2e4 e7e5", &[]),
            "I have no calculation of my last move, 1. e4."
        );
        assert_eq!(
            ask(SpectatorCommand::Book, "e2e4", &[(0, searched(10, &["e4"]))]),
            "I have not played from a book in this game."
        );
    }

    #[test]
    fn the_longest_line_of_a_search_fits_a_line_of_chat() {
        let thoughts = [(0, searched(10, &["Qa1xb2+"; 8]))];
        let said = answer(SpectatorCommand::Pv, &line("e2e4"), Color::White, &thoughts);
        assert!(said.ends_with("Qa1xb2+."), "{said}");
    }

    #[test]
    fn commands_are_exact_words_and_nothing_else_is_answered() {
        for (text, command) in [
            (" !EVAL ", Some(SpectatorCommand::Eval)),
            ("!pv", Some(SpectatorCommand::Pv)),
            ("!level 1400", None),
            ("!eval please", None),
            ("eval", None),
        ] {
            assert_eq!(read(text), command, "{text:?}");
        }
    }

    #[tokio::test]
    async fn f32_spectators_get_three_answers_a_minute_and_thirty_a_game() {
        let begin = Instant::now();
        let mut room = SpectatorChat::new(begin);
        let mut answered = |from: u64, to: u64| {
            let asked = (from..to).filter(|second| room.may_answer(begin + Duration::from_secs(*second)));
            asked.count()
        };
        assert_eq!(answered(0, 60), 3);
        assert_eq!(answered(60, 120), 3);
        assert_eq!(answered(120, 7200), 24);
    }
}
