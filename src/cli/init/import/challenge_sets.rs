//! Challenges of lichess-bot that `games` of [matchmaking] alone can say. It draws one of several sets, that beside `overrides` or one of
//! them, and then initial time, increment, variant and mode, each evenly.

use super::{
    challenges::Who,
    draft::{Draft, but, toml, with_reason},
    shared::{offered_clock, taken},
    table::{Fate, Found, Refusal, at},
    yaml::{Node, Value},
};

/// The keys of a set.
const KEYS: [&str; 4] = [
    "challenge_initial_time",
    "challenge_increment",
    "challenge_variant",
    "challenge_mode",
];
/// What lichess-bot draws where a set does not say it.
const RANDOM: &str = "random";
/// More games are not worth a choice.
const MOST: usize = 100;
/// The heaviest weight of a game.
const HEAVIEST: u64 = 10_000;

/// Whether `clocks`, `variants` and `mode` cannot say what lichess-bot proposes.
pub(super) fn are_wanted(root: &Node) -> bool {
    let mode = at(root, "matchmaking.challenge_mode").map(|node| &node.value);
    let is_random = match mode {
        Some(Value::Text(mode)) => mode == RANDOM,
        Some(Value::Null) | None => true,
        Some(_) => false,
    };
    is_random || !overrides(root).is_empty()
}

/// Sets `games`, unless a setting before this one has done so.
pub(super) fn set(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    if draft.settings.iter().any(|setting| setting.key == "games") {
        return Ok(taken("in games of [matchmaking]"));
    }
    let mut refused = Vec::new();
    let sets = std::iter::once(None).chain(overrides(found.root).into_iter().map(Some));
    let sets: Vec<Vec<String>> = sets
        .map(|own| games(draft, found, own, &mut refused))
        .collect::<Result<_, _>>()?;
    refused.dedup();
    let told = (!refused.is_empty()).then(|| refused.join("; "));
    let games = weighted(&sets);
    if games.is_empty() {
        return match (found.is_default, told) {
            (true, _) => Err(Refusal::Empty),
            (false, told) => Ok(Fate::Differs(
                told.unwrap_or_else(|| "not written: no clock is named".to_owned()),
            )),
        };
    }
    if games.len() > MOST {
        return Ok(Fate::Differs(format!(
            "not written: these are {} games",
            games.len()
        )));
    }
    Ok(with_reason(
        draft.set(found, "matchmaking", "games", toml(games)),
        told,
    ))
}

/// A set of `overrides`.
pub(super) fn set_of_overrides(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let fate = set(draft, found)?;
    let others: Vec<&str> = found
        .node
        .entries()
        .iter()
        .map(|entry| entry.key.as_str())
        .filter(|key| !KEYS.contains(key))
        .collect();
    Ok(match others.is_empty() {
        true => fate,
        false => but(fate, &format!("{} is the same for all games", others.join(", "))),
    })
}

fn overrides(root: &Node) -> Vec<&Node> {
    let entries = at(root, "matchmaking.overrides").map_or(&[][..], Node::entries);
    entries.iter().map(|entry| &entry.node).collect()
}

