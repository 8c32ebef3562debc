// Light or dark theme: the system setting, until the player chooses.
import { h, icon } from './dom';
import { recall, remember } from './storage';
import { text } from './text';

type Theme = 'light' | 'dark';

const isTheme = (value: unknown): value is Theme => value === 'light' || value === 'dark';

const system = (): Theme => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

const put = (theme: Theme) => (document.documentElement.dataset['theme'] = theme);

/** Apply the remembered theme and return the switch. */
export function themeSwitch(): HTMLElement {
  const chosen = recall('theme', isTheme);
  if (chosen) put(chosen);
  const press = () => {
    const now = document.documentElement.dataset['theme'];
    const next = (isTheme(now) ? now : system()) === 'dark' ? 'light' : 'dark';
    put(next);
    remember('theme', next);
  };
  return h(
    'button',
    { type: 'button', class: 'bare', title: text.themeSwitch, 'aria-label': text.themeSwitch, onclick: press },
    icon('theme'),
  );
}
