-- Games, and their half moves as they were shown.
CREATE TABLE games (
    id          TEXT PRIMARY KEY,
    began       INTEGER NOT NULL,            -- epoch milliseconds
    ended       INTEGER,                     -- epoch milliseconds; none while it runs
    side        TEXT NOT NULL,               -- mine: white or black
    opponent    TEXT,                        -- user id; none for anonymous people and lichess' computer
    name        TEXT NOT NULL,               -- the opponent's, for people
    is_bot      INTEGER NOT NULL,
    rating      INTEGER,                     -- the opponent's
    own_rating  INTEGER,
    rated       INTEGER NOT NULL,
    variant     TEXT NOT NULL,
    speed       TEXT NOT NULL,
    initial     INTEGER,                     -- milliseconds on the clock at the start; none without a clock
    increment   INTEGER,                     -- milliseconds a move
    days        INTEGER,                     -- a move, in correspondence
    start       TEXT NOT NULL,               -- FEN or startpos
    personality TEXT NOT NULL,
    level       INTEGER,
    status      TEXT,
    winner      TEXT,                        -- white or black
    moves       TEXT NOT NULL DEFAULT ''     -- UCI, once it has ended
) STRICT, WITHOUT ROWID;
CREATE INDEX games_by_time ON games (began);
CREATE INDEX games_by_opponent ON games (opponent, began);

CREATE TABLE moves (
    game   TEXT NOT NULL,
    ply    INTEGER NOT NULL,                 -- from 1
    uci    TEXT NOT NULL,
    clock  INTEGER,                          -- milliseconds left to who moved, when it was shown
    source TEXT,                             -- book, engine or other; mine only, as all below
    note   TEXT,                             -- why, in words
    score  INTEGER,                          -- centipawns for me
    mate   INTEGER,                          -- moves to mate, negative when I am mated
    depth  INTEGER,
    nodes  INTEGER,
    think  INTEGER,                          -- milliseconds from the turn to the decision
    PRIMARY KEY (game, ply)
) STRICT, WITHOUT ROWID;
