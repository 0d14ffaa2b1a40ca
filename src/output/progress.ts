import type { Clock } from '../kernel/clock.ts';
import type { Sink } from '../kernel/io.ts';

/** How far a job is. */
interface ProgressState {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
}

/** Shows how far a job is, on stderr. It never fails: talk that cannot be written must not end what it is about. */
export interface Progress {
  update(state: ProgressState): Promise<void>;
  /** Takes the bar off the screen. */
  end(): Promise<void>;
}

/** `bar` redraws one line of a terminal, `lines` writes a line now and then, `none` is silent. */
export type ProgressStyle = 'bar' | 'lines' | 'none';

const BAR_INTERVAL = 100;
const LINE_INTERVAL = 10_000;
const BAR_CELLS = 24;
const ERASE_LINE = '\r\u001b[2K';

/**
 * @param noun what is counted, in the plural
 * @param before done before this run, which its speed is not to be credited with
 */
export function createProgress(sink: Sink, clock: Clock, style: ProgressStyle, noun: string, before = 0): Progress {
  const started = clock.now();
  const interval = style === 'bar' ? BAR_INTERVAL : LINE_INTERVAL;
  let next = style === 'bar' ? started : started + LINE_INTERVAL;
  let drawn = false;
  const write = (text: string) => sink.write(text).catch(() => undefined);

  return {
    async update(state) {
      const now = clock.now();
      if (style === 'none' || now < next) return;
      next = now + interval;
      const told = tell({ ...state, before }, (now - started) / 1000, noun);
      drawn = style === 'bar';
      await write(drawn ? ERASE_LINE + barLine(state, told, sink.columns ?? 80) : `${told}\n`);
    },
    async end() {
      if (drawn) await write(ERASE_LINE);
      drawn = false;
    },
  };
}

/** `1,200 of 5,000 users, 3 failed, 400/s, 10 s left` */
function tell(
  { done, total, failed, before }: ProgressState & { before: number },
  seconds: number,
  noun: string,
): string {
  const parts = [`${count(done)} of ${count(total)} ${noun}`];
  if (failed > 0) parts.push(`${count(failed)} failed`);
  const rate = seconds > 0 ? (done - before) / seconds : 0;
  if (rate > 0) parts.push(`${count(Math.round(rate))}/s`, `${duration((total - done) / rate)} left`);
  return parts.join(', ');
}

function barLine({ done, total }: ProgressState, told: string, columns: number): string {
  const filled = total > 0 ? Math.floor((done / total) * BAR_CELLS) : 0;
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)} `;
  const wide = bar.length + told.length < columns;
  return (wide ? bar + told : told).slice(0, columns - 1);
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
