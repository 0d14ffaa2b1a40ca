import { safeText } from '../kernel/safe-text.ts';
import { duration } from './quantities.ts';
import type { Signs } from './signs.ts';

const FRAME_TIME = 100;

/** Milliseconds after which it is worth saying for how long. */
const LONG = 3_000;

/** `⠹ documents list: waiting for api.example.com  4 s`: what is waited for, after so many milliseconds. */
export function spinnerLine(text: string, milliseconds: number, room: number, { turning }: Signs): string {
  const frame = turning[Math.floor(milliseconds / FRAME_TIME) % turning.length];
  const time = milliseconds < LONG ? '' : `  ${duration(Math.floor(milliseconds / 1000))}`;
  const shown = `${frame} ${safeText(text)}`;
  return shown.length + time.length > room ? shown.slice(0, room) : shown + time;
}
