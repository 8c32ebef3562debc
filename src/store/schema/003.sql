-- What was granted or asked for in a game and must not be again after a restart.
CREATE TABLE favours (
    game      TEXT PRIMARY KEY,
    takebacks INTEGER NOT NULL,              -- granted so far
    offered   INTEGER                        -- half moves played when a draw was offered last
) STRICT, WITHOUT ROWID;
