-- The level that was really played at; none for full strength. Of earlier games only a level that was asked for is known.
ALTER TABLE games ADD COLUMN played INTEGER;
UPDATE games SET played = level;
