// Moves by keyboard: SAN or UCI, matched against the list of legal moves that the server sent.
import { h, setText } from '../dom';
import type { View } from '../model';
import { text } from '../text';
import { isMyTurn, isPlaying, rules, type Game } from './state';

export type Match = { readonly uci: string } | { readonly problem: string };

/** Marks that people add or leave out, and zeros for castling. */
const bare = (san: string): string => san.trim().replace(/0/g, 'O').replace(/[x+#=?!]/g, '');

/** The legal move that was meant. `bc4` and `Bc4` differ, but `nf3` can only be a knight. */
export function findMove(typed: string, { legal, dests }: Pick<View, 'legal' | 'dests'>): Match {
  const word = bare(typed);
  const uci = typed.trim().toLowerCase();
  const exact = legal.filter((move) => bare(move.san) === word || move.uci.toLowerCase() === uci);
  const loose = legal.filter(({ san }) => bare(san).toLowerCase() === word.toLowerCase());
  const matches = exact.length ? exact : loose;
  const [first] = matches;
  // Castling has two spellings in UCI, and the list has one.
  if (!first && uci.length === 4 && dests[uci.slice(0, 2)]?.includes(uci.slice(2))) return { uci };
  if (!first) return { problem: text.entryIllegal(typed.trim()) };
  if (matches.length > 1) return { problem: text.entryAmbiguous(typed.trim(), matches.map(({ san }) => san)) };
  return { uci: first.uci };
}

export function createEntry(game: Game, play: (uci: string) => void) {
  const id = 'entry-problem';
  const problem = h('p', { class: 'note problem', id, role: 'alert' });
  const input = h('input', {
    type: 'text',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    enterkeyhint: 'go',
    'aria-describedby': id,
    'aria-keyshortcuts': 'm',
    oninput: () => setText(problem, ''),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!input.value.trim()) return;
    if (!isMyTurn(game)) return setText(problem, text.entryNotYourTurn);
    const match = game.view && findMove(input.value, game.view);
    if (!match) return;
    if ('problem' in match) return setText(problem, match.problem);
    input.value = '';
    play(match.uci);
  };
  const element = h('form', { class: 'entry', onsubmit: submit }, input, problem);
  return {
    element,
    render() {
      element.hidden = !isPlaying(game);
      const hint = rules(game).pockets ? text.entryHintDrops : text.entryHint;
      input.setAttribute('aria-label', `${text.entryLabel}, ${hint}`);
      input.placeholder = `${text.entryLabel}: ${hint}`;
    },
  };
}
