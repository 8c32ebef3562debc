//! Tournament state: which to join and when, which slots they take, and when to leave. No IO; time is an
//! argument.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::Tournaments;
use sparring_chess::units::Millis;
use sparring_lichess::{
    CallError,
    model::{ArenaId, GameId, TeamId, Tournament},
};

/// Interval of polling the announced tournaments.
const POLL_INTERVAL: Millis = Millis::from_secs(300);
/// How long before its start an arena is joined, and a slot reserved for it.
const JOIN_BEFORE: Millis = Millis::from_secs(60);
/// lichess pairs players who have joined within the last minute, and allows 30 joins in ten minutes.
const PAIRING_INTERVAL: Millis = Millis::from_secs(50);
/// Delay between a game and the request for the next pairing, for the last chat line.
const AFTER_GAME: Millis = Millis::from_secs(3);
/// Cooldown after an arena refuses the bot.
const REFUSED_COOLDOWN: Millis = Millis::from_secs(900);

/// A call to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::bot) enum TournamentAction {
    /// Fetch the announced arenas, and join these teams.
    Look(BTreeSet<TeamId>),
    /// Join the arena, or ask for the next pairing.
    Join(ArenaId, Option<TeamId>),
    /// Leave.
    Leave(ArenaId),
}

/// The state of the arenas that the settings name.
#[derive(Debug, Default)]
pub(in crate::bot) struct TournamentState {
    looked_at: Option<Millis>,
    is_looking: bool,
    /// Teams that accepted or refused the bot.
    teams: BTreeSet<TeamId>,
    known: BTreeMap<ArenaId, Entry>,
    /// Running arena games. After a restart they are known before their arenas are fetched.
    games: BTreeMap<GameId, ArenaId>,
    /// Joined arenas that the settings no longer name.
    unwanted: Vec<ArenaId>,
    /// The settings of the last request.
    settings: Option<Tournaments>,
    /// Arenas that are being left.
    leaving: usize,
}

#[derive(Debug)]
struct Entry {
    begins: Millis,
    ends: Millis,
    /// The bot's team in a team battle.
    team: Option<TeamId>,
    is_joined: bool,
    /// The earliest time of the next call.
    asks_at: Millis,
    game: Option<GameId>,
}

impl Entry {
    /// Whether it reserves a slot without a running game.
    fn waits(&self, now: Millis) -> bool {
        self.is_joined && self.game.is_none() && self.is_near(now)
    }

    fn is_near(&self, now: Millis) -> bool {
        self.begins <= now + JOIN_BEFORE && now < self.ends
    }
}

impl TournamentState {
    /// The next call, given the number of free slots beside those that arenas have reserved.
    pub(in crate::bot) fn next(
        &mut self,
        settings: &Tournaments,
        free: usize,
        now: Millis,
    ) -> Option<TournamentAction> {
        if !settings.enabled {
            // Once enabled again, the arenas are fetched at once.
            self.looked_at = None;
            return self.known.pop_first().and_then(|(id, entry)| {
                entry.is_joined.then(|| {
                    self.leaving += 1;
                    TournamentAction::Leave(id)
                })
            });
        }
        if self.settings.as_ref() != Some(settings) {
            self.settings = Some(settings.clone());
            self.looked_at = None;
        }
        if let Some(id) = self.unwanted.pop() {
            self.leaving += 1;
            return Some(TournamentAction::Leave(id));
        }
        if !self.is_looking && self.looked_at.is_none_or(|at| now >= at + POLL_INTERVAL) {
            self.is_looking = true;
            self.looked_at = Some(now);
            let new = settings.teams.iter().filter(|team| !self.teams.contains(team));
            return Some(TournamentAction::Look(new.cloned().collect()));
        }
        self.known
            .retain(|_, entry| now < entry.ends || entry.game.is_some());
        let wants = |entry: &Entry| {
            let may = entry.is_joined || free > 0;
            may && entry.game.is_none() && entry.is_near(now) && now >= entry.asks_at
        };
        let (id, entry) = self.known.iter_mut().find(|(_, entry)| wants(entry))?;
        entry.is_joined = true;
        entry.asks_at = now + PAIRING_INTERVAL;
        Some(TournamentAction::Join(id.clone(), entry.team.clone()))
    }

