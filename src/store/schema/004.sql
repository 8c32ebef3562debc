-- How weights of books lean by results: made of the games, kept only if the settings say so, never needed.
CREATE TABLE leans (
    book     TEXT NOT NULL,                  -- its name, as personalities call it
    position INTEGER NOT NULL,               -- its key, as a signed number
    uci      TEXT NOT NULL,
    games    INTEGER NOT NULL,
    points   REAL NOT NULL,
    expected REAL NOT NULL,                  -- points, by the ratings
    permille INTEGER NOT NULL,               -- what the share is multiplied by
    PRIMARY KEY (book, position, uci)
) STRICT, WITHOUT ROWID;
