//! Rows of the archive's tables to records, and values to columns.

use rusqlite::Row;

use crate::store::record::{End, GameRecord, MoveRecord, MoveSource, Thought};
use sparring_chess::units::{Centipawns, Depth, Elo, Millis, Nodes};
use sparring_engine::Score;
use sparring_lichess::model::Side;

pub(super) fn game_of(row: &Row<'_>) -> rusqlite::Result<Option<GameRecord>> {
    let (Ok(id), Some(side)) = (
        row.get::<_, String>("id")?.parse(),
        side_of(&row.get::<_, String>("side")?),
    ) else {
        return Ok(None);
    };
    let span = |name| row.get::<_, Option<i64>>(name).map(|span| span.map(millis));
    let elo = |name| row.get::<_, Option<u32>>(name).map(|rating| rating.map(Elo));
    let winner: Option<String> = row.get("winner")?;
    let end = match (span("ended")?, row.get::<_, Option<String>>("status")?) {
        (Some(at), Some(status)) => Some(End {
            at,
            status,
            winner: winner.as_deref().and_then(side_of),
            moves: row.get("moves")?,
        }),
        _ => None,
    };
    Ok(Some(GameRecord {
        id,
        began: millis(row.get("began")?),
        side,
        opponent: row
            .get::<_, Option<String>>("opponent")?
            .and_then(|name| name.parse().ok()),
        name: row.get("name")?,
        is_bot: row.get("is_bot")?,
        rating: elo("rating")?,
        own_rating: elo("own_rating")?,
        rated: row.get("rated")?,
        variant: row.get("variant")?,
        speed: row.get("speed")?,
        clock: span("initial")?.zip(span("increment")?),
        days: row.get("days")?,
        start: row.get("start")?,
        personality: row.get("personality")?,
        level: elo("level")?,
        played: elo("played")?,
        account: row.get("account")?,
        end,
    }))
}

pub(super) fn move_of(row: &Row<'_>) -> rusqlite::Result<MoveRecord> {
    let score: Option<i32> = row.get("score")?;
    let mate: Option<i32> = row.get("mate")?;
    let source = match row.get::<_, Option<String>>("source")?.as_deref() {
        Some("book") => Some(MoveSource::Book),
        Some("online") => Some(MoveSource::Online),
        Some("engine") => Some(MoveSource::Engine {
            depth: Depth(row.get::<_, Option<u32>>("depth")?.unwrap_or_default()),
            nodes: Nodes(
                row.get::<_, Option<i64>>("nodes")?
                    .map_or(0, |nodes| millis(nodes).0),
            ),
        }),
        Some(_) => Some(MoveSource::Other),
        None => None,
    };
    let note: Option<String> = row.get("note")?;
    let think: Option<i64> = row.get("think")?;
    let grounds: Option<String> = row.get("grounds")?;
    let pondered = row.get("pondered")?;
    Ok(MoveRecord {
        ply: row.get("ply")?,
        uci: row.get("uci")?,
        clock: row.get::<_, Option<i64>>("clock")?.map(millis),
        thought: source.map(|source| Thought {
            source,
            note: note.unwrap_or_default(),
            score: score
                .map(|cp| Score::Cp(Centipawns(cp)))
                .or(mate.map(Score::Mate)),
            think: think.map(millis).unwrap_or_default(),
            // An explanation of a newer program is ignored; the move stays.
            grounds: grounds.and_then(|text| serde_json::from_str(&text).ok()),
            pondered,
        }),
    })
}

/// SQLite's integers are signed.
pub(super) fn number(unsigned: u64) -> i64 {
    i64::try_from(unsigned).unwrap_or(i64::MAX)
}

pub(super) fn millis(signed: i64) -> Millis {
    Millis(u64::try_from(signed).unwrap_or_default())
}

pub(super) fn side_name(side: Side) -> &'static str {
    match side {
        Side::White => "white",
        Side::Black => "black",
    }
}

fn side_of(name: &str) -> Option<Side> {
    match name {
        "white" => Some(Side::White),
        "black" => Some(Side::Black),
        _ => None,
    }
}
