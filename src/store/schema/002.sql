-- What became of challenges, and by which rule.
CREATE TABLE challenges (
    id       TEXT PRIMARY KEY,
    at       INTEGER NOT NULL,               -- epoch milliseconds
    opponent TEXT,
    verdict  TEXT NOT NULL,                  -- as the log has it
    rule     TEXT NOT NULL                   -- who decided
) STRICT, WITHOUT ROWID;

-- Limits of the server that outlast a restart, by lichess' key or ours.
CREATE TABLE limits (
    key   TEXT PRIMARY KEY,
    until INTEGER NOT NULL                   -- epoch milliseconds
) STRICT, WITHOUT ROWID;