    /// When [`next`](Self::next) may have a call, if nothing happens before.
    pub(in crate::bot) fn next_deadline(&self, settings: &Tournaments, now: Millis) -> Option<Millis> {
        if !settings.enabled {
            return (!self.known.is_empty()).then_some(now);
        }
        let look = self.looked_at.map_or(now, |at| at + POLL_INTERVAL);
        let idle = self.known.values().filter(|entry| entry.game.is_none());
        let asks = idle.map(|entry| entry.asks_at.max(entry.begins - JOIN_BEFORE));
        asks.chain([look]).filter(|at| *at > now).min()
    }

    /// The announced arenas for these settings arrived; `is_complete` says whether all could be fetched.
    pub(in crate::bot) fn on_announced(
        &mut self,
        settings: &Tournaments,
        answered: BTreeSet<TeamId>,
        arenas: Vec<Tournament>,
        is_complete: bool,
        now: Millis,
    ) {
        self.is_looking = false;
        self.teams.extend(answered);
        if self.settings.as_ref().is_some_and(|current| current != settings) {
            // The settings have changed meanwhile: fetch again.
            return;
        }
        if is_complete {
            let named = |id: &ArenaId| arenas.iter().any(|arena| arena.id == *id);
            let gone = self.known.extract_if(.., |id, _| !named(id));
            let joined = gone.filter(|(_, entry)| entry.is_joined);
            self.unwanted.extend(joined.map(|(id, _)| id));
        }
        for arena in arenas {
            if arena.is_finished || !arena.bots_allowed || !arena.is_playable() {
                continue;
            }
            let battle = arena.team_battle.as_ref();
            let team =
                battle.and_then(|battle| settings.teams.iter().find(|team| battle.teams.contains(team)));
            if battle.is_some() && team.is_none() {
                continue;
            }
            let (begins, ends) = (now + arena.begins_in(), now + arena.ends_in());
            let entry = self.known.entry(arena.id).or_insert_with(|| Entry {
                begins,
                ends,
                team: team.cloned(),
                is_joined: false,
                asks_at: Millis::ZERO,
                game: None,
            });
            (entry.begins, entry.ends) = (begins, ends);
        }
        self.tie();
    }

    /// Joining failed. After a refusal of the bot or its token there is a cooldown; other errors are retried.
    pub(in crate::bot) fn failed(&mut self, id: &ArenaId, error: &CallError, now: Millis) {
        if let Some(entry) = self.known.get_mut(id).filter(|_| error.is_final()) {
            entry.is_joined = false;
            entry.asks_at = now + REFUSED_COOLDOWN;
        }
    }

    /// An arena is being left.
    pub(in crate::bot) fn begin_leaving(&mut self) {
        self.leaving += 1;
    }

    /// An arena was left, or could not be.
    pub(in crate::bot) fn end_leaving(&mut self) {
        self.leaving = self.leaving.saturating_sub(1);
    }

    /// Whether arenas are being left.
    pub(in crate::bot) fn is_leaving(&self) -> bool {
        self.leaving > 0
    }

    /// A game of an arena has begun. This also counts an arena that the owner joined.
    pub(in crate::bot) fn game_started(&mut self, arena: &str, game: &GameId) {
        if let Ok(id) = arena.parse() {
            self.games.insert(game.clone(), id);
            self.tie();
        }
    }

    /// An arena with a running game is joined, and needs no further pairing.
    fn tie(&mut self) {
        for (game, id) in &self.games {
            if let Some(entry) = self.known.get_mut(id) {
                entry.is_joined = true;
                entry.game = Some(game.clone());
            }
        }
    }

    /// A game has ended, of an arena or not.
    pub(in crate::bot) fn game_ended(&mut self, game: &GameId, now: Millis) {
        self.games.remove(game);
        for entry in self.known.values_mut() {
            if entry.game.as_ref() == Some(game) {
                entry.game = None;
                entry.asks_at = now + AFTER_GAME;
            }
        }
    }

    /// Slots reserved for games that arenas may start at any moment.
    pub(in crate::bot) fn reserved_slots(&self, now: Millis) -> usize {
        self.known.values().filter(|entry| entry.waits(now)).count()
    }

