import { escapeForTerminal } from '../kernel/safe-text.ts';
import type { Glyphs } from './glyphs.ts';
import { formatDuration } from './quantities.ts';

const FRAME_TIME = 100;

/** Delay before the elapsed time appears, in milliseconds. */
const ELAPSED_DELAY = 3_000;

/** Renders an activity and its elapsed time: `⠹ documents list: waiting for api.example.com  4 s`. */
export function renderSpinnerLine(text: string, milliseconds: number, width: number, { spinnerFrames }: Glyphs) {
  const frame = spinnerFrames[Math.floor(milliseconds / FRAME_TIME) % spinnerFrames.length];
  const time = milliseconds < ELAPSED_DELAY ? '' : `  ${formatDuration(Math.floor(milliseconds / 1000))}`;
  const line = `${frame} ${escapeForTerminal(text)}`;
  return line.length + time.length > width ? line.slice(0, width) : line + time;
}
