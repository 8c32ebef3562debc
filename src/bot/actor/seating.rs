//! Who sits down at a game: as the rules say, or as its opponent has asked.

use tracing::info;

use super::{Actor, Shared};
use crate::{
    bot::{
        adapt,
        chat::{self, Manner},
        facts::Facts,
        game::Game,
        rules,
    },
    config::{Adapt, Play},
    store::Asked,
};

impl Actor {
    /// The game is known: the rules say who sits down, unless the opponent has asked for somebody.
    pub(super) fn seat(&mut self) {
        let Some(game) = &self.game else { return };
        let facts = Facts::of_game(game.frame(), game.my_side(), &self.setup.moment);
        let mut play = rules::casting(&self.setup.rules, &facts, &self.setup.play);
        if let Some(rule) = rules::passed_over(&self.setup.rules, &facts) {
            info!(
                "the level of {} follows the opponent, and this game is rated: {} plays instead",
                rules::title(&self.setup.rules, rule),
                play.level.map_or_else(
                    || format!("{} as it is", play.personality),
                    |level| format!("level {level}")
                ),
            );
        }
        if facts.rated {
            play = self.as_begun(play);
        } else {
            self.asked = self.asked_for(game, &play, &facts);
            // Whoever was asked for in an earlier run may have gone since.
            let cast = self.shared.cast.borrow();
            self.asked.personality.take_if(|name| !cast.remembers(name));
            drop(cast);
            if let Some(name) = &self.asked.personality {
                play.personality.clone_from(name);
                play.level = None;
            }
            play.level = self.asked.level.or(play.level);
        }
        if play.level.is_none() {
            let cast = self.shared.cast.borrow();
            let follows = cast.seated(&play.personality).follows;
            play.level = follows.and_then(|wish| wish.resolve(facts.meeting()));
            if let Some(wish) = follows.filter(|_| facts.rated) {
                info!(
                    "the level of {} follows the opponent, and this game is rated: it is {}",
                    play.personality,
                    wish.otherwise()
                );
            }
        }
        self.setup.play = play;
        self.manner = manner_of(&self.shared, &self.setup.play);
        self.first_manner = self.manner.clone();
        if self.asked != Asked::default() {
            self.note_favour();
        }
    }

    /// A rated game goes on as it was begun, whatever settings and files say after a restart: who plays, at which level. Both are
    /// kept where casual games keep what was asked for.
    fn as_begun(&mut self, mut play: Play) -> Play {
        let cast = self.shared.cast.borrow();
        let begun = std::mem::take(&mut self.asked);
        if let Some(name) = begun.personality.as_ref().filter(|name| cast.remembers(name)) {
            play.personality.clone_from(name);
        }
        let level = |play: &Play| play.level.or(cast.seated(&play.personality).level);
        // One that is the same is left to the personality, whose own knobs count beside it.
        if begun.personality.is_some() && level(&play) != begun.level {
            play.level = begun.level;
        }
        self.asked = Asked {
            personality: Some(play.personality.clone()),
            level: level(&play),
        };
        play
    }

    /// Whom the opponent of a casual game has asked for, in it or before, and the level that results have led to.
    fn asked_for(&self, game: &Game, play: &Play, facts: &Facts) -> Asked {
        let Some(opponent) = &game.opponent().id else {
            return self.asked.clone();
        };
        // What was settled when the game began stays.
        if self.asked != Asked::default() || !chat::is_early(game.line().ply()) {
            return self.asked.clone();
        }
        let cast = self.shared.cast.borrow();
        let mut asked = self.shared.rivals.asked(opponent);
        asked.personality = asked.personality.filter(|name| cast.get(name).is_some());
        let lead = self.shared.rivals.lead(opponent);
        if play.adapt == Adapt::Rematches && lead != 0 && asked.level.is_none() {
            let name = asked.personality.as_ref();
            let profile = cast.seated(name.unwrap_or(&play.personality));
            let followed = || profile.follows.and_then(|wish| wish.resolve(facts.meeting()));
            let level = play
                .level
                .filter(|_| name.is_none())
                .or_else(followed)
                .or(profile.level);
            asked.level = level.map(|level| adapt::by_results(level, lead));
        }
        asked
    }
}

/// Who sits down, as settings say.
pub(super) fn manner_of(shared: &Shared, play: &Play) -> Manner {
    let cast = shared.cast.borrow();
    let mut profile = cast.seated(&play.personality).clone();
    profile.delay = play.delay.unwrap_or(profile.delay);
    profile.tempo = play.tempo.unwrap_or(profile.tempo);
    Manner {
        level: play.level,
        fast: play.fast,
        ..Manner::of(&profile)
    }
}
