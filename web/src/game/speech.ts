// Moves and times in words, for screen readers.
import { text } from '../text';

/** Piece, where it came from, capture, destination, promotion. */
const SAN = /^([KQRBN]?)([a-h]?[1-8]?)(x?)([a-h][1-8])(?:=([QRBNK]))?$/;
/** A piece, none for a pawn, and the square that it is dropped on. */
const DROP = /^([QRBN]?)@([a-h][1-8])$/;

/** `Nxf3+` becomes `knight takes f3, check`. */
export function spokenMove(san: string): string {
  const end = san.endsWith('#') ? `, ${text.checkmate}` : san.endsWith('+') ? `, ${text.check}` : '';
  const move = san.replace(/[+#]$/, '');
  if (move === 'O-O') return text.castlesShort + end;
  if (move === 'O-O-O') return text.castlesLong + end;
  const [, dropped = '', square] = DROP.exec(move) ?? [];
  if (square) return text.dropped(text.pieces[dropped.toLowerCase() || 'p'] ?? dropped, square) + end;
  const [, piece = '', from = '', takes, to, promotion = ''] = SAN.exec(move) ?? [];
  if (!to) return san; // Notation of a variant that we do not speak is better spelled than lost.
  const words = [text.pieces[piece.toLowerCase()], ...from, takes && text.takes, to];
  if (promotion) words.push(text.promotesTo, text.pieces[promotion.toLowerCase()]);
  return words.filter(Boolean).join(' ') + end;
}

/** `4 minutes 10 seconds` */
export function spokenTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  if (minutes === 0) return text.seconds(rest);
  return rest === 0 ? text.minutes(minutes) : `${text.minutes(minutes)} ${text.seconds(rest)}`;
}
