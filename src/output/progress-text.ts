import { escapeForTerminal } from '../kernel/safe-text.ts';
import { type Glyphs, UNICODE_GLYPHS } from './glyphs.ts';
import { formatBytes, formatCount, formatDuration } from './quantities.ts';

export interface ProgressState {
  /** Name of the phase: `sending`. */
  readonly phase: string;
  readonly done: number;
  readonly total: number | undefined;
  /** Plural of the counted unit. `bytes` are shown in larger units. */
  readonly unit: string;
  readonly failed?: number;
  readonly unknown?: number;
  readonly inFlight?: number;
}

export interface Countdown {
  readonly remaining: number;
  readonly reason: string;
}

export interface ProgressSnapshot {
  readonly state: ProgressState;
  readonly rate: number;
  readonly waiting: Countdown | undefined;
}

const MIN_BAR_CELLS = 8;
/** Fixed lengths, so that the bar does not change with every digit next to it. */
const LARGER_BAR_CELLS = [24, 16, 12];
const DROP_ORDER = [
  'inFlight',
  'phase',
  'succeeded',
  'rate',
  'counts',
  'bar',
  'left',
  'problems',
] as const;
const DISPLAY_ORDER = [
  'phase',
  'bar',
  'percent',
  'counts',
  'succeeded',
  'problems',
  'rate',
  'left',
  'inFlight',
] as const;
type Part = (typeof DISPLAY_ORDER)[number];

/**
 * Renders a terminal line of at most `width` columns: a bar, and as many of the other parts as fit.
 */
export function renderBarLine(
  snapshot: ProgressSnapshot,
  width: number,
  { bar: cells }: Glyphs = UNICODE_GLYPHS,
) {
  const texts = partTexts(snapshot);
  const shown = new Set<Part>(DISPLAY_ORDER.filter((part) => texts[part] !== undefined));
  const usedWidth = () =>
    [...shown].reduce((sum, part) => sum + (texts[part]?.length ?? 0) + 2, -2);
  for (const part of DROP_ORDER) if (usedWidth() > width) shown.delete(part);
  const spare = width - usedWidth();
  const cellCount =
    LARGER_BAR_CELLS.find((length) => length - MIN_BAR_CELLS <= spare) ?? MIN_BAR_CELLS;
  const bar = renderBar(snapshot.state, cellCount, cells);
  const line = DISPLAY_ORDER.filter((part) => shown.has(part)).map((part) =>
    part === 'bar' ? bar : texts[part],
  );
  return line.join('  ').slice(0, width);
}

/**
 * Renders a line without a bar:
 * `sending: 1,200 of 5,000 users (24%), 3 failed, 400/s, 10 s left, 8 in flight`.
 */
export function renderPlainLine(snapshot: ProgressSnapshot): string {
  const { phase, counts, percent, succeeded, problems, rate, left, inFlight } = partTexts(snapshot);
  const counted = percent === undefined ? counts : `${counts} (${percent.trim()})`;
  return `${phase}: ${[counted, succeeded, problems, rate, left, inFlight].filter((part) => part !== undefined).join(', ')}`;
}

/** Formats the remaining wait: `waiting 42 s for the service's rate limit`. */
export function formatCountdown({ remaining, reason }: Countdown): string {
  return `waiting ${formatDuration(remaining / 1000)} for ${escapeForTerminal(reason)}`;
}

function partTexts({
  state,
  rate,
  waiting,
}: ProgressSnapshot): Readonly<Partial<Record<Part, string>>> {
  const { phase, done, total, failed = 0, unknown = 0, inFlight = 0, unit } = state;
  const problemTexts = [
    failed > 0 && `${formatCount(failed)} failed`,
    unknown > 0 && `${formatCount(unknown)} unknown`,
  ];
  const problems = problemTexts.filter((text) => text !== false).join(', ');
  const known = total !== undefined && total > 0;
  const isBytes = unit === 'bytes';
  const format = isBytes ? formatBytes : formatCount;
  return {
    phase,
    counts:
      (known ? `${format(done)} of ${format(total)}` : format(done)) + (isBytes ? '' : ` ${unit}`),
    ...(known && { bar: ' '.repeat(MIN_BAR_CELLS), percent: formatPercent(done / total) }),
    ...(problems && { problems, succeeded: `${formatCount(done - failed - unknown)} ok` }),
    ...(waiting ? { left: formatCountdown(waiting) } : rateTexts(state, rate)),
    ...(inFlight > 0 && !waiting && { inFlight: `${inFlight} in flight` }),
  };
}

function rateTexts(
  { done, total, unit }: ProgressState,
  rate: number,
): Partial<Record<Part, string>> {
  const shown =
    unit === 'bytes'
      ? formatBytes(rate)
      : formatCount(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate));
  if (!(rate > 0) || shown === '0') return {};
  return {
    rate: `${shown}/s`,
    ...(total && { left: `${formatDuration(Math.max(0, total - done) / rate)} left` }),
  };
}

function renderBar(
  { done, total = 1 }: ProgressState,
  cells: number,
  [full, empty]: Glyphs['bar'],
): string {
  const filled = Math.max(0, Math.min(cells, Math.floor((done / total) * cells)));
  return full.repeat(filled) + empty.repeat(cells - filled);
}

/**
 * Formats a percentage with a constant width below 100%. Rounds down, so that 100% means complete.
 */
function formatPercent(share: number): string {
  return `${String(Math.min(100, Math.floor(share * 100))).padStart(2)}%`;
}

const FRAME_TIME = 100;
/** Delay before the elapsed time appears, in milliseconds. */
const ELAPSED_DELAY = 3_000;

/**
 * Renders an activity and its elapsed time: `⠹ documents list: waiting for api.example.com 4 s`.
 */
export function renderSpinnerLine(
  text: string,
  milliseconds: number,
  width: number,
  { spinnerFrames }: Glyphs,
) {
  const frame = spinnerFrames[Math.floor(milliseconds / FRAME_TIME) % spinnerFrames.length];
  const time =
    milliseconds < ELAPSED_DELAY ? '' : `  ${formatDuration(Math.floor(milliseconds / 1000))}`;
  const line = `${frame} ${escapeForTerminal(text)}`;
  return line.length + time.length > width ? line.slice(0, width) : line + time;
}
