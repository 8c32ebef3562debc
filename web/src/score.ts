// Scores as text.

/** A score for the bot: centipawns, or moves to mate (negative when the bot is mated). */
export type Score = { readonly cp: number } | { readonly mate: number };

/** `+0.31`, `−1.20`, `#3`, `#−2`. */
export function scoreText(score: Score): string {
  const signed = (n: number, digits: string) => (n < 0 ? `−${digits}` : digits);
  if ('mate' in score) return `#${signed(score.mate, String(Math.abs(score.mate)))}`;
  const pawns = (Math.abs(score.cp) / 100).toFixed(2);
  return score.cp > 0 ? `+${pawns}` : signed(score.cp, pawns);
}
