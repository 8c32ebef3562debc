// The chat beside the board: text only, whatever anybody writes.
import { h } from '../dom';
import { isOn, turn } from '../preferences';
import { text } from '../text';
import type { Game } from './state';

/** lichess' limit for a line. */
const LONGEST_LINE = 140;
const SYSTEM_USER = 'lichess';

export function createChat(game: Game, say: (line: string) => void) {
  let drawn: unknown = null;

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
  const send = (line: string) => {
    if (line.trim()) say(line.trim());
  };
  const form = h(
    'form',
    {
      onsubmit: (event: SubmitEvent) => {
        event.preventDefault();
        send(input.value);
        input.value = '';
      },
    },
    input,
    h('button', { type: 'submit' }, text.send),
  );
  const presets = h(
    'div',
    { class: 'presets' },
    ...text.presets.map((line) => h('button', { type: 'button', onclick: () => send(line) }, line)),
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
    const key = muted ? text.muted : game.chat;
    if (key === drawn) return;
    drawn = key;
    if (muted) log.replaceChildren(h('p', { class: 'note' }, text.muted));
    else if (game.chat.length === 0) log.replaceChildren(h('p', { class: 'note' }, text.noChat));
    else log.replaceChildren(...game.chat.map(({ user, text: line }) => chatLine(game, user, line)));
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
    render,
  };
}

function chatLine(game: Game, user: string, line: string): HTMLElement {
  if (user === SYSTEM_USER) return h('p', { class: 'system' }, line);
  const isMine = user.toLowerCase() === game.me;
  const kind = `${isMine ? 'mine' : ''} ${line.startsWith('!') ? 'command' : ''}`.trim();
  return h('p', { class: kind }, h('b', { dir: 'auto' }, user), ' ', h('span', { dir: 'auto' }, line));
}
