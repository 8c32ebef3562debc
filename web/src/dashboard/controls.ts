// The owner's controls. Each sends a command; the health line shows its effect.
import { h, setText } from '../dom';
import { twice } from '../twice';
import * as api from './api';
import { words } from './words';

export function createControls(asked: () => void) {
  const said = h('span', { class: 'note', role: 'status' });
  let paused = false;
  const wish = async (name: api.Wish) => {
    setText(said, await api.wish(name).then(() => words.asked, (error: Error) => words.failed(error.message)));
    asked();
  };
  const button = (label: string, title: string, press?: () => void) => h('button', { type: 'button', title, onclick: press }, label);

  const pause = button(words.pause, words.pauseTip, () => void wish(paused ? 'resume' : 'pause'));
  const reload = button(words.reload, words.reloadTip, () => void wish('reload'));
  const drain = button(words.drain, words.drainTip);
  twice(drain, (armed) => setText(drain, armed ? words.sure : words.drain), () => void wish('drain'));

  const level = h('input', { id: 'level', type: 'number', step: 50, placeholder: words.levelPlaceholder, autocomplete: 'off' });
  const setLevel = async (wanted: number | null) => {
    setText(said, await api.setLevel(wanted).then(() => words.asked, (error: Error) => words.failed(error.message)));
    asked();
  };
  const now = h('span', { class: 'note' });
  const asWritten = button(words.levelAsWritten, words.levelAsWrittenTip, () => { level.value = ''; void setLevel(null); });
  const form = h('form', { class: 'row controls level', onsubmit: (event: SubmitEvent) => {
    event.preventDefault();
    if (level.value !== '') void setLevel(Number(level.value));
  } },
    h('label', { for: 'level' }, words.casualLevel), level,
    h('button', { type: 'submit', title: words.levelTip }, words.setLevel), asWritten, now);

  const element = h('div', { class: 'all-controls', hidden: true }, h('div', { class: 'row controls' }, pause, reload, drain, said), form);
  return {
    element,
    render({ casualLevel, levels, controls, ...rest }: api.Overview) {
      element.hidden = !controls;
      [level.min, level.max] = [String(levels.min), String(levels.max)];
      setText(now, casualLevel === null ? words.levelBySettings : words.levelNow(casualLevel));
      asWritten.hidden = casualLevel === null;
      render(rest);
    },
  };

  function render(now: Pick<api.Overview, 'paused' | 'draining'>): void {
    paused = now.paused;
    setText(pause, paused ? words.resume : words.pause);
    pause.title = paused ? words.resumeTip : words.pauseTip;
    pause.disabled = now.draining;
    drain.disabled = now.draining;
  }
}
