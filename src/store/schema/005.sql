-- What a move of mine rests on, as JSON: the book's moves and their chances, or the lines of the search.
ALTER TABLE moves ADD COLUMN grounds TEXT;
