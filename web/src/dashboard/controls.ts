// The owner's buttons. Each asks the daemon; what came of it shows in the line of health.
import { h, setText } from '../dom';
import * as api from './api';
import { words } from './words';

/** An ending is asked for twice within this time. */
const ARMED_MS = 4_000;

export function createControls(asked: () => void) {
  const said = h('span', { class: 'note', role: 'status' });
  let paused = false;
  const wish = async (name: api.Wish) => {
    setText(said, await api.wish(name).then(() => words.asked, (error: Error) => words.failed(error.message)));
    asked();
  };
  const button = (label: string, title: string, press: () => void) => h('button', { type: 'button', title, onclick: press }, label);

  const pause = button(words.pause, words.pauseTip, () => void wish(paused ? 'resume' : 'pause'));
  const reload = button(words.reload, words.reloadTip, () => void wish('reload'));
  const drain = button(words.drain, words.drainTip, () => {
    if (drain.classList.contains('armed')) {
      disarm();
      void wish('drain');
      return;
    }
    drain.classList.add('armed');
    setText(drain, words.sure);
    setTimeout(disarm, ARMED_MS);
  });
  const disarm = () => {
    drain.classList.remove('armed');
    setText(drain, words.drain);
  };

  return {
    element: h('div', { class: 'row controls' }, pause, reload, drain, said),
    render(now: api.Overview) {
      paused = now.paused;
      setText(pause, paused ? words.resume : words.pause);
      pause.title = paused ? words.resumeTip : words.pauseTip;
      pause.disabled = now.draining;
      drain.disabled = now.draining;
    },
  };
}
