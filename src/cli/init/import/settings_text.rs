//! bot.toml and the personality, as text.

use super::{
    draft::{Draft, PERSONALITY, Setting, toml},
    engines, online, report,
    table::Outcome,
};

/// The shipped settings with those of the draft in their places, then lists, rules, engines, and what is not as it was.
/// `shipped` has every key, some as comments, and server and token file as they are to be. `peer` is the other bot's version.
pub(super) fn settings(shipped: &str, draft: &Draft, outcomes: &[Outcome], peer: &str) -> String {
    // The command line may name another server, which is in the shipped settings by now.
    let is_url = |setting: &&Setting| (setting.section, setting.key) == ("lichess", "url");
    let mut left: Vec<&Setting> = draft.settings.iter().filter(|setting| !is_url(setting)).collect();
    let mut text = format!(
        "# Moved over from {peer}. Behind a value stands the setting that it comes from; at the end stand those that mean\n\
         # something else here and those without an equivalent. Who plays is in personalities/{PERSONALITY}.toml.\n#\n"
    );
    let mut section = "";
    for line in shipped.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let before = std::mem::replace(&mut section, name);
            // Keys that the shipped settings do not show go to the end of their section.
            take(&mut left, before, None, &mut text);
        }
        let bare = line.strip_prefix("# ").unwrap_or(line);
        let key = bare.split_once(" = ").map(|(key, _)| key);
        match key.filter(|key| take(&mut left, section, Some(key), &mut text)) {
            Some(_) => {}
            None => text = text + line + "\n",
        }
    }
    text += &draft.challenges.text();
    let outside = engines::sections(&draft.engines);
    if !outside.is_empty() {
        text = text + "\n" + &outside;
    }
    let servers = online::sections(&draft.online);
    if !servers.is_empty() {
        text = text + "\n" + &servers;
    }
    let comments = report::comments(outcomes);
    if !comments.is_empty() {
        text = text + "\n# What became of the other settings." + "\n" + &comments;
    }
    text
}

/// Writes the settings of a section, or the one of a key; whether there was one.
fn take(left: &mut Vec<&Setting>, section: &str, key: Option<&str>, text: &mut String) -> bool {
    let fits = |setting: &&Setting| setting.section == section && key.is_none_or(|key| setting.key == key);
    let found: Vec<&Setting> = left.iter().copied().filter(fits).collect();
    left.retain(|setting| !fits(setting));
    for Setting { key, value, from, .. } in &found {
        *text += &format!("{key} = {value}  # {from}\n");
    }
    !found.is_empty()
}

/// The personality that takes over what this program leaves to personalities. `name` is the bot's, if it is known.
pub(super) fn personality(draft: &Draft, name: Option<&str>, peer: &str) -> String {
    let title = name.unwrap_or("Sparring");
    let mut text = format!(
        "# Who plays: moved over from {peer}. `sparring explain {PERSONALITY}` says what each key does.\n\
         title = {}  # what {{me}} says\n\
         about = \"The engine without handicap, with the books and words of the bot that it was before.\"\n",
        toml(title)
    );
    let (top, chat): (Vec<_>, Vec<_>) = draft
        .personality
        .iter()
        .partition(|setting| setting.section.is_empty());
    let write = |text: &mut String, settings: Vec<&Setting>| {
        for Setting { key, value, from, .. } in settings {
            *text += &format!("{key} = {value}  # {from}\n");
        }
    };
    write(&mut text, top);
    if !chat.is_empty() {
        text += "\n[chat]\n";
        write(&mut text, chat);
    }
    text
}
