-- Whether the engine had thought about the position on the opponent's time: 1 for a hit, 0 where it expected another reply.
ALTER TABLE moves ADD COLUMN pondered INTEGER;
