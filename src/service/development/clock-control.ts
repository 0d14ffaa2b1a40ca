import type { Clock } from '../../kernel/clock.ts';
import { parseDurationFlag } from '../../kernel/duration.ts';
import { SvcError } from '../../kernel/errors.ts';
import { parseTimestamp } from '../../kernel/timestamp.ts';
import type { AdminRoutes } from './admin.ts';
import { type ClockSetting, convertTime, readSetting } from './clock.ts';
import type { DevelopmentState } from './state.ts';

export interface ClockContext {
  readonly development: DevelopmentState;
  readonly realClock: Clock;
}

/** A change of the clock, as in the body of `POST /_svc/clock`. `advance` is a duration, `set` a time. */
export type ClockChange =
  | { readonly advance: string }
  | { readonly set: string }
  | { readonly freeze: true }
  | { readonly run: true }
  | { readonly reset: true };

export interface ClockState {
  /** Time of the service, RFC 3339. */
  readonly now: string;
  /** Milliseconds after the real time. */
  readonly offset: number;
  readonly frozen: boolean;
}

export async function readClock({ development, realClock }: ClockContext): Promise<ClockState> {
  return describeClock(readSetting((await development.current()).clock), realClock.now());
}

/** @throws SvcError `usage` for an invalid time or duration */
export async function changeClock({ development, realClock }: ClockContext, change: ClockChange): Promise<ClockState> {
  const values = await development.change('clock', (value) => applyChange(readSetting(value), change, realClock.now()));
  return describeClock(readSetting(values.clock), realClock.now());
}

export function clockRoutes(context: ClockContext): AdminRoutes {
  return {
    'GET /_svc/clock': () => readClock(context),
    'POST /_svc/clock': ({ body }) => changeClock(context, parseChange(body)),
  };
}

function describeClock(setting: ClockSetting, realTime: number): ClockState {
  const now = convertTime(setting, realTime);
  return { now: new Date(now).toISOString(), offset: now - realTime, frozen: 'frozenAt' in setting };
}

/** Returns the changed setting, or undefined for a clock that shows the real time. */
export function applyChange(setting: ClockSetting, change: ClockChange, realTime: number): ClockSetting | undefined {
  const now = convertTime(setting, realTime);
  const isFrozen = 'frozenAt' in setting;
  if ('reset' in change) return undefined;
  if ('freeze' in change) return { frozenAt: now };
  if ('run' in change) return { offset: now - realTime };
  const time = checkTime('set' in change ? parseTime(change.set, now) : now + parseDurationFlag('advance', change.advance));
  return isFrozen ? { frozenAt: time } : { offset: time - realTime };
}

function parseTime(text: string, now: number): number {
  const time = parseTimestamp(text, now);
  if (time) return time.seconds * 1_000;
  throw new SvcError('usage', `the time must be a timestamp such as 2027-01-01T00:00:00Z, got '${text}'`);
}

/** Generated message IDs start with the time, and have digits for times before this one. */
const TIME_LIMIT = Date.UTC(2081, 0);

function checkTime(time: number): number {
  if (time >= 0 && time < TIME_LIMIT) return Math.round(time);
  throw new SvcError('usage', 'the clock must be between 1970 and 2081');
}

function parseChange(body: Readonly<Record<string, unknown>>): ClockChange {
  const [[name = '', value] = [], ...others] = Object.entries(body);
  const isTimed = ['advance', 'set'].includes(name) && typeof value === 'string';
  const isSwitch = ['freeze', 'run', 'reset'].includes(name) && value === true;
  if (others.length === 0 && (isTimed || isSwitch)) return body as unknown as ClockChange;
  throw new SvcError('usage', 'the body must have one of: advance, set, freeze, run, reset', {
    hint: 'for example {"advance":"49h"} or {"freeze":true}',
  });
}
