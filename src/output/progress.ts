import type { Clock } from '../kernel/clock.ts';
import type { Sink } from '../kernel/io.ts';
import { safeText } from '../kernel/safe-text.ts';
import { Pace } from './pace.ts';
import { barLine, type ProgressState, plainLine, waitingText } from './progress-text.ts';
import { DRAWN, type Signs } from './signs.ts';
import { spinnerLine } from './spinner.ts';

/** `bar` redraws one line of a terminal, `lines` writes a line now and then, `none` is silent. */
export type ProgressStyle = 'bar' | 'lines' | 'none';

/**
 * Says on stderr what goes on while it goes on: how far a job is, and how long something is waited for. It owns the line
 * that moves, so what else is said meanwhile goes through it. It never fails: talk that cannot be written must not end
 * what it is about.
 */
export interface Progress {
  /**
   * Shows how far something is, as `look` tells whenever it is asked.
   * @returns what ends it; it resolves when nothing of it will be written any more
   */
  follow(look: () => ProgressState): () => Promise<void>;
  /** Counts down to a moment in the background; a later one takes the place of an earlier. */
  wait(untilEpoch: number, what: string): void;
  /**
   * Says what is waited for where nobody knows how long: on a terminal with a line that turns, elsewhere once.
   * @returns what ends it; it resolves when nothing of it will be written any more
   */
  busy(text: string): () => Promise<void>;
  /** Writes text that stays, whatever the style. */
  say(text: string): Promise<void>;
  /**
   * Writes to a sink that may be the same terminal. What moves stands below it; while a line is not at its end yet,
   * nothing moves.
   */
  beside(sink: Sink, text: string | Uint8Array): Promise<void>;
  /** Takes what moves off the screen for good. */
  end(): Promise<void>;
}

const SECOND = 1_000;
const LINE_INTERVAL = 10_000;
const BAR_INTERVAL = 100;
/** What is over sooner is not shown at all. */
const BAR_DELAY = 250;
const ERASE_LINE = '\r\u001b[2K';

/** Of the terminal that progress is shown on. */
export interface ProgressTerminal {
  /** What was written beside it so far ends within a line. */
  readonly isInLine?: (() => boolean) | undefined;
  readonly signs?: Signs;
}

export function createProgress(
  sink: Sink,
  clock: Clock,
  style: ProgressStyle,
  { isInLine = () => false, signs = DRAWN }: ProgressTerminal = {},
): Progress {
  return new Display(sink, clock, style, { isInLine, signs });
}

interface Drawing {
  readonly isInLine: () => boolean;
  readonly signs: Signs;
}

interface Followed {
  readonly look: () => ProgressState;
  readonly pace: Pace;
  readonly since: number;
}

class Display implements Progress {
  readonly #sink: Sink;
  readonly #clock: Clock;
  readonly #style: ProgressStyle;
  #followed: Followed | undefined;
  #waiting: { readonly until: number; readonly what: string } | undefined;
  /** What is waited for, the latest last; the first of them is shown. */
  readonly #busy: { readonly text: string; readonly since: number }[] = [];
  /** The last of them that was said in a line of its own. */
  #said = '';
  #drawn = false;
  readonly #isInLine: () => boolean;
  readonly #signs: Signs;
  /** Ends the loop that shows what goes on, while there is one. */
  #stop = new AbortController();
  #showing = Promise.resolve();

  constructor(sink: Sink, clock: Clock, style: ProgressStyle, { isInLine, signs }: Drawing) {
    this.#sink = sink;
    this.#clock = clock;
    this.#style = style;
    this.#isInLine = isInLine;
    this.#signs = signs;
  }

