// The chat beside the board: text only, whatever anybody writes.
import { h } from '../dom';
import { isOn, turn } from '../preferences';
import { text } from '../text';
import type { Game, Said } from './state';

/** lichess' limit for a line. */
const LONGEST_LINE = 140;
const SYSTEM_USER = 'lichess';

export function createChat(game: Game, say: (line: string) => Promise<boolean>) {
  let drawn: readonly string[] = [];
  /** From here on in the chat stands what answers us: that is heard though the chat is muted. */
  let answersFrom = Infinity;
  const expectAnswer = () => (answersFrom = game.chat.length);

  const log = h('div', { class: 'chat-log', role: 'log', tabindex: 0, 'aria-label': text.chatLog });
  const input = h('input', {
    type: 'text',
    maxlength: LONGEST_LINE,
    autocomplete: 'off',
    enterkeyhint: 'send',
    'aria-label': text.chatLabel,
    'aria-keyshortcuts': 'c',
    placeholder: text.chatLabel,
  });
  const send = async (line: string): Promise<boolean> => {
    if (line.trim().startsWith('!')) expectAnswer();
    return line.trim() === '' || say(line.trim());
  };
  /** The field is free at once for the next line, and gets back one that could not be sent. */
  const sendTyped = async () => {
    const line = input.value;
    input.value = '';
    if (!(await send(line)) && input.value === '') input.value = line;
  };
  const form = h(
    'form',
    {
      onsubmit: (event: SubmitEvent) => {
        event.preventDefault();
        void sendTyped();
      },
    },
    input,
    h('button', { type: 'submit' }, text.send),
  );
  const presets = h(
    'div',
    { class: 'presets' },
    ...text.presets.map((line) => h('button', { type: 'button', onclick: () => void send(line) }, line)),
  );
  const mute = h('input', {
    type: 'checkbox',
    onchange: () => {
      turn('mute', mute.checked);
      render();
    },
  });
  mute.checked = isOn('mute');

  const render = () => {
    const muted = isOn('mute');
    const lines = muted ? answers(game, answersFrom) : game.chat;
    const note = muted ? text.muted : lines.length === 0 ? text.noChat : null;
    const parts = [
      ...(note === null ? [] : [{ key: note, draw: () => h('p', { class: 'note' }, note) }]),
      ...lines.map(({ user, text: line }) => ({ key: `${user}\n${line}`, draw: () => chatLine(game, user, line) })),
    ];
    // Screen readers read out what is added to a log: what stands there already stays.
    const differs = parts.findIndex(({ key }, i) => key !== drawn[i]);
    const same = differs < 0 ? parts.length : differs;
    if (same === parts.length && same === drawn.length) return;
    while (log.childElementCount > same) log.lastElementChild?.remove();
    log.append(...parts.slice(same).map(({ draw }) => draw()));
    drawn = parts.map(({ key }) => key);
    log.scrollTop = log.scrollHeight;
  };

  return {
    element: h(
      'section',
      { class: 'chat', 'aria-label': text.chat },
      h('div', { class: 'spread' }, h('h2', {}, text.chat), h('label', { class: 'mute' }, mute, text.mute)),
      log,
      presets,
      form,
    ),
    /** The next line of the opponent answers a request of ours. */
    expectAnswer,
    render,
  };
}

/** What the server has said since we asked for something, and the first word of the opponent. */
function answers({ chat, me }: Game, from: number): readonly Said[] {
  const since = chat.slice(from);
  const first = since.find(({ user }) => user !== SYSTEM_USER && user.toLowerCase() !== me);
  return since.filter((line) => line.user === SYSTEM_USER || line === first);
}

function chatLine(game: Game, user: string, line: string): HTMLElement {
  if (user === SYSTEM_USER) return h('p', { class: 'system' }, line);
  const isMine = user.toLowerCase() === game.me;
  const kind = `${isMine ? 'mine' : ''} ${line.startsWith('!') ? 'command' : ''}`.trim();
  return h('p', { class: kind }, h('b', { dir: 'auto' }, user), ' ', h('span', { dir: 'auto' }, line));
}
