// Moves and times as a voice says them, for those who do not see the board.
import { text } from '../text';

/** `Nxf3+` becomes `knight takes f3, check`. */
export function spokenMove(san: string): string {
  const end = san.endsWith('#') ? `, ${text.checkmate}` : san.endsWith('+') ? `, ${text.check}` : '';
  const move = san.replace(/[+#]$/, '');
  if (move === 'O-O') return text.castlesShort + end;
  if (move === 'O-O-O') return text.castlesLong + end;
  const words = [...move].map((letter, i) => {
    if (letter === 'x') return text.takes;
    if (letter === '=') return text.promotesTo;
    const isPiece = /[KQRBN]/.test(letter);
    return isPiece ? (text.pieces[letter.toLowerCase()] ?? letter) : i > 0 && /\d/.test(letter) ? `\b${letter}` : letter;
  });
  return words.join(' ').replaceAll(' \b', '').replaceAll('\b', '') + end;
}

/** `4 minutes 10 seconds` */
export function spokenTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  if (minutes === 0) return text.seconds(rest);
  return rest === 0 ? text.minutes(minutes) : `${text.minutes(minutes)} ${text.seconds(rest)}`;
}
