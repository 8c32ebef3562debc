// All texts of the editor page.
import type { Kind } from './api';

const counted = (count: number, one: string, many = `${one}s`): string => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

export const words = {
  title: 'Books and personalities',
  back: 'Back',
  backTip: 'Back to the page of the bot',
  loading: 'Loading…',
  failed: (why: string) => `That did not work: ${why}`,
  nothing: 'The folders hold no books and personalities: the program plays with the shipped ones.',
  choose: 'Choose a book or a personality.',
  kinds: { book: 'Books', personality: 'Personalities' } as Record<Kind, string>,
  textOf: (path: string) => `Text of ${path}`,
  tooLarge: 'too large to be edited here',

  checking: 'Checking…',
  inOrder: 'In order.',
  found: (errors: number, warnings: number) =>
    [errors > 0 && counted(errors, 'mistake'), warnings > 0 && counted(warnings, 'warning')].filter(Boolean).join(', '),
  more: (count: number) => `and ${count} more`,
  findings: 'Findings',
  at: (line: number, column: number) => `${line}:${column}`,
  severities: { error: 'mistake', warning: 'warning' } as Record<string, string>,
  keys: 'Ctrl+S saves, F8 goes to the next mistake, Shift+F8 to the one before.',

  save: 'Save',
  saveTip: 'Save (Ctrl+S)',
  unsaved: 'Not saved yet.',
  mendFirst: 'A text with mistakes is not saved: the bot goes on with the last good version. Your text stays here.',
  saved: (backup: string | null) =>
    backup === null ? 'The file has this text already.' : `Saved. Games use it within two seconds; the previous version is ${backup}.`,
  restored: 'This text was not saved when the page was left.',
  changed: 'The file has changed on the disk since it was opened here.',
  keepMine: 'Keep mine: the next save replaces it',
  takeTheirs: 'Read the file again',
  sure: 'Sure? Your text will be lost',

  tree: 'What it plays',
  from: 'From',
  fromHint: 'moves as in 1. e4 c5, or a FEN',
  depth: 'Half moves',
  treeNote: (lines: number, positions: number) => `${counted(lines, 'line')} of moves, ${counted(positions, 'position')}.`,
  noMoves: 'It has no move there.',
  seen: 'goes on as above',
  toLine: (at: string) => `To line ${at}`,
  noTree: 'This text is no book, so there is no tree.',

  knobs: 'What it means',
  noKnobs: 'A personality with mistakes is not shown.',
  strength: (text: string) => `Strength: ${text}.`,
  tryLevel: 'Parameters at level',
  ownLevel: 'as written',
  knob: 'Parameter',
  value: 'Value',
  meaning: 'Meaning',
  keysOf: 'Every key, written or not',
  line: 'Line',
} as const;
