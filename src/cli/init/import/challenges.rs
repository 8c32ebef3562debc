//! Whom to play: the filters of other bots as `[[list]]` and `[[rule]]` of bot.toml.

use std::fmt::Write as _;

use super::draft::{millis_of, span, toml};
use sparring_chess::Variant;

/// Classes of clocks that bots may play.
pub(super) const SPEEDS: [&str; 5] = ["bullet", "blitz", "rapid", "classical", "correspondence"];
/// Longest clock and increment of lichess, in seconds.
const LONGEST_CLOCK: f64 = 10_800.0;
const LONGEST_INCREMENT: f64 = 180.0;

/// Which challenges are accepted, and which declined.
#[derive(Default)]
pub(super) struct Challenges {
    /// Filters in the order in which they are written.
    pub(super) filters: [Filter; 3],
    /// Lists of users.
    pub(super) lists: Vec<List>,
    /// Whether only the users of a list with [`ListUse::Only`] are accepted.
    pub(super) nobody: bool,
    /// Rules that say how to play, in their order, as TOML.
    pub(super) games: Vec<(usize, String)>,
}

/// Whose challenges a filter is about: its place in [`Challenges::filters`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// Everybody's.
    All = 0,
    /// People's.
    Humans = 1,
    /// Bots'.
    Bots = 2,
}

impl Who {
    const ALL: [Self; 3] = [Self::All, Self::Humans, Self::Bots];

    fn condition(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Humans => "from = \"humans\"\n",
            Self::Bots => "from = \"bots\"\n",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Humans => "humans: ",
            Self::Bots => "bots: ",
        }
    }
}

/// Bounds of challenges; a bound that is not set accepts everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Filter {
    /// Whether all of this kind are declined.
    pub(super) refused: bool,
    /// Variants, as lichess spells them.
    pub(super) variants: Option<Vec<String>>,
    /// Classes of clocks.
    pub(super) speeds: Option<Vec<String>>,
    /// Exact clocks besides, as `5+3`.
    pub(super) clocks: Vec<String>,
    /// `rated` and `casual`.
    pub(super) modes: Option<Vec<String>>,
    /// Initial time in seconds.
    pub(super) min_initial: f64,
    /// Initial time in seconds.
    pub(super) max_initial: Option<f64>,
    /// Seconds that a move adds.
    pub(super) min_increment: f64,
    /// Seconds that a move adds.
    pub(super) max_increment: Option<f64>,
    /// Whether bullet needs an increment.
    pub(super) bullet_increment: bool,
    /// Rating.
    pub(super) min_rating: i64,
    /// Rating.
    pub(super) max_rating: Option<i64>,
    /// Largest difference of the ratings.
    pub(super) difference: Option<i64>,
    /// Days a move.
    pub(super) min_days: f64,
    /// Days a move; none for any, and for games without a clock.
    pub(super) max_days: Option<f64>,
}

/// What a list of users is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListUse {
    /// Always played, but for variants.
    Welcome,
    /// Never played.
    Blocked,
    /// Bots that are never challenged, and never played.
    BlockedBots,
    /// Nobody else is played.
    Only,
}

/// A list of users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct List {
    /// What it is for.
    pub(super) purpose: ListUse,
    /// Its users.
    pub(super) users: Vec<String>,
    /// The address of more.
    pub(super) url: Option<String>,
    /// The setting that it comes from.
    pub(super) from: String,
}

impl Challenges {
    /// The filter for a kind of challenger.
    pub(super) fn filter(&mut self, who: Who) -> &mut Filter {
        &mut self.filters[who as usize]
    }

