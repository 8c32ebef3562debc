// Keys of the whole page. A control names its key in `aria-keyshortcuts`; pressing the key is pressing the control.

/** Ignores keys in fields and dialogs and with modifiers. A held letter counts once; held arrows repeat. */
export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
    if (event.repeat && event.key.length === 1) return;
    if (press(event.key)) event.preventDefault();
  });
}

const isTaken = (target: EventTarget | null): boolean =>
  (target instanceof HTMLInputElement && target.type !== 'checkbox') ||
  (target instanceof Element && target.closest('dialog') !== null);

/** True when a control on the page wears the key: a button is clicked, a field takes the cursor. */
function press(key: string): boolean {
  const controls = document.querySelectorAll<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`);
  const control = [...controls].find((candidate) => candidate.closest('[hidden]') === null);
  if (control instanceof HTMLInputElement) control.focus();
  else control?.click();
  return control !== undefined;
}
