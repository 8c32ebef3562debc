-- Whose games these are: what the server calls the bot's account.
ALTER TABLE games ADD COLUMN account TEXT;
-- Challenges of the bot's own are kept too, what was to be played, and which game was to be repeated.
ALTER TABLE challenges ADD COLUMN sent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE challenges ADD COLUMN game TEXT;
ALTER TABLE challenges ADD COLUMN repeats TEXT;
CREATE INDEX challenges_by_time ON challenges (at);
-- Bots that are not challenged for a while, and how often they have refused.
CREATE TABLE rests (
    opponent TEXT PRIMARY KEY,
    refusals INTEGER NOT NULL,
    until    INTEGER NOT NULL                -- epoch milliseconds
) STRICT, WITHOUT ROWID;
