//! Persona selection: personality and level of a game, by the rules or by the opponent's wish.

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
    /// Selects the persona of the game. A resumed game keeps its persona, though rules, time of day and scores have changed.
    pub(super) fn select_persona(&mut self) {
        let Some(game) = &self.game else { return };
        let context = RuleContext::of_game(game.frame(), game.my_side(), &self.settings.local_context);
        let play = rules::casting(&self.settings.config.rules, &context, &self.settings.config.play);
        self.play = if self.is_resumed {
            self.as_before(play)
        } else {
            self.by_rules(play, game, &context)
        };
        self.persona = persona_of(&self.context, &self.play);
        self.first_persona = self.persona.clone();
        self.record_persona();
    }

    /// Records the persona for the next run. Returns whether it has changed.
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

    /// The persona by the rules, or the one that the opponent of a casual game asked for.
    fn by_rules(&self, mut play: Play, game: &GameState, context: &RuleContext) -> Play {
        if let Some(rule) = rules::passed_over(&self.settings.config.rules, context) {
            info!(
                "the level of {} follows the opponent, and this game is rated: {} plays instead",
                rules::title(&self.settings.config.rules, rule),
                play.level.map_or_else(
                    || format!("{} as it is", play.personality),
                    |level| format!("level {level}")
                ),
            );
        }
        if !context.rated {
            let asked = self.asked_for(game, &play, context);
            if let Some(name) = asked.personality {
                play.personality = name;
                play.level = None;
            }
            play.level = asked.level.or(play.level);
        }
        if play.level.is_none() {
            let personalities = self.context.personalities.borrow();
            let follows = personalities.get_or_default(&play.personality).level_setting;
            play.level = follows.and_then(|setting| setting.resolve(context.meeting()));
            if let Some(setting) = follows.filter(|_| context.rated) {
                info!(
                    "the level of {} follows the opponent, and this game is rated: it is {}",
                    play.personality,
                    setting.fallback()
                );
            }
        }
        play
    }

    /// The persona that played this game before, at the same level, whatever rules, settings and files say by now.
    fn as_before(&self, mut play: Play) -> Play {
        let personalities = self.context.personalities.borrow();
        let begun = self
            .asked
            .personality
            .as_ref()
            .filter(|name| personalities.contains_or_retired(name));
        let name = begun.unwrap_or(&play.personality).clone();
        let own = personalities.get_or_default(&name).level;
        if name != play.personality || play.level.or(own) != self.asked.level {
            // The personality's own level stays unset: it may have parameters of its own beside it.
            play.level = self.asked.level.filter(|level| own != Some(*level));
            play.personality = name;
        }
        play
    }

    /// The persona that the opponent asked for in an earlier game, and the level that results have led to.
    fn asked_for(&self, game: &GameState, play: &Play, context: &RuleContext) -> RequestedPersona {
        // From the third move on the persona stays, even where the archive has lost the game.
        let is_early = chat_commands::is_early(game.line().ply());
        let Some(opponent) = game.opponent().id.as_ref().filter(|_| is_early) else {
            return RequestedPersona::default();
        };
        let personalities = self.context.personalities.borrow();
        let mut asked = self.context.opponent_memory.requested(opponent);
        // What the settings no longer offer is not granted.
        let offer = &self.settings.config.chat;
        asked.personality = asked
            .personality
            .filter(|name| offer.offers(name) && personalities.get(name).is_some());
        asked.level = asked.level.filter(|level| offer.offers_level(*level));
        let lead = self.context.opponent_memory.lead(opponent, epoch());
        if play.adapt == Adapt::Rematches && lead != 0 && asked.level.is_none() {
            let name = asked.personality.as_ref();
            let profile = personalities.get_or_default(name.unwrap_or(&play.personality));
            let followed = || {
                profile
                    .level_setting
                    .and_then(|setting| setting.resolve(context.meeting()))
            };
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

/// The persona that settings name.
pub(super) fn persona_of(context: &Context, play: &Play) -> Persona {
    let personalities = context.personalities.borrow();
    let mut profile = personalities.get_or_default(&play.personality).clone();
    profile.delay = play.delay.unwrap_or(profile.delay);
    profile.tempo = play.tempo.unwrap_or(profile.tempo);
    Persona {
        level: play.level,
        fast: play.fast,
        ..Persona::of(&profile)
    }
}