    /// Stops playing arenas. Returns those to leave.
    pub(in crate::bot) fn close(&mut self) -> Vec<ArenaId> {
        let known = std::mem::take(&mut self.known).into_iter();
        let joined: Vec<ArenaId> = known
            .filter(|(_, entry)| entry.is_joined)
            .map(|(id, _)| id)
            .collect();
        self.leaving += joined.len();
        joined
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(arenas: &[&str], teams: &[&str]) -> Tournaments {
        Tournaments {
            enabled: true,
            arenas: arenas.iter().map(|id| id.parse().unwrap()).collect(),
            teams: teams.iter().map(|id| id.parse().unwrap()).collect(),
        }
    }

    fn arena(id: &str, begins: u64, bots: bool) -> Tournament {
        serde_json::from_value(json!({
            "id": id, "botsAllowed": bots, "minutes": 20, "secondsToStart": begins
        }))
        .unwrap()
    }

    fn secs(secs: u64) -> Millis {
        Millis::from_secs(secs)
    }

    fn join(id: &str) -> TournamentAction {
        TournamentAction::Join(id.parse().unwrap(), None)
    }

    /// What is known after a look at these.
    fn known(settings: &Tournaments, arenas: Vec<Tournament>) -> TournamentState {
        let mut known = TournamentState::default();
        let Some(TournamentAction::Look(teams)) = known.next(settings, 1, secs(0)) else {
            panic!("first it looks");
        };
        known.on_announced(settings, teams, arenas, true, secs(0));
        known
    }

    #[test]
    fn an_arena_is_joined_a_minute_before_it_begins_and_asked_again_while_no_game_runs() {
        let settings = settings(&["abcd1234"], &[]);
        let mut arenas = known(&settings, vec![arena("abcd1234", 100, true)]);
        assert_eq!(arenas.next(&settings, 1, secs(39)), None);
        assert_eq!(arenas.next_deadline(&settings, secs(39)), Some(secs(40)));
        assert_eq!(arenas.next(&settings, 1, secs(40)), Some(join("abcd1234")));
        assert_eq!(arenas.reserved_slots(secs(40)), 1, "a seat is kept");
        assert_eq!(arenas.next(&settings, 1, secs(89)), None);
        assert_eq!(arenas.next(&settings, 1, secs(90)), Some(join("abcd1234")));
        let game = "game0001".parse().unwrap();
        arenas.game_started("abcd1234", &game);
        assert_eq!(
            (
                arenas.next(&settings, 1, secs(200)),
                arenas.reserved_slots(secs(200))
            ),
            (None, 0)
        );
        arenas.game_ended(&game, secs(210));
        assert_eq!(arenas.next(&settings, 1, secs(212)), None);
        assert_eq!(arenas.next(&settings, 1, secs(213)), Some(join("abcd1234")));
        assert!(matches!(
            arenas.next(&settings, 1, secs(400)),
            Some(TournamentAction::Look(_))
        ));
        assert_eq!(arenas.next(&settings, 1, secs(100 + 20 * 60)), None, "it is over");
        assert_eq!(arenas.reserved_slots(secs(100 + 20 * 60)), 0);
    }

    #[test]
    fn a_game_that_runs_before_its_arena_is_looked_at_is_a_game_of_that_arena() {
        let settings = settings(&["abcd1234"], &[]);
        let game = "game0001".parse().unwrap();
        let mut arenas = TournamentState::default();
        arenas.game_started("abcd1234", &game);
        let Some(TournamentAction::Look(teams)) = arenas.next(&settings, 0, secs(0)) else {
            panic!("first it looks");
        };
        arenas.on_announced(&settings, teams, vec![arena("abcd1234", 0, true)], true, secs(0));
        assert_eq!(arenas.next(&settings, 1, secs(60)), None, "it plays there");
        assert_eq!(arenas.reserved_slots(secs(60)), 0, "and has its seat");
        arenas.game_ended(&game, secs(70));
        assert_eq!(arenas.next(&settings, 0, secs(73)), Some(join("abcd1234")));
    }

    #[test]
    fn arenas_for_people_are_left_to_them_and_no_more_are_joined_than_there_are_seats() {
        let settings = settings(&["aaaaaaaa", "bbbbbbbb", "cccccccc"], &[]);
        let found = vec![
            arena("aaaaaaaa", 0, false),
            arena("bbbbbbbb", 0, true),
            arena("cccccccc", 0, true),
        ];
        let mut arenas = known(&settings, found);
        assert_eq!(
            arenas.next(&settings, 0, secs(1)),
            None,
            "every seat is for people"
        );
        assert_eq!(arenas.next(&settings, 1, secs(1)), Some(join("bbbbbbbb")));
        assert_eq!(arenas.next(&settings, 0, secs(1)), None, "it holds the last seat");
        let full = CallError::Rejected {
            call: "join an arena",
            status: 400,
            message: "the arena is full".to_owned(),
            ratelimit: None,
        };
        arenas.failed(&"bbbbbbbb".parse().unwrap(), &full, secs(2));
        assert_eq!(arenas.next(&settings, 1, secs(2)), Some(join("cccccccc")));
    }

    #[test]
    fn a_token_that_may_not_join_is_no_reason_to_ask_each_minute() {
        let settings = settings(&["aaaaaaaa"], &[]);
        let mut arenas = known(&settings, vec![arena("aaaaaaaa", 0, true)]);
        let id = "aaaaaaaa".parse().unwrap();
        assert_eq!(arenas.next(&settings, 1, secs(1)), Some(join("aaaaaaaa")));
        let lost = CallError::Transient {
            call: "join an arena",
            why: "502".to_owned(),
        };
        arenas.failed(&id, &lost, secs(2));
        assert_eq!(arenas.next(&settings, 1, secs(60)), Some(join("aaaaaaaa")));
        let scope = CallError::Unauthorized {
            call: "join an arena",
            message: "Missing scope: tournament:write".to_owned(),
        };
        arenas.failed(&id, &scope, secs(61));
        assert_eq!(arenas.reserved_slots(secs(61)), 0, "no seat is kept for nothing");
        assert_eq!(arenas.next(&settings, 1, secs(200)), None);
    }

    #[test]
    fn in_a_battle_one_plays_for_a_team_that_the_settings_name() {
        let settings = settings(&[], &["coders"]);
        let battle = |id: &str, team: &str| Tournament {
            team_battle: serde_json::from_value(json!({"teams": {team: []}})).unwrap(),
            ..arena(id, 0, true)
        };
        let mut arenas = known(
            &settings,
            vec![battle("aaaaaaaa", "others"), battle("bbbbbbbb", "coders")],
        );
        let order = TournamentAction::Join("bbbbbbbb".parse().unwrap(), "coders".parse().ok());
        assert_eq!(arenas.next(&settings, 4, secs(1)), Some(order));
        assert_eq!(arenas.next(&settings, 4, secs(1)), None);
    }

    #[test]
    fn an_arena_that_the_settings_name_no_longer_is_left() {
        let mut settings = settings(&["aaaaaaaa", "bbbbbbbb"], &[]);
        let [one, other] = [arena("aaaaaaaa", 0, true), arena("bbbbbbbb", 0, true)];
        let mut arenas = known(&settings, vec![one.clone(), other.clone()]);
        for _ in 0..2 {
            assert!(matches!(
                arenas.next(&settings, 4, secs(1)),
                Some(TournamentAction::Join(..))
            ));
        }
        settings.arenas.remove(0);
        let Some(TournamentAction::Look(teams)) = arenas.next(&settings, 4, secs(2)) else {
            panic!("it looks anew at once");
        };
        let mut blind = settings.clone();
        blind.arenas.clear();
        arenas.on_announced(&blind, teams.clone(), Vec::new(), true, secs(2));
        assert_eq!(
            arenas.next(&settings, 4, secs(2)),
            None,
            "that was about other settings"
        );
        arenas.on_announced(&settings, teams.clone(), Vec::new(), false, secs(2));
        assert_eq!(
            arenas.next(&settings, 4, secs(2)),
            None,
            "not everything was seen"
        );
        arenas.on_announced(&settings, teams, vec![other], true, secs(2));
        let left = TournamentAction::Leave("aaaaaaaa".parse().unwrap());
        assert_eq!(arenas.next(&settings, 4, secs(2)), Some(left));
        assert!(arenas.is_leaving());
        assert_eq!(arenas.next(&settings, 4, secs(2)), None);
    }

    #[test]
    fn what_was_joined_is_left_when_the_bot_ends_or_the_settings_change() {
        let mut on = settings(&["aaaaaaaa", "bbbbbbbb"], &[]);
        let found = || vec![arena("aaaaaaaa", 0, true), arena("bbbbbbbb", 9000, true)];
        let mut arenas = known(&on, found());
        arenas.next(&on, 4, secs(1)).unwrap();
        assert_eq!(arenas.close(), ["aaaaaaaa".parse().unwrap()]);
        assert!(arenas.is_leaving());
        arenas.end_leaving();
        assert!(!arenas.is_leaving());
        let mut arenas = known(&on, found());
        arenas.next(&on, 4, secs(1)).unwrap();
        on.enabled = false;
        assert_eq!(
            arenas.next(&on, 4, secs(2)),
            Some(TournamentAction::Leave("aaaaaaaa".parse().unwrap()))
        );
        assert_eq!(arenas.reserved_slots(secs(2)), 0);
        on.enabled = true;
        assert!(
            matches!(arenas.next(&on, 4, secs(3)), Some(TournamentAction::Look(_))),
            "wanted again, they are looked for at once"
        );
    }
}