    /// The lists and rules, as they stand at the end of bot.toml.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let named = self.named_lists();
        for (name, list) in &named {
            let _ = write!(text, "\n# {}\n[[list]]\nname = \"{name}\"\n", list.from);
            if !list.users.is_empty() {
                let _ = writeln!(text, "users = {}", toml(list.users.clone()));
            }
            if let Some(url) = &list.url {
                let _ = writeln!(text, "url = {}", toml(url.clone()));
            }
        }
        let mut games: Vec<&(usize, String)> = self.games.iter().collect();
        games.sort_by_key(|(order, _)| *order);
        for rule in games.iter().map(|(_, rule)| rule).chain(&self.rules(&named)) {
            let _ = write!(text, "\n[[rule]]\n{rule}");
        }
        text
    }

    fn named_lists(&self) -> Vec<(String, &List)> {
        let mut named: Vec<(String, &List)> = Vec::new();
        for list in &self.lists {
            let base = match list.purpose {
                ListUse::Welcome => "welcome",
                ListUse::Blocked => "blocked",
                ListUse::BlockedBots => "blocked-bots",
                ListUse::Only => "only",
            };
            let earlier = self
                .lists
                .iter()
                .take(named.len())
                .filter(|other| other.purpose == list.purpose);
            let name = match earlier.count() {
                0 => base.to_owned(),
                count => format!("{base}-{}", count + 1),
            };
            named.push((name, list));
        }
        named
    }

    /// The rules in the order in which they are asked: what is never played, who is always played, then bounds, clocks, and
    /// at last days.
    fn rules(&self, named: &[(String, &List)]) -> Vec<String> {
        let lists = |purpose| {
            let names = named.iter().filter(|(_, list)| list.purpose == purpose);
            let names: Vec<String> = names.map(|(name, _)| name.clone()).collect();
            (!names.is_empty()).then(|| format!("lists = {}\n", toml(names)))
        };
        let mut rules = Vec::new();
        if self.nobody {
            rules.push(decline("no challenges at all", ""));
        }
        for who in Who::ALL {
            rules.extend(self.filters[who as usize].variants(who));
        }
        if let Some(lists) = lists(ListUse::Welcome) {
            let clocks = "speeds = [\"bullet\", \"blitz\", \"rapid\", \"classical\"]\n";
            rules.push(queue("always welcome", &format!("{lists}{clocks}")));
        }
        if let Some(lists) = lists(ListUse::Blocked) {
            rules.push(decline("nobody from the block list", &lists));
        }
        if let Some(lists) = lists(ListUse::BlockedBots) {
            rules.push(decline(
                "no bots that are not challenged",
                &format!("from = \"bots\"\n{lists}"),
            ));
        }
        for who in Who::ALL {
            rules.extend(self.filters[who as usize].bounds(who));
        }
        for who in Who::ALL {
            rules.extend(self.filters[who as usize].clocks(who));
        }
        let only = lists(ListUse::Only);
        for who in Who::ALL {
            rules.extend(self.filters[who as usize].days(who, only.as_deref()));
        }
        if let Some(lists) = only {
            rules.push(queue("those who are on the list", &lists));
            rules.push(decline("nobody else", ""));
        }
        rules
    }
}

fn rule(name: &str, conditions: &str, then: &str) -> String {
    format!("name = {}\n{conditions}then = \"{then}\"\n", toml(name))
}

fn decline(name: &str, conditions: &str) -> String {
    rule(name, conditions, "decline")
}

fn queue(name: &str, conditions: &str) -> String {
    rule(name, conditions, "queue")
}

/// The known words that are not among those wanted, as a list in TOML; none where all are.
fn others(known: &[&str], wanted: &[String]) -> Option<String> {
    let missing: Vec<String> = known
        .iter()
        .filter(|known| !wanted.iter().any(|wanted| wanted == *known))
        .map(|known| (*known).to_owned())
        .collect();
    (!missing.is_empty()).then(|| toml(missing))
}

impl Filter {
    fn variants(&self, who: Who) -> Option<String> {
        let wanted = self.variants.as_ref().filter(|_| !self.is_closed())?;
        let missing = others(&Variant::ALL.map(Variant::key), wanted)?;
        let conditions = format!("{}variants = {missing}\n", who.condition());
        Some(decline(&format!("{}no other variants", who.name()), &conditions))
    }

    /// Whether nothing fits this filter.
    fn is_closed(&self) -> bool {
        let is_empty = |list: &Option<Vec<String>>| list.as_ref().is_some_and(Vec::is_empty);
        self.refused
            || is_empty(&self.variants)
            || is_empty(&self.modes)
            || (is_empty(&self.speeds) && self.clocks.is_empty())
    }

