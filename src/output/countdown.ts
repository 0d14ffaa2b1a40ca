import type { Clock } from '../kernel/clock.ts';
import type { Sink } from '../kernel/io.ts';
import { safeText } from '../kernel/safe-text.ts';
import type { ProgressStyle } from './progress.ts';

/** Says on stderr how long something will still be waited for. Like all talk, it fails nothing. */
export interface Countdown {
  /** Counts down to a moment in the background; a later one takes the place of an earlier. */
  start(untilEpoch: number, what: string): void;
  /** What takes it off the screen until it is drawn again: to be written before anything else is. */
  erasure(): string;
  /** Takes it off the screen for good; resolves when nothing of it will be written any more. */
  end(): Promise<void>;
}

const SECOND = 1_000;
const ERASE_LINE = '\r\u001b[2K';

/** With `bar` one line of a terminal that is redrawn each second, with `lines` one that stays, with `none` nothing. */
export function createCountdown(sink: Sink, clock: Clock, style: ProgressStyle): Countdown {
  const write = (text: string) => sink.write(text).catch(() => undefined);
  let counting = Promise.resolve();
  let stop = new AbortController();
  let isShown = false;

  async function count(untilEpoch: number, what: string, { signal }: AbortController): Promise<void> {
    for (let left = untilEpoch - clock.now(); left > 0 && !signal.aborted; left = untilEpoch - clock.now()) {
      isShown = true;
      await write(ERASE_LINE + line(left, what).slice(0, (sink.columns ?? 80) - 1));
      // The next whole second, so that none is left out.
      await clock.sleep(left % SECOND || SECOND, signal).catch(() => undefined);
    }
    if (isShown) await write(ERASE_LINE);
    isShown = false;
  }

  async function end(): Promise<void> {
    stop.abort();
    await counting;
  }

  return {
    start(untilEpoch, what) {
      if (style === 'none') return;
      if (style === 'lines') return void write(`${line(untilEpoch - clock.now(), what)}\n`);
      stop.abort();
      const own = new AbortController();
      stop = own;
      counting = counting.then(() => count(untilEpoch, what, own));
    },
    erasure: () => (isShown ? ERASE_LINE : ''),
    end,
  };
}

/** `waiting 42 s for the service's rate limit …` */
function line(left: number, what: string): string {
  return `waiting ${Math.ceil(left / SECOND)} s for ${safeText(what)} …`;
}
