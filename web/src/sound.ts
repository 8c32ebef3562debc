// Sounds synthesised from a few tones, off by default.
import { isOn } from './preferences';

export type Sound = 'move' | 'capture' | 'check' | 'low' | 'won' | 'lost' | 'drawn';

interface Tone {
  /** From this pitch to that one, in Hz: a falling pitch sounds like wood. */
  readonly hz: readonly [number, number];
  /** Seconds after the start of the sound. */
  readonly at: number;
  readonly seconds: number;
  /** Loudness from 0 to 1. */
  readonly gain: number;
  readonly shape: OscillatorType;
}

const knock = (at: number, gain: number, pitch = 1): Tone[] => [
  { hz: [260 * pitch, 110 * pitch], at, seconds: 0.09, gain, shape: 'triangle' },
  { hz: [1900 * pitch, 700 * pitch], at, seconds: 0.02, gain: gain / 4, shape: 'square' },
];

const bell = (hz: number, at: number, seconds = 0.28, gain = 0.16): Tone => ({
  hz: [hz, hz],
  at,
  seconds,
  gain,
  shape: 'sine',
});

const SCORES: Readonly<Record<Sound, readonly Tone[]>> = {
  move: knock(0, 0.45),
  capture: [...knock(0, 0.5, 1.35), ...knock(0.05, 0.35)],
  check: [...knock(0, 0.45), bell(880, 0.03)],
  low: [0, 0.14, 0.28].map((at) => bell(988, at, 0.09)),
  won: [523, 659, 784, 1047].map((hz, i) => bell(hz, i * 0.11, 0.4)),
  lost: [440, 370, 294].map((hz, i) => bell(hz, i * 0.16, 0.45)),
  drawn: [523, 523].map((hz, i) => bell(hz, i * 0.2, 0.35)),
};

let context: AudioContext | null = null;

/** Play a sound, if switched on. Browsers stay silent before the first click. */
export function play(sound: Sound): void {
  if (!isOn('sound')) return;
  context ??= new AudioContext();
  void context.resume();
  for (const tone of SCORES[sound]) strike(context, tone);
}

function strike(audio: AudioContext, { hz: [from, to], at, seconds, gain, shape }: Tone): void {
  const start = audio.currentTime + at;
  const end = start + seconds;
  const tone = new OscillatorNode(audio, { type: shape, frequency: from });
  const volume = new GainNode(audio, { gain });
  tone.frequency.exponentialRampToValueAtTime(to, end);
  volume.gain.setValueAtTime(gain, start);
  volume.gain.exponentialRampToValueAtTime(0.001, end);
  tone.connect(volume).connect(audio.destination);
  tone.start(start);
  tone.stop(end);
}