    fn bounds(&self, who: Who) -> Vec<String> {
        let (from, whose) = (who.condition(), who.name());
        let mut rules = Vec::new();
        let mut no = |name: &str, conditions: String| {
            rules.push(decline(&format!("{whose}{name}"), &format!("{from}{conditions}")));
        };
        if self.is_closed() {
            no("none", String::new());
            return rules;
        }
        for mode in ["casual", "rated"] {
            let is_missing = |modes: &Vec<String>| !modes.iter().any(|wanted| wanted == mode);
            if self.modes.as_ref().is_some_and(is_missing) {
                no(&format!("no {mode} games"), format!("mode = \"{mode}\"\n"));
            }
        }
        if self.min_rating > 0 {
            no(
                "rated too low",
                format!("max-rating = {}\n", (self.min_rating - 1).min(4000)),
            );
        }
        if let Some(most) = self.max_rating.filter(|most| *most < 4000) {
            no("rated too high", format!("min-rating = {}\n", (most + 1).max(0)));
        }
        if let Some(most) = self.difference.filter(|most| (0..4000).contains(most)) {
            no("much stronger", format!("min-difference = {}\n", most + 1));
            no("much weaker", format!("max-difference = {}\n", -most - 1));
        }
        // lichess counts in whole seconds, so one second less or more is the next bound.
        let below = |seconds: f64| span(millis_of(seconds.ceil() - 1.0));
        let above = |seconds: f64| span(millis_of(seconds.floor() + 1.0));
        if self.min_increment > 0.0 {
            let least = self.min_increment.min(LONGEST_INCREMENT);
            no(
                "too little increment",
                format!("max-increment = {}\n", below(least)),
            );
        }
        if let Some(most) = self.max_increment.filter(|most| *most < LONGEST_INCREMENT) {
            no(
                "too much increment",
                format!("min-increment = {}\n", above(most.max(-1.0))),
            );
        }
        if self.min_initial > 0.0 {
            let least = self.min_initial.min(LONGEST_CLOCK);
            no("too little time", format!("max-initial = {}\n", below(least)));
        }
        if let Some(most) = self.max_initial.filter(|most| *most < LONGEST_CLOCK) {
            no(
                "too much time",
                format!("min-initial = {}\n", above(most.max(-1.0))),
            );
        }
        if self.bullet_increment {
            no(
                "no bullet without increment",
                "speeds = [\"bullet\"]\nmax-increment = \"0s\"\n".to_owned(),
            );
        }
        rules
    }

    fn clocks(&self, who: Who) -> Vec<String> {
        let mut rules = Vec::new();
        let Some(speeds) = self.speeds.as_ref().filter(|_| !self.is_closed()) else {
            return rules;
        };
        let (from, whose) = (who.condition(), who.name());
        if !self.clocks.is_empty() {
            let clocks = toml(self.clocks.clone());
            rules.push(queue(
                &format!("{whose}these clocks"),
                &format!("{from}clocks = {clocks}\n"),
            ));
        }
        if let Some(missing) = others(&SPEEDS, speeds) {
            rules.push(decline(
                &format!("{whose}no other clocks"),
                &format!("{from}speeds = {missing}\n"),
            ));
        }
        rules
    }

    /// Games of days are declined unless a rule lets them in.
    fn days(&self, who: Who, only: Option<&str>) -> Vec<String> {
        let mut rules = Vec::new();
        let speeds = self.speeds.iter().flatten();
        if self.is_closed() || !speeds.into_iter().any(|speed| speed == "correspondence") {
            return rules;
        }
        let (from, whose) = (who.condition(), who.name());
        // The cast saturates.
        #[allow(clippy::cast_possible_truncation)]
        let whole = |days: f64| (days as i64).clamp(1, 14);
        if self.min_days > 1.0 {
            let most = whole(self.min_days.ceil() - 1.0);
            rules.push(decline(
                &format!("{whose}too few days"),
                &format!("{from}max-days = {most}\n"),
            ));
        }
        if let Some(most) = self.max_days {
            if most < 14.0 {
                let least = whole(most.floor() + 1.0);
                rules.push(decline(
                    &format!("{whose}too many days"),
                    &format!("{from}min-days = {least}\n"),
                ));
            }
            rules.push(decline(
                &format!("{whose}no games without a clock"),
                &format!("{from}unlimited = true\n"),
            ));
        }
        let who = only.unwrap_or_default();
        let conditions = format!("{from}{who}speeds = [\"correspondence\"]\n");
        rules.push(queue(&format!("{whose}games of days"), &conditions));
        rules
    }
}

#[cfg(test)]
mod tests;
