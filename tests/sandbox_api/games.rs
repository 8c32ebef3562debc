//! Games played over HTTP.

use serde_json::json;

use crate::harness::{BLITZ, Table, standing_still};
use sparring_chess::units::Millis;

#[tokio::test]
async fn a_bot_and_a_human_play_to_mate() {
    let table = Table::set(standing_still()).await;
    let mut bot_events = table.bot.events().await;
    let mut anna_events = table.anna.events().await;
    let id = table.game(&BLITZ).await;
    let challenge = bot_events.next().await;
    assert_eq!(
        (&challenge["type"], &challenge["challenge"]["challenger"]["name"]),
        (&json!("challenge"), &json!("Anna"))
    );
    assert_eq!(challenge["compat"], json!({ "bot": true, "board": true }));
    let start = bot_events.next().await;
    assert_eq!(
        (&start["type"], &start["game"]["color"]),
        (&json!("gameStart"), &json!("black"))
    );
    assert_eq!(
        anna_events.next().await["type"],
        "challenge",
        "the own challenge is echoed"
    );
    assert_eq!(
        anna_events.next().await["game"]["opponent"]["username"],
        "BOT SandBot"
    );

    let mut bot = table.bot.watches(&id).await;
    let mut anna = table.anna.watches(&id).await;
    let full = bot.next().await;
    assert_eq!(full["type"], "gameFull");
    assert_eq!(full["state"]["wtime"], 300_000);
    assert_eq!(anna.next().await["white"]["name"], "Anna");
    assert_eq!(table.bot.says(&id, "Good luck!").await.0, 200);
    assert_eq!(anna.next().await["text"], "Good luck!");

    let moves = ["f2f3", "e7e5", "g2g4", "d8h4"];
    for (ply, uci) in moves.iter().enumerate() {
        table.sandbox.advance(Millis(1_234));
        let mover = if ply % 2 == 0 { &table.anna } else { &table.bot };
        mover.plays(&id, &format!("move/{uci}")).await;
        let state = anna.next_of("gameState").await;
        assert_eq!(state["moves"], moves[..=ply].join(" "));
        let last = ply + 1 == moves.len();
        assert_eq!(state["status"], if last { "mate" } else { "started" });
    }
    let mut last = bot.next_of("gameState").await;
    while last["status"] == "started" {
        last = bot.next_of("gameState").await;
    }
    // White thought 1.23 s once and gained 3 s; Black's mating move gains nothing.
    assert_eq!(
        (&last["wtime"], &last["btime"]),
        (&json!(301_770), &json!(298_770))
    );
    assert_eq!(last["winner"], "black");
    bot.ends().await;
    anna.ends().await;
    for events in [&mut bot_events, &mut anna_events] {
        let finish = events.next_of("gameFinish").await;
        assert_eq!(finish["game"]["status"], json!({ "id": 30, "name": "mate" }));
        assert_eq!(finish["game"]["lastMove"], "d8h4");
    }
}
