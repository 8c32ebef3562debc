// The buttons at the right of the header, and the dialog with switches and the list of keys.
import { h, icon } from './dom';
import { isOn, turn, type Switch } from './preferences';
import { play } from './sound';
import { text } from './text';

/** Sound on or off: one press anywhere on the page, and one tone to show that it works. */
export function soundSwitch(): HTMLElement {
  const press = () => {
    turn('sound', !isOn('sound'));
    render();
    play('move');
  };
  const button = h('button', { type: 'button', class: 'bare', 'aria-keyshortcuts': 's', onclick: press });
  const render = () => {
    const on = isOn('sound');
    button.setAttribute('aria-pressed', String(on));
    button.setAttribute('aria-label', text.sound);
    button.title = `${on ? text.soundOn : text.soundOff} (s)`;
    button.replaceChildren(icon(on ? 'sound' : 'silence'));
  };
  render();
  return button;
}

export function settingsButton(): HTMLElement {
  const open = () => {
    const dialog = settings();
    document.body.append(dialog);
    dialog.addEventListener('close', () => dialog.remove());
    dialog.showModal();
  };
  const label = text.settings;
  return h(
    'button',
    { type: 'button', class: 'bare', title: `${label} (?)`, 'aria-label': label, 'aria-keyshortcuts': '?', onclick: open },
    icon('settings'),
  );
}

function settings(): HTMLDialogElement {
  const title = h('h2', { id: 'settings-title' }, text.settings);
  const keys = text.keys.map(([key, what]) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)));
  const dialog = h(
    'dialog',
    {
      'aria-labelledby': 'settings-title',
      onclick: (event: MouseEvent) => event.target === dialog && dialog.close(), // The backdrop belongs to the dialog.
    },
    h(
      'form',
      { method: 'dialog' },
      h('div', { class: 'spread' }, title, h('button', { class: 'bare', 'aria-label': text.close }, icon('abort'))),
      check('autoQueen', text.autoQueen),
      h('h3', {}, text.keysTitle),
      h('dl', { class: 'keys' }, ...keys),
    ),
  );
  return dialog;
}

function check(name: Switch, label: string): HTMLElement {
  const box = h('input', { type: 'checkbox', onchange: () => turn(name, box.checked) });
  box.checked = isOn(name);
  return h('label', { class: 'check' }, box, label);
}
