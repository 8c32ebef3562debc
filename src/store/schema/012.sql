-- In which order games that have ended, and challenges, came to be what they are: every write gives the next number, whatever
-- the clock shows. `games push` goes by it.
ALTER TABLE games ADD COLUMN revision INTEGER;      -- none while the game runs
ALTER TABLE challenges ADD COLUMN revision INTEGER;
UPDATE games SET revision = number FROM (SELECT id AS of, row_number() OVER (ORDER BY began, id) AS number
    FROM games WHERE ended IS NOT NULL) AS numbered WHERE id = of;
UPDATE challenges SET revision = number FROM (SELECT id AS of, row_number() OVER (ORDER BY at, id) AS number
    FROM challenges) AS numbered WHERE id = of;
CREATE INDEX games_by_revision ON games (revision) WHERE revision IS NOT NULL;
CREATE INDEX challenges_by_revision ON challenges (revision) WHERE revision IS NOT NULL;

-- Triggers, so that no way of writing is forgotten. Rows of a damaged archive get numbers of the archive that they come into.
CREATE TRIGGER game_inserted AFTER INSERT ON games WHEN new.ended IS NOT NULL BEGIN
    UPDATE games SET revision = (SELECT coalesce(max(revision), 0) + 1 FROM games WHERE revision IS NOT NULL) WHERE id = new.id;
END;
CREATE TRIGGER game_updated AFTER UPDATE ON games WHEN new.ended IS NOT NULL AND new.revision IS old.revision BEGIN
    UPDATE games SET revision = (SELECT coalesce(max(revision), 0) + 1 FROM games WHERE revision IS NOT NULL) WHERE id = new.id;
END;
CREATE TRIGGER move_inserted AFTER INSERT ON moves BEGIN
    UPDATE games SET revision = (SELECT coalesce(max(revision), 0) + 1 FROM games WHERE revision IS NOT NULL)
    WHERE id = new.game AND ended IS NOT NULL;
END;
CREATE TRIGGER move_updated AFTER UPDATE ON moves BEGIN
    UPDATE games SET revision = (SELECT coalesce(max(revision), 0) + 1 FROM games WHERE revision IS NOT NULL)
    WHERE id = new.game AND ended IS NOT NULL;
END;
CREATE TRIGGER challenge_inserted AFTER INSERT ON challenges BEGIN
    UPDATE challenges SET revision = (SELECT coalesce(max(revision), 0) + 1 FROM challenges WHERE revision IS NOT NULL)
    WHERE id = new.id;
END;
CREATE TRIGGER challenge_updated AFTER UPDATE ON challenges WHEN new.revision IS old.revision BEGIN
    UPDATE challenges SET revision = (SELECT coalesce(max(revision), 0) + 1 FROM challenges WHERE revision IS NOT NULL)
    WHERE id = new.id;
END;

-- Which archive this is: one that is begun anew is another.
CREATE TABLE identity (
    id TEXT PRIMARY KEY                      -- 128 random bits
) STRICT, WITHOUT ROWID;
INSERT INTO identity VALUES (lower(hex(randomblob(16))));
