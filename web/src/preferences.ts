// The player's switches, remembered between visits.
import { recall, remember } from './storage';

const DEFAULTS = { sound: false, autoQueen: false, mute: false };

export type Switch = keyof typeof DEFAULTS;

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

/** What was switched on this visit; a browser that forbids storage still keeps it until the page closes. */
const current = new Map<Switch, boolean>();

export function isOn(name: Switch): boolean {
  return current.get(name) ?? recall(name, isBoolean) ?? DEFAULTS[name];
}

export function turn(name: Switch, on: boolean): void {
  current.set(name, on);
  remember(name, on);
}
