//! BotLi's whole file.

use super::*;
use sparring_chess::Variant;

#[test]
fn settings_of_botli_have_their_values_here() {
    let (_folder, import) = translated(BOTLI);
    let config = config(&import);
    assert_eq!((config.games.max, config.games.for_humans), (3, 0));
    let matchmaking = &config.matchmaking;
    assert!(!matchmaking.enabled);
    assert_eq!(matchmaking.after.0, 300_000);
    let games: Vec<String> = matchmaking.games.iter().map(ToString::to_string).collect();
    assert_eq!(
        games,
        ["3+1 rated", "8+1 chess960 casual 100", "3+0 atomic rated"]
    );
    assert_eq!(matchmaking.max_difference, 350);
    let engines: Vec<_> = config
        .rules
        .iter()
        .filter_map(|rule| Some((rule.name.as_deref()?, rule.settings.engine.as_deref()?)))
        .collect();
    assert_eq!(
        engines,
        [
            ("engine: chess960_human", "chess960_human"),
            ("engine: 0.5+0_white", "0-5-0_white")
        ]
    );
    assert_eq!(config.play.engine.as_deref(), Some("standard"));
    let chess960 = &config.rules[0].when;
    assert_eq!(chess960.variants.as_deref(), Some(&[Variant::Chess960][..]));
    assert_eq!(chess960.from, Some(config::OpponentKind::Human));
    assert!(
        matches!(fate(&import, "engines.0.5+0_white.name"), Fate::Differs(said) if said.contains("more than white"))
    );
    assert!(
        matches!(fate(&import, "engines.rapid_tournament.name"), Fate::Differs(said) if said.contains("tournaments"))
    );
    let first = &config.rules[2];
    assert_eq!(first.name.as_deref(), Some("books: blitz_white_bot"));
    assert_eq!(
        first.settings.books_white.as_deref(),
        Some(&["online:explorer", "online:tables", "own", "online:chessdb"].map(str::to_owned)[..])
    );
    assert_eq!((first.settings.books_black.as_ref(), first.then), (None, None));
    assert_eq!(first.when.from, Some(config::OpponentKind::Bot));

    let moved = moved(&import);
    let books = ["online:explorer", "online:tables", "own", "online:chessdb"].map(str::to_owned);
    assert_eq!(
        (moved.books.as_slice(), moved.books_black.as_deref()),
        (&books[..], Some(&books[..]))
    );
    assert_eq!(config.online.len(), 3);
    assert_eq!(moved.book_plies, Some(16));
    assert!(config.chat.spectators);
    assert!(file(&import, "personalities/moved.toml").contains("greeting-spectators = \"Hello all.\""),);
    assert!(
        file(&import, "personalities/moved.toml").contains("greeting = \"I run Sparring on , {opponent}.\"")
    );
    assert!(
        matches!(fate(&import, "challenge.human.variants"), Fate::Taken(said) if said.contains("other variants"))
    );
    assert!(
        matches!(fate(&import, "opening_books.books.standard.names"), Fate::Differs(said) if said.contains("Unnamed"))
    );
    // An engine of its own for each situation, from a merged section and with a dot in its name.
    let text = import.settings(SHIPPED).unwrap();
    assert!(
        text.contains("[engine.standard]") && text.contains("[engine.0-5-0_white]"),
        "{text}"
    );
    assert!(text.contains("engines/second-engine\""), "{text}");
}
