// A short notice when a book or personality is reloaded while the page is open.
import * as api from './api';
import { h, setText } from './dom';

const LOOK_EVERY_MS = 1_000;
const SHOWN_MS = 8_000;

/** The notice; empty where the server does not report reloads. */
export function reloadLine(): HTMLElement {
  const line = h('p', { class: 'banner reloaded', role: 'status', hidden: true });
  let known: number | null = null;
  let hide = 0;

  const look = async () => {
    const events = document.hidden ? null : await api.reloads().catch(() => null);
    if (!events) return;
    const [newest] = events;
    const fresh = known !== null && newest && newest.number > known ? newest : null;
    known = newest?.number ?? 0;
    if (!fresh) return;
    setText(line, fresh.text);
    line.classList.toggle('problem', !fresh.good);
    line.hidden = false;
    clearTimeout(hide);
    hide = window.setTimeout(() => (line.hidden = true), SHOWN_MS);
  };

  const begin = (lobby: { readonly reloads?: boolean }) => {
    if (!lobby.reloads) return;
    void look();
    setInterval(() => void look(), LOOK_EVERY_MS);
  };
  api.lobby().then(begin, () => undefined);
  return h('div', { class: 'banners' }, line);
}