/// Every game of a set, which says some keys itself.
fn games(
    draft: &mut Draft,
    found: &Found<'_>,
    own: Option<&Node>,
    refused: &mut Vec<String>,
) -> Result<Vec<String>, Refusal> {
    let base = at(found.root, "matchmaking");
    let read = |key: &'static str| {
        let written = own
            .and_then(|own| own.get(key))
            .or(base.and_then(|base| base.get(key)));
        written.map(|node| Found {
            path: format!("matchmaking.{key}"),
            key,
            names: Vec::new(),
            node,
            root: found.root,
            is_default: false,
        })
    };
    let seconds = |key| read(key).map_or(Ok(Vec::new()), |found| found.ints());
    let one_of = |key, all: Vec<String>| match read(key).map(|found| found.texts()).transpose()? {
        Some(texts) if !texts.is_empty() && texts != [RANDOM] => Ok::<_, Refusal>(texts),
        _ => Ok(all),
    };
    let accepted = draft.challenges.filter(Who::All).variants.clone();
    let mut variants = one_of(KEYS[2], accepted.unwrap_or_else(|| vec!["standard".to_owned()]))?;
    variants.retain(|variant| variant != "fromPosition");
    let modes = one_of(KEYS[3], ["casual", "rated"].map(str::to_owned).to_vec())?;
    let (initial, increments) = (seconds(KEYS[0])?, seconds(KEYS[1])?);
    let mut games = Vec::new();
    for (initial, increment) in initial
        .iter()
        .flat_map(|initial| increments.iter().map(move |increment| (*initial, *increment)))
        .take(MOST)
    {
        let clock = match offered_clock(initial, increment) {
            Ok(clock) => clock,
            Err(clock) => {
                refused.push(format!("lichess lets no bot challenge with {clock}"));
                continue;
            }
        };
        for variant in &variants {
            let variant = match variant.as_str() {
                "standard" => "",
                "chess960" => " chess960",
                other => {
                    refused.push(format!("the bot cannot play {other} on lichess"));
                    continue;
                }
            };
            games.extend(modes.iter().map(|mode| format!("{clock}{variant} {mode}")));
        }
    }
    Ok(games)
}

/// The games of all sets with their weights: each set comes up as often as another, and so does each game of a set.
fn weighted(sets: &[Vec<String>]) -> Vec<String> {
    /// Enough for weights of whole numbers.
    const WHOLE: u64 = 1_000_000;
    let counts = sets
        .iter()
        .map(|games| games.len() as u64)
        .filter(|count| *count > 0);
    let whole = counts.fold(1, |whole, count| {
        (whole / gcd(whole, count)).saturating_mul(count)
    });
    let whole = whole.min(WHOLE);
    let mut games: Vec<(&str, u64)> = Vec::new();
    for set in sets {
        for game in set {
            let share = whole / set.len() as u64;
            match games.iter_mut().find(|(other, _)| other == game) {
                Some((_, weight)) => *weight += share,
                None => games.push((game, share)),
            }
        }
    }
    let common = games
        .iter()
        .fold(0, |common, (_, weight)| gcd(*weight, common))
        .max(1);
    let most = games.iter().map(|(_, weight)| weight / common).max().unwrap_or(1);
    let row = |(game, weight): &(&str, u64)| {
        let weight = weight / common;
        match weight * HEAVIEST.min(most) / most {
            0 | 1 => (*game).to_owned(),
            weight => format!("{game} {weight}"),
        }
    };
    games.iter().map(row).collect()
}

fn gcd(one: u64, other: u64) -> u64 {
    match one {
        0 => other,
        _ => gcd(other % one, one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_come_up_alike_however_many_games_they_have() {
        let set = |games: &[&str]| games.iter().map(|game| (*game).to_owned()).collect::<Vec<_>>();
        let weights = |sets: &[&[&str]]| weighted(&sets.iter().map(|games| set(games)).collect::<Vec<_>>());
        assert_eq!(weights(&[&["a", "b"], &["c"]]), ["a", "b", "c 2"]);
        assert_eq!(
            weights(&[&["a", "b", "c"], &["a", "d"]]),
            ["a 5", "b 2", "c 2", "d 3"]
        );
        assert_eq!(weights(&[&["a"], &["a"], &[]]), ["a"]);
        assert_eq!(weights(&[]), [""; 0]);
    }

    #[test]
    fn weights_stay_within_what_a_game_takes() {
        let games = |count: usize, name: &str| (0..count).map(|game| format!("{name}{game}")).collect();
        let sets: Vec<Vec<String>> = vec![games(97, "a"), games(89, "b"), games(83, "c"), games(1, "d")];
        let most = weighted(&sets)
            .iter()
            .filter_map(|game| game.split(' ').nth(1)?.parse().ok())
            .max();
        assert_eq!(most, Some(HEAVIEST));
    }
}
