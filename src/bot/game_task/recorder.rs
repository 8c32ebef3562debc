//! Game recorder: archive rows of one game, and its live snapshot.

use super::GameTask;
use crate::{
    bot::{
        game_task::state::GameState, games::live::GameSnapshot, moves::selector::Decision, wall_clock::epoch,
    },
    store::{End, GameRecord, MoveRecord, Thought},
};
use sparring_chess::{GameHistory, Move, units::Millis, write_fen, write_uci};
use sparring_lichess::model::Player;

/// What of a game is in the archive already. No IO.
#[derive(Debug, Default)]
pub(super) struct GameRecorder {
    moves: Vec<Move>,
    /// How my own moves were chosen, by the ply before them.
    thoughts: Vec<(usize, Thought)>,
}

impl GameRecorder {
    /// Records how a move was chosen.
    pub(super) fn record(&mut self, ply: usize, decision: &Decision, think: Millis, pondered: Option<bool>) {
        self.thoughts.retain(|(at, _)| *at < ply);
        let thought = Thought {
            source: decision.source,
            note: decision.why.clone(),
            score: decision.score,
            think,
            grounds: decision.grounds.clone(),
            pondered,
        };
        self.thoughts.push((ply, thought));
    }

    /// How my own moves were chosen, each with the ply before it. The last of them may not be on the board yet.
    pub(super) fn thoughts(&self) -> &[(usize, Thought)] {
        &self.thoughts
    }

    /// Takes on how an earlier run chose its moves.
    pub(super) fn restore_thoughts(&mut self, mut earlier: Vec<(usize, Thought)>) {
        if let Some((first, _)) = self.thoughts.first() {
            earlier.retain(|(ply, _)| ply < first);
        }
        earlier.append(&mut self.thoughts);
        self.thoughts = earlier;
    }

    /// Rows of the moves that are new on the board; `clock` is what the last mover has left.
    fn take_changes(&mut self, line: &GameHistory, clock: Option<Millis>) -> Vec<MoveRecord> {
        let moves = line.moves();
        let same = self
            .moves
            .iter()
            .zip(moves)
            .take_while(|(mine, theirs)| mine == theirs)
            .count();
        let record = |(index, mv): (usize, &Move)| MoveRecord {
            ply: u32::try_from(index + 1).unwrap_or(u32::MAX),
            uci: write_uci(*mv, line.variant()),
            clock: clock.filter(|_| index + 1 == moves.len()),
            thought: self
                .thoughts
                .iter()
                .find(|(ply, _)| *ply == index)
                .map(|(_, thought)| thought.clone()),
        };
        let new = moves.iter().enumerate().skip(same).map(record).collect();
        self.moves = moves.to_vec();
        new
    }
}

impl GameTask {
    /// Records the game itself, once its persona is known.
    pub(super) fn record_game(&self) {
        if let Some(game) = &self.game {
            self.context.store.game(self.record_of(game));
        }
    }

    /// Records the moves that are new on the board.
    pub(super) fn record_moves(&mut self) {
        let Some(game) = &self.game else { return };
        let clock = game.clocks().map(|clocks| {
            if game.line().turn() == game.my_side().into() {
                clocks.theirs
            } else {
                clocks.mine
            }
        });
        for record in self.recorder.take_changes(game.line(), clock) {
            self.context.store.record_move(game.id().clone(), record);
        }
    }

    /// Publishes how the game stands, for the dashboard.
    pub(super) fn publish_snapshot(&self) {
        let Some(game) = &self.game else { return };
        let (frame, opponent) = (game.frame(), game.opponent());
        self.place.show(GameSnapshot {
            opponent: opponent.display_name(),
            rating: opponent.rating,
            is_bot: opponent.is_bot(),
            side: game.my_side(),
            variant: frame.variant.key.clone(),
            speed: frame.speed.key().to_owned(),
            rated: frame.rated,
            personality: self.persona.profile.name.clone(),
            level: self.persona.level,
            fen: write_fen(game.line().position()),
            last: game
                .line()
                .moves()
                .last()
                .map(|mv| write_uci(*mv, game.line().variant())),
            plies: game.line().ply(),
            clocks: game.clocks().map(|clocks| (clocks.mine, clocks.theirs)),
            seen: self.heard,
        });
    }

    fn record_of(&self, game: &GameState) -> GameRecord {
        let frame = game.frame();
        let opponent: &Player = game.opponent();
        let end = game.is_over().then(|| End {
            at: epoch(),
            status: game.status().name().to_owned(),
            winner: game.winner(),
            moves: game.line().uci_moves(),
        });
        GameRecord {
            id: game.id().clone(),
            began: began(game),
            side: game.my_side(),
            opponent: opponent.id.clone(),
            name: opponent.display_name(),
            is_bot: opponent.is_bot(),
            rating: opponent.rating,
            own_rating: frame.player(game.my_side()).rating,
            rated: frame.rated,
            variant: frame.variant.key.clone(),
            speed: frame.speed.key().to_owned(),
            clock: frame.clock.map(|clock| (clock.initial, clock.increment)),
            days: frame.days_per_turn,
            start: frame.initial_fen.clone(),
            personality: self.persona.profile.name.clone(),
            level: self.persona.level,
            played: self.persona.plays_at(),
            account: frame.player(game.my_side()).name.clone(),
            end,
        }
    }
}

/// When a game began, since 1970.
pub(super) fn began(game: &GameState) -> Millis {
    match game.frame().created_at {
        0 => epoch(),
        created_at => Millis(created_at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::Variant;

    fn line(moves: &str) -> GameHistory {
        GameHistory::replay(Variant::Standard, "startpos", moves).unwrap()
    }

    #[test]
    fn each_move_is_told_once_and_again_after_a_takeback() {
        let mut chronicle = GameRecorder::default();
        let mut told = |moves: &str| {
            let news = chronicle.take_changes(&line(moves), Some(Millis(7)));
            let told =
                |record: &MoveRecord| format!("{}{}{}", record.ply, record.uci, record.clock.is_some());
            news.iter().map(told).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(told("e2e4"), "1e2e4true");
        assert_eq!(told("e2e4"), "");
        assert_eq!(told("e2e4 e7e5 g1f3"), "2e7e5false 3g1f3true", "a state was lost");
        assert_eq!(told("e2e4"), "");
        assert_eq!(told("e2e4 c7c5"), "2c7c5true");
    }

    #[test]
    fn a_thought_goes_with_the_move_it_led_to() {
        let mut chronicle = GameRecorder::default();
        let mv = line("e2e4").moves()[0];
        chronicle.record(0, &Decision::play(mv, "old"), Millis(1), None);
        chronicle.record(0, &Decision::play(mv, "script"), Millis(5), None);
        let news = chronicle.take_changes(&line("e2e4 e7e5"), None);
        let notes: Vec<_> = news
            .iter()
            .map(|record| record.thought.as_ref().map(|thought| thought.note.as_str()))
            .collect();
        assert_eq!(notes, [Some("script"), None]);
    }
}
