//! Who sits down at a game: as the rules say, or as its opponent has asked.

use tracing::info;

use super::{Context, GameTask};
use crate::{
    bot::{
        challenges::{rule_context::RuleContext, rules},
        event_loop::epoch,
        game_task::{
            chat_commands::{self, Persona},
            state::GameState,
        },
        moves::adaptive_level,
    },
    config::{Adapt, Play},
    store::RequestedPersona,
};

impl GameTask {
    /// The game is known, and with it who sits down. Who has sat here before stays: a game of days wakes and a restart comes
    /// under other rules, at another hour and with other numbers of games than it was begun with.
    pub(super) fn seat(&mut self) {
        let Some(game) = &self.game else { return };
        let facts = RuleContext::of_game(game.frame(), game.my_side(), &self.setup.moment);
        let play = rules::casting(&self.setup.rules, &facts, &self.setup.play);
        self.setup.play = if self.is_resumed {
            self.as_begun(play)
        } else {
            self.as_rules_say(play, game, &facts)
        };
        self.manner = manner_of(&self.shared, &self.setup.play);
        self.first_manner = self.manner.clone();
        self.keep_who_plays();
    }

    /// Keeps who plays, and how strong, for whoever takes the game up later. Says whether that was somebody else before.
    pub(super) fn keep_who_plays(&mut self) -> bool {
        let playing = RequestedPersona {
            personality: Some(self.manner.profile.name.clone()),
            level: self.manner.plays_at(),
        };
        let is_another = self.asked != playing;
        if is_another {
            self.asked = playing;
            self.note_favour();
        }
        is_another
    }

    /// The rules say who sits down, unless the opponent of a casual game has asked for somebody.
    fn as_rules_say(&self, mut play: Play, game: &GameState, facts: &RuleContext) -> Play {
        if let Some(rule) = rules::passed_over(&self.setup.rules, facts) {
            info!(
                "the level of {} follows the opponent, and this game is rated: {} plays instead",
                rules::title(&self.setup.rules, rule),
                play.level.map_or_else(
                    || format!("{} as it is", play.personality),
                    |level| format!("level {level}")
                ),
            );
        }
        if !facts.rated {
            let asked = self.asked_for(game, &play, facts);
            if let Some(name) = asked.personality {
                play.personality = name;
                play.level = None;
            }
            play.level = asked.level.or(play.level);
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
        play
    }

    /// Who has played this game goes on, at the same level, whatever rules, settings and files say by now.
    fn as_begun(&self, mut play: Play) -> Play {
        let cast = self.shared.cast.borrow();
        let begun = self
            .asked
            .personality
            .as_ref()
            .filter(|name| cast.remembers(name));
        let name = begun.unwrap_or(&play.personality).clone();
        let own = cast.seated(&name).level;
        if name != play.personality || play.level.or(own) != self.asked.level {
            // Its own level is left to the personality, whose own knobs count beside it.
            play.level = self.asked.level.filter(|level| own != Some(*level));
            play.personality = name;
        }
        play
    }

    /// Whom the opponent of a casual game has asked for in an earlier one, and the level that results have led to.
    fn asked_for(&self, game: &GameState, play: &Play, facts: &RuleContext) -> RequestedPersona {
        // From the third move on both sides know whom they play, even where nothing was kept of the game.
        let is_early = chat_commands::is_early(game.line().ply());
        let Some(opponent) = game.opponent().id.as_ref().filter(|_| is_early) else {
            return RequestedPersona::default();
        };
        let cast = self.shared.cast.borrow();
        let mut asked = self.shared.rivals.asked(opponent);
        // What is not on offer any more is not given any more, whatever was promised.
        let offer = &self.setup.chat;
        asked.personality = asked
            .personality
            .filter(|name| offer.offers(name) && cast.get(name).is_some());
        asked.level = asked.level.filter(|level| offer.offers_level(*level));
        let lead = self.shared.rivals.lead(opponent, epoch());
        if play.adapt == Adapt::Rematches && lead != 0 && asked.level.is_none() {
            let name = asked.personality.as_ref();
            let profile = cast.seated(name.unwrap_or(&play.personality));
            let followed = || profile.follows.and_then(|wish| wish.resolve(facts.meeting()));
            let level = play
                .level
                .filter(|_| name.is_none())
                .or_else(followed)
                .or(profile.level);
            asked.level = level.map(|level| adaptive_level::by_results(level, lead));
        }
        asked
    }
}

/// Who sits down, as settings say.
pub(super) fn manner_of(shared: &Context, play: &Play) -> Persona {
    let cast = shared.cast.borrow();
    let mut profile = cast.seated(&play.personality).clone();
    profile.delay = play.delay.unwrap_or(profile.delay);
    profile.tempo = play.tempo.unwrap_or(profile.tempo);
    Persona {
        level: play.level,
        fast: play.fast,
        ..Persona::of(&profile)
    }
}
