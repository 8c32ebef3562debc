-- Whom opponents asked for too late for a game: what the bot has said it will do in the next one.
CREATE TABLE wishes (
    opponent    TEXT PRIMARY KEY,
    personality TEXT,
    level       INTEGER,
    at          INTEGER NOT NULL             -- epoch milliseconds
) STRICT, WITHOUT ROWID;
