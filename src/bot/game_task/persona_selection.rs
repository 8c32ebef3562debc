//! Who sits down at a game: as the rules say, or as its opponent has asked.

use tracing::info;

use super::{Context, GameTask};
use crate::{
    bot::{
        challenges::{rule_context::RuleContext, rules},
        game_task::{
            chat_commands::{self, Persona},
            state::GameState,
        },
        moves::adaptive_level,
        wall_clock::epoch,
    },
    config::{Adapt, Play},
    store::RequestedPersona,
};

impl GameTask {
    /// The game is known, and with it who sits down. Who has sat here before stays: a game of days wakes and a restart comes
    /// under other rules, at another hour and with other numbers of games than it was begun with.
    pub(super) fn select_persona(&mut self) {
        let Some(game) = &self.game else { return };
        let facts = RuleContext::of_game(game.frame(), game.my_side(), &self.settings.local_context);
        let play = rules::casting(&self.settings.rules, &facts, &self.settings.play);
        self.settings.play = if self.is_resumed {
            self.as_begun(play)
        } else {
            self.as_rules_say(play, game, &facts)
        };
        self.persona = persona_of(&self.context, &self.settings.play);
        self.first_persona = self.persona.clone();
        self.record_persona();
    }

    /// Keeps who plays, and how strong, for whoever takes the game up later. Says whether that was somebody else before.
    pub(super) fn record_persona(&mut self) -> bool {
        let playing = RequestedPersona {
            personality: Some(self.persona.profile.name.clone()),
            level: self.persona.plays_at(),
        };
        let is_another = self.asked != playing;
        if is_another {
            self.asked = playing;
            self.record_flags();
        }
        is_another
    }

    /// The rules say who sits down, unless the opponent of a casual game has asked for somebody.
    fn as_rules_say(&self, mut play: Play, game: &GameState, facts: &RuleContext) -> Play {
        if let Some(rule) = rules::passed_over(&self.settings.rules, facts) {
            info!(
                "the level of {} follows the opponent, and this game is rated: {} plays instead",
                rules::title(&self.settings.rules, rule),
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
            let cast = self.context.personalities.borrow();
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
        let cast = self.context.personalities.borrow();
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
        let cast = self.context.personalities.borrow();
        let mut asked = self.context.opponent_memory.asked(opponent);
        // What is not on offer any more is not given any more, whatever was promised.
        let offer = &self.settings.chat;
        asked.personality = asked
            .personality
            .filter(|name| offer.offers(name) && cast.get(name).is_some());
        asked.level = asked.level.filter(|level| offer.offers_level(*level));
        let lead = self.context.opponent_memory.lead(opponent, epoch());
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
pub(super) fn persona_of(shared: &Context, play: &Play) -> Persona {
    let cast = shared.personalities.borrow();
    let mut profile = cast.seated(&play.personality).clone();
    profile.delay = play.delay.unwrap_or(profile.delay);
    profile.tempo = play.tempo.unwrap_or(profile.tempo);
    Persona {
        level: play.level,
        fast: play.fast,
        ..Persona::of(&profile)
    }
}
