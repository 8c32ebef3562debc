-- Who was asked to play a game, and at which level, by its opponent.
ALTER TABLE favours ADD COLUMN personality TEXT;
ALTER TABLE favours ADD COLUMN level INTEGER;
