import type { Clock } from '../kernel/clock.ts';
import type { Sink } from '../kernel/io.ts';
import { escapeForTerminal } from '../kernel/safe-text.ts';
import { type Glyphs, UNICODE_GLYPHS } from './glyphs.ts';
import {
  formatCountdown,
  type ProgressState,
  renderBarLine,
  renderPlainLine,
  renderSpinnerLine,
} from './progress-text.ts';

export type ProgressStyle = 'bar' | 'lines' | 'none';

const SECOND = 1_000;
const LINE_INTERVAL = 10_000;
const BAR_INTERVAL = 100;
/** Delay before a bar appears, in milliseconds. */
const BAR_DELAY = 250;
const ERASE_LINE = '\r\u001b[2K';

export interface ProgressTerminal {
  /** Whether the last output on the terminal ended without a line break. */
  readonly isInLine?: (() => boolean) | undefined;
  /**
   * Holds back a message while an incomplete document is on the terminal. Returns whether the
   * message was held back.
   */
  readonly holdMessage?: (text: string) => boolean;
  readonly glyphs?: Glyphs;
}

export function createProgress(
  sink: Sink,
  clock: Clock,
  style: ProgressStyle,
  terminal: ProgressTerminal = {},
): Progress {
  return new Progress(sink, clock, style, terminal);
}

interface TrackedTask {
  readonly readState: () => ProgressState;
  readonly estimateRate: ReturnType<typeof createRateEstimator>;
  readonly since: number;
}

/**
 * While a display is active, write every other message with `print`. Ignores write errors: a closed
 * stderr ends no command.
 */
export class Progress {
  readonly #sink: Sink;
  readonly #clock: Clock;
  readonly #style: ProgressStyle;
  #tracked: TrackedTask | undefined;
  #countdown: { readonly until: number; readonly reason: string } | undefined;
  readonly #activities = new Set<{ readonly text: string; readonly since: number }>();
  #lastPrinted = '';
  #isDrawn = false;
  readonly #terminal: ProgressTerminal;
  readonly #glyphs: Glyphs;
  #loop = new AbortController();
  #loopDone = Promise.resolve();

  constructor(sink: Sink, clock: Clock, style: ProgressStyle, terminal: ProgressTerminal) {
    this.#sink = sink;
    this.#clock = clock;
    this.#style = style;
    this.#terminal = terminal;
    this.#glyphs = terminal.glyphs ?? UNICODE_GLYPHS;
  }

