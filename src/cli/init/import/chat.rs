//! Lines of the chat, with the placeholders that there are here.

use super::{
    draft::{Draft, toml, with_reason},
    table::{Fate, Found, Refusal},
};

/// Sets lines of the chat. What other bots put in place of words in braces is put there now.
pub(super) fn line(draft: &mut Draft, found: &Found<'_>, events: &[&'static str]) -> Result<Fate, Refusal> {
    let written = found.text()?;
    if written.trim().is_empty() {
        return Ok(Fate::Differs(
            "the personality says its usual line; enabled = false in [chat] says none".to_owned(),
        ));
    }
    let (text, told) = placeholders(&written);
    for event in events {
        let fate = draft.set_personality(found, "chat", event, toml(text.clone()));
        if matches!(fate, Fate::Differs(_)) {
            return Ok(fate);
        }
    }
    let fate = Fate::Taken(format!("{} in [chat] of moved.toml", events.join(", ")));
    Ok(with_reason(fate, told))
}

/// Sets the line to spectators of an event, and lets the bot speak to them.
pub(super) fn to_spectators(
    draft: &mut Draft,
    found: &Found<'_>,
    event: &'static str,
) -> Result<Fate, Refusal> {
    if found.text()?.trim().is_empty() {
        return Ok(Fate::Differs(
            "spectators = true in [chat] says the usual line, without it they are told nothing".to_owned(),
        ));
    }
    let fate = line(draft, found, &[event])?;
    let switch = draft.set(found, "chat", "spectators", toml(true));
    Ok(match (fate, switch) {
        (Fate::Taken(told), Fate::Taken(switch)) => Fate::Taken(format!("{told}, {switch}")),
        (fate, _) => fate,
    })
}

/// A line with the placeholders that there are here.
fn placeholders(written: &str) -> (String, Option<String>) {
    let mut text = written.replace("{engine}", "Sparring");
    let mut told = (text != written).then(|| "{engine} is Sparring".to_owned());
    let mut from = 0;
    while let Some((open, close)) = text[from..].find('{').and_then(|open| {
        let open = from + open;
        Some((open, open + text[open..].find('}')?))
    }) {
        let word = text[open + 1..close].to_owned();
        from = close + 1;
        if !matches!(word.as_str(), "opponent" | "me") {
            text.replace_range(open..=close, "");
            from = open;
            told = Some(format!("{{{word}}} is left out"));
        }
    }
    if text.contains("{me}") && told.is_none() {
        told = Some("{me} is the title of moved.toml".to_owned());
    }
    (text, told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_that_are_not_known_here_are_replaced_or_left_out() {
        let said = |text| placeholders(text);
        assert_eq!(said("Hi {opponent}!"), ("Hi {opponent}!".into(), None));
        assert_eq!(
            said("I run {engine}."),
            ("I run Sparring.".into(), Some("{engine} is Sparring".into()))
        );
        assert_eq!(
            said("{cpu}{ram}x"),
            ("x".into(), Some("{ram} is left out".into()))
        );
        assert_eq!(said("a } b {").0, "a } b {");
    }
}
