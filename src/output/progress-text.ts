import { safeText } from '../kernel/safe-text.ts';
import { bytesText, count, duration } from './quantities.ts';
import { DRAWN, type Signs } from './signs.ts';

/** How far something is. */
export interface ProgressState {
  /** What is being done: `sending`. */
  readonly phase: string;
  readonly done: number;
  /** Undefined where nobody knows. */
  readonly total: number | undefined;
  /** What is counted, in the plural; `bytes` are shown in larger units. */
  readonly unit: string;
  readonly failed?: number;
  readonly unknown?: number;
  /** Requests under way. */
  readonly inFlight?: number;
}

/** What is waited for, and how many milliseconds more. */
export interface Waiting {
  readonly left: number;
  readonly what: string;
}

/** A state with what follows from looking at it for some time. */
export interface Seen {
  readonly state: ProgressState;
  /** Of what is counted, a second. */
  readonly pace: number;
  readonly waiting: Waiting | undefined;
}

const LEAST_CELLS = 8;
/** Few lengths, so that a bar does not change with every digit beside it. */
const MORE_CELLS = [24, 16, 12];

/** Parts of a line from the first that is given up where there is no room to the last. */
const GIVEN_UP = ['inFlight', 'phase', 'good', 'pace', 'counts', 'bar', 'left', 'trouble'] as const;
const SHOWN = ['phase', 'bar', 'percent', 'counts', 'good', 'trouble', 'pace', 'left', 'inFlight'] as const;

type Part = (typeof SHOWN)[number];

/** One line of a terminal: a bar, and as much beside it as `room` columns take. */
export function barLine(seen: Seen, room: number, { bar: cells }: Signs = DRAWN): string {
  const texts = textsOf(seen);
  const shown = new Set<Part>(SHOWN.filter((part) => texts[part] !== undefined));
  const width = () => [...shown].reduce((sum, part) => sum + (texts[part]?.length ?? 0) + 2, -2);
  for (const part of GIVEN_UP) if (width() > room) shown.delete(part);
  const spare = room - width();
  const length = MORE_CELLS.find((most) => most - LEAST_CELLS <= spare) ?? LEAST_CELLS;
  const bar = barOf(seen.state, length, cells);
  const line = SHOWN.filter((part) => shown.has(part)).map((part) => (part === 'bar' ? bar : texts[part]));
  return line.join('  ').slice(0, room);
}

/** `sending: 1,200 of 5,000 users (24 %), 3 failed, 400/s, 10 s left, 8 in flight` */
export function plainLine(seen: Seen): string {
  const { phase, counts, percent, good, trouble, pace, left, inFlight } = textsOf(seen);
  const counted = percent === undefined ? counts : `${counts} (${percent.trim()})`;
  return `${phase}: ${[counted, good, trouble, pace, left, inFlight].filter((part) => part !== undefined).join(', ')}`;
}

/** `waiting 42 s for the service's rate limit` */
export function waitingText({ left, what }: Waiting): string {
  return `waiting ${duration(left / 1000)} for ${safeText(what)}`;
}

function textsOf({ state, pace, waiting }: Seen): Readonly<Partial<Record<Part, string>>> {
  const { phase, done, total, failed = 0, unknown = 0, inFlight = 0, unit } = state;
  const troubles = [failed > 0 && `${count(failed)} failed`, unknown > 0 && `${count(unknown)} unknown`];
  const trouble = troubles.filter((text) => text !== false).join(', ');
  const known = total !== undefined && total > 0;
  return {
    phase,
    counts: known ? `${bareQuantity(done, unit)} of ${quantity(total, unit)}` : quantity(done, unit),
    ...(known && { bar: ' '.repeat(LEAST_CELLS), percent: percentOf(done / total) }),
    ...(trouble && { trouble, good: `${count(done - failed - unknown)} ok` }),
    ...(waiting ? { left: waitingText(waiting) } : paceTexts(state, pace)),
    ...(inFlight > 0 && !waiting && { inFlight: `${inFlight} in flight` }),
  };
}

function paceTexts({ done, total, unit }: ProgressState, pace: number): Partial<Record<Part, string>> {
  const shown = unit === 'bytes' ? bytesText(pace) : count(pace < 10 ? Math.round(pace * 10) / 10 : Math.round(pace));
  if (!(pace > 0) || shown === '0') return {};
  return { pace: `${shown}/s`, ...(total && { left: `${duration(Math.max(0, total - done) / pace)} left` }) };
}

function barOf({ done, total = 1 }: ProgressState, cells: number, [full, empty]: Signs['bar']): string {
  const filled = Math.max(0, Math.min(cells, Math.floor((done / total) * cells)));
  return full.repeat(filled) + empty.repeat(cells - filled);
}

/** As wide for each share but the last, so that what stands behind it stays in its place. Only what is done is 100 %. */
function percentOf(share: number): string {
  return `${String(Math.min(100, Math.floor(share * 100))).padStart(2)} %`;
}

/** `5,000 users`, `1.2 MB` */
function quantity(value: number, unit: string): string {
  return unit === 'bytes' ? bytesText(value) : `${count(value)} ${unit}`;
}

/** `1,200`, of which it is said already what is counted. */
function bareQuantity(value: number, unit: string): string {
  return unit === 'bytes' ? bytesText(value) : count(value);
}