  /** @returns a function that ends the display, and resolves after its last write */
  track(readState: () => ProgressState): () => Promise<void> {
    if (this.#style === 'none') return async () => undefined;
    const since = this.#clock.now();
    const task = { readState, since, estimateRate: createRateEstimator(since, readState().done) };
    this.#tracked = task;
    this.#restart();
    return async () => {
      if (this.#tracked === task) this.#tracked = undefined;
      await this.#showRemaining();
    };
  }

  /** Shows a countdown in the background. A new countdown replaces the previous one. */
  countDown(until: number, reason: string): void {
    if (this.#style === 'none') return;
    this.#countdown = { until, reason };
    if (this.#style === 'bar') this.#restart();
    else {
      const countdown = formatCountdown({ remaining: until - this.#clock.now(), reason });
      void this.#write(`${countdown} ${this.#glyphs.ellipsis}\n`);
    }
  }

  /**
   * Shows a spinner on a terminal, otherwise a single line.
   * @returns a function that ends the display after its last write
   */
  showActivity(text: string): () => Promise<void> {
    if (this.#style === 'none') return async () => undefined;
    if (this.#style === 'lines') {
      const printed =
        text === this.#lastPrinted ? undefined : this.#write(`${escapeForTerminal(text)}\n`);
      this.#lastPrinted = text;
      return async () => printed;
    }
    const activity = { text, since: this.#clock.now() };
    this.#activities.add(activity);
    this.#restart();
    return async () => {
      this.#activities.delete(activity);
      await this.#showRemaining();
    };
  }

  async print(text: string): Promise<void> {
    if (!this.#terminal.holdMessage?.(text))
      await this.#write(text, this.#isDrawn ? this.#line() : '');
  }

  /** Writes to a sink that may be the same terminal, without damaging the redrawn line. */
  async writeAlongside(sink: Sink, text: string | Uint8Array): Promise<void> {
    if (this.#style !== 'bar' || !sink.isTerminal) return sink.write(text);
    const wasDrawn = this.#isDrawn;
    if (wasDrawn) await this.#write('');
    await sink.write(text);
    if (wasDrawn) await this.#write('', this.#line());
  }

  async stop(): Promise<void> {
    this.#tracked = undefined;
    this.#activities.clear();
    this.#countdown = undefined;
    this.#loop.abort();
    await this.#loopDone;
  }

  async #showRemaining(): Promise<void> {
    const before = this.#loopDone;
    this.#restart();
    await (this.#line() === undefined ? this.#loopDone : before);
  }

  #restart(): void {
    this.#loop.abort();
    const controller = new AbortController();
    this.#loop = controller;
    const show = () =>
      this.#style === 'bar'
        ? this.#redraw(controller.signal)
        : this.#printPeriodically(controller.signal);
    this.#loopDone = this.#loopDone.then(show);
  }

  async #redraw(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const line = this.#line();
      if (line === undefined) break;
      if (line) await this.#write('', line);
      await this.#clock.sleep(this.#untilNext(), stop).catch(() => undefined);
    }
    if (this.#isDrawn && !this.#line()) await this.#write('');
  }

  async #printPeriodically(stop: AbortSignal): Promise<void> {
    for (let task = this.#tracked; task; task = this.#tracked) {
      const next = LINE_INTERVAL - ((this.#clock.now() - task.since) % LINE_INTERVAL);
      await this.#clock.sleep(next, stop).catch(() => undefined);
      if (stop.aborted) return;
      await this.#write(`${renderPlainLine(this.#snapshot(task))}\n`);
    }
  }

  /**
   * Renders the line to draw: empty during the initial delay, `undefined` if there is nothing to
   * show.
   */
  #line(): string | undefined {
    const tracked = this.#tracked;
    const waiting = this.#remainingWait();
    const [activity] = this.#activities;
    const now = this.#clock.now();
    if (!tracked && !waiting && !activity) return undefined;
    if (this.#terminal.isInLine?.()) return '';
    if (!tracked && waiting)
      return `${formatCountdown(waiting)} ${this.#glyphs.ellipsis}`.slice(0, this.#width);
    if (!tracked)
      return (
        activity &&
        renderSpinnerLine(activity.text, now - activity.since, this.#width, this.#glyphs)
      );
    const snapshot = this.#snapshot(tracked);
    return now - tracked.since < BAR_DELAY && !waiting
      ? ''
      : renderBarLine(snapshot, this.#width, this.#glyphs);
  }

  #snapshot({ readState, estimateRate }: TrackedTask) {
    const state = readState();
    return {
      state,
      rate: estimateRate(this.#clock.now(), state.done),
      waiting: this.#remainingWait(),
    };
  }

  #remainingWait() {
    const { until, reason } = this.#countdown ?? { until: 0, reason: '' };
    const remaining = until - this.#clock.now();
    return remaining > 0 ? { remaining, reason } : undefined;
  }

  /**
   * Returns the time to the next redraw, in milliseconds. A countdown alone is redrawn at each
   * whole second.
   */
  #untilNext(): number {
    if (this.#tracked || this.#activities.size > 0) return BAR_INTERVAL;
    return (this.#remainingWait()?.remaining ?? 0) % SECOND || SECOND;
  }

  /**
   * One column stays free, because a full line wraps on some terminals. Some terminals report 0
   * columns.
   */
  get #width(): number {
    return (this.#sink.columns || 80) - 1;
  }

  /**
   * Erases the redrawn line, writes permanent text, and draws the line again, in a single write to
   * avoid flicker.
   */
  #write(text: string, line = ''): Promise<void> {
    const erasure = this.#isDrawn || line !== '' ? ERASE_LINE : '';
    this.#isDrawn = line !== '';
    return this.#sink.write(erasure + text + line).catch(() => undefined);
  }
}

/** Time in seconds after which the weight of past work drops to about a third. */
const TIME_CONSTANT = 10;

/** Estimates a rate as an exponentially weighted average. */
export function createRateEstimator(start: number, startDone: number) {
  let [lastTime, lastDone] = [start, startDone];
  let [weightedDone, weightedSeconds] = [0, 0];
  /** Returns units per second. `now` is in milliseconds. */
  return (now: number, done: number): number => {
    const seconds = Math.max(0, now - lastTime) / 1000;
    const kept = Math.exp(-seconds / TIME_CONSTANT);
    weightedDone = weightedDone * kept + (done - lastDone);
    weightedSeconds = weightedSeconds * kept + seconds;
    [lastTime, lastDone] = [now, done];
    return weightedSeconds > 0 ? weightedDone / weightedSeconds : 0;
  };
}