  follow(look: () => ProgressState): () => Promise<void> {
    if (this.#style === 'none') return async () => undefined;
    const since = this.#clock.now();
    const own = { look, since, pace: new Pace(since, look().done) };
    this.#followed = own;
    this.#restart();
    return async () => {
      if (this.#followed === own) this.#followed = undefined;
      await this.#goOn();
    };
  }

  wait(until: number, what: string): void {
    if (this.#style === 'none') return;
    this.#waiting = { until, what };
    if (this.#style === 'bar') this.#restart();
    else void this.#write(`${waitingText({ left: until - this.#clock.now(), what })} ${this.#signs.ellipsis}\n`);
  }

  busy(text: string): () => Promise<void> {
    if (this.#style === 'none') return async () => undefined;
    if (this.#style === 'lines') {
      const said = text === this.#said ? undefined : this.#write(`${safeText(text)}\n`);
      this.#said = text;
      return async () => said;
    }
    const own = { text, since: this.#clock.now() };
    this.#busy.push(own);
    this.#restart();
    return async () => {
      const at = this.#busy.indexOf(own);
      if (at >= 0) this.#busy.splice(at, 1);
      await this.#goOn();
    };
  }

  say(text: string): Promise<void> {
    return this.#write(text, this.#drawn ? this.#line() : '');
  }

  async beside(sink: Sink, text: string | Uint8Array): Promise<void> {
    if (this.#style !== 'bar' || !sink.isTerminal) return sink.write(text);
    const drawn = this.#drawn;
    if (drawn) await this.#write('');
    await sink.write(text);
    if (drawn) await this.#write('', this.#line());
  }

  async end(): Promise<void> {
    this.#followed = undefined;
    this.#busy.length = 0;
    this.#waiting = undefined;
    this.#stop.abort();
    await this.#showing;
  }

  /** Shows what is left to show. Resolves when nothing else will be written. */
  async #goOn(): Promise<void> {
    const before = this.#showing;
    this.#restart();
    await (this.#line() === undefined ? this.#showing : before);
  }

  #restart(): void {
    this.#stop.abort();
    const own = new AbortController();
    this.#stop = own;
    const show = () => (this.#style === 'bar' ? this.#redraw(own.signal) : this.#tellNowAndThen(own.signal));
    this.#showing = this.#showing.then(show);
  }

  /** One line, drawn anew until there is nothing to show. */
  async #redraw(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const line = this.#line();
      if (line === undefined) break;
      if (line) await this.#write('', line);
      await this.#clock.sleep(this.#untilNext(), stop).catch(() => undefined);
    }
    if (this.#drawn && !this.#line()) await this.#write('');
  }

  async #tellNowAndThen(stop: AbortSignal): Promise<void> {
    for (let told = this.#followed; told; told = this.#followed) {
      const next = LINE_INTERVAL - ((this.#clock.now() - told.since) % LINE_INTERVAL);
      await this.#clock.sleep(next, stop).catch(() => undefined);
      if (stop.aborted) return;
      await this.#write(`${plainLine(this.#seen(told))}\n`);
    }
  }

  /** Empty while it is too soon for one; undefined when there is nothing to show. */
  #line(): string | undefined {
    const followed = this.#followed;
    const waiting = this.#left();
    const [busy] = this.#busy;
    const now = this.#clock.now();
    if (!followed && !waiting && !busy) return undefined;
    if (this.#isInLine()) return '';
    if (!followed && waiting) return `${waitingText(waiting)} ${this.#signs.ellipsis}`.slice(0, this.#room);
    if (!followed) return busy && spinnerLine(busy.text, now - busy.since, this.#room, this.#signs);
    const seen = this.#seen(followed);
    return now - followed.since < BAR_DELAY && !waiting ? '' : barLine(seen, this.#room, this.#signs);
  }

  #seen({ look, pace }: Followed) {
    const state = look();
    return { state, pace: pace.at(this.#clock.now(), state.done), waiting: this.#left() };
  }

  #left() {
    const { until, what } = this.#waiting ?? { until: 0, what: '' };
    const left = until - this.#clock.now();
    return left > 0 ? { left, what } : undefined;
  }

  /** Milliseconds; of a countdown alone up to the next whole second, so that none is left out. */
  #untilNext(): number {
    if (this.#followed || this.#busy.length > 0) return BAR_INTERVAL;
    return (this.#left()?.left ?? 0) % SECOND || SECOND;
  }

  /** A column stays free: a line that fills all of them would wrap on some terminals. Some say that they have none. */
  get #room(): number {
    return (this.#sink.columns || 80) - 1;
  }

  /** In one piece, so that nothing flickers: the line that moves goes, text that stays comes, and the line below it. */
  #write(text: string, line = ''): Promise<void> {
    const erasure = this.#drawn || line !== '' ? ERASE_LINE : '';
    this.#drawn = line !== '';
    return this.#sink.write(erasure + text + line).catch(() => undefined);
  }
}
