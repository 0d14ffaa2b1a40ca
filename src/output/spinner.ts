import type { Clock } from '../kernel/clock.ts';
import type { Sink } from '../kernel/io.ts';
import { safeText } from '../kernel/safe-text.ts';
import type { ProgressStyle } from './progress.ts';

/** Shows on stderr that something is waited for. Like all talk, it fails nothing when it cannot be written. */
export interface Spinner {
  /** Waits, and says for what. @throws the signal's reason as soon as it aborts. */
  wait(milliseconds: number, text: string, signal: AbortSignal): Promise<void>;
  /** Takes the spinner off the screen. */
  end(): Promise<void>;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_TIME = 100;
const ERASE_LINE = '\r\u001b[2K';

/** With `bar` one line of a terminal that turns, with `lines` a line whenever the text is another, with `none` nothing. */
export function createSpinner(sink: Sink, clock: Clock, style: ProgressStyle): Spinner {
  const write = (text: string) => sink.write(text).catch(() => undefined);
  let frames = 0;
  let said = '';

  async function turn(milliseconds: number, text: string, signal: AbortSignal): Promise<void> {
    const end = clock.now() + milliseconds;
    for (let left = milliseconds; left > 0; left = end - clock.now()) {
      const line = `${FRAMES[frames % FRAMES.length]} ${safeText(text)}`;
      frames += 1;
      await write(ERASE_LINE + line.slice(0, (sink.columns ?? 80) - 1));
      await clock.sleep(Math.min(FRAME_TIME, left), signal);
    }
  }

  return {
    async wait(milliseconds, text, signal) {
      if (style === 'bar') return turn(milliseconds, text, signal);
      if (style === 'lines' && text !== said) await write(`${safeText(text)}\n`);
      said = text;
      await clock.sleep(milliseconds, signal);
    },
    async end() {
      if (frames > 0) await write(ERASE_LINE);
    },
  };
}
