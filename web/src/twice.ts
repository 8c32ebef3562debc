// A button for an irreversible action needs two presses, with a pause between them to read the question.

/** Shortest time between the presses: a double click counts as one. */
const TOO_SOON_MS = 500;
/** How long the button stays armed. */
const ARMED_MS = 4_000;

/**
 * Makes `button` act on its second press. `show` draws it armed or not. A press that comes too soon after another starts the
 * wait anew, so that no amount of hasty clicking acts; neither does a key that is held.
 */
export function twice(button: HTMLElement, show: (armed: boolean) => void, act: () => void): { disarm(): void } {
  let ready: ReturnType<typeof setTimeout> | undefined;
  let calm: ReturnType<typeof setTimeout> | undefined;
  let armed = false;

  const turn = (on: boolean) => {
    clearTimeout(ready);
    clearTimeout(calm);
    if (armed === on) return;
    armed = on;
    button.classList.toggle('armed', on);
    show(on);
  };
  const disarm = () => {
    turn(false);
    button.removeAttribute('aria-disabled');
  };
  button.addEventListener('click', () => {
    if (armed && !button.hasAttribute('aria-disabled')) {
      disarm();
      return act();
    }
    turn(true);
    button.setAttribute('aria-disabled', 'true');
    ready = setTimeout(() => button.removeAttribute('aria-disabled'), TOO_SOON_MS);
    calm = setTimeout(disarm, ARMED_MS);
  });
  button.addEventListener('keydown', (event) => {
    if (event.repeat) event.preventDefault();
  });
  return { disarm };
}
