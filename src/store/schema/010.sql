-- The start asks what was played with whom, and which games run: it reads no game for that, however many there are.
CREATE INDEX games_by_score ON games (opponent, rated, ended, played, status, winner, side);
CREATE INDEX games_without_end ON games (began) WHERE ended IS NULL;
CREATE INDEX wishes_by_time ON wishes (at);
CREATE INDEX rests_by_time ON rests (until);
