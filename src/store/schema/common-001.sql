-- What the common archive adds to the tables of one bot. Two bots of a fleet may play each other: each account has its own row of
-- that game.
ALTER TABLE games DROP CONSTRAINT games_pkey;
ALTER TABLE games ADD PRIMARY KEY (account, id);
ALTER TABLE moves ADD COLUMN account TEXT COLLATE "C" NOT NULL;
ALTER TABLE moves DROP CONSTRAINT moves_pkey;
ALTER TABLE moves ADD PRIMARY KEY (account, game, ply);
ALTER TABLE challenges ADD COLUMN account TEXT COLLATE "C" NOT NULL;
ALTER TABLE challenges DROP CONSTRAINT challenges_pkey;
ALTER TABLE challenges ADD PRIMARY KEY (account, id);

-- Only the bot's own archive has these: what each of its moves rests on, ten times as much as all the rest, and its own numbers.
ALTER TABLE moves DROP COLUMN grounds;
ALTER TABLE games DROP COLUMN revision;
ALTER TABLE challenges DROP COLUMN revision;

CREATE INDEX games_by_time ON games (began);
CREATE INDEX games_by_opponent ON games (opponent);

-- How far each archive has been pushed.
CREATE TABLE pushes (
    archive  TEXT COLLATE "C" NOT NULL,      -- its identity
    kind     TEXT COLLATE "C" NOT NULL,      -- games or challenges
    revision BIGINT NOT NULL,                -- every row up to this one is here
    id       TEXT COLLATE "C" NOT NULL,      -- of the row that had it: an older copy of the archive does not know it
    PRIMARY KEY (archive, kind)
);
