import { SvcError } from '../../kernel/errors.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { isSuccessStatus } from '../listener.ts';
import { type PostOptions, type PostResult, sendPost } from '../post.ts';
import type { ReceiverCase } from './cases.ts';
import { EXPECTATIONS } from './expectations.ts';
import type { TestDelivery } from './test-delivery.ts';

export interface Grade {
  readonly case: string;
  readonly verdict: 'ok' | 'warn' | 'fail' | 'skipped';
  readonly status: number | null;
  /** Delay of the slowest response, in milliseconds. */
  readonly milliseconds: number | null;
  readonly did: string;
  readonly expected: string;
  readonly why: string;
  /** The change to make in the receiver, if it fails the case. */
  readonly fix: string;
}

export interface CaseObservation {
  readonly case: ReceiverCase;
  readonly deliveries: readonly TestDelivery[];
  readonly results: readonly PostResult[];
  readonly isUnresponsive: boolean;
  /** The change to make, if it is known for this receiver. */
  readonly fix?: string | undefined;
}

/** Delay after which a response counts as late, in milliseconds. */
const LATE_AFTER = 5_000;

export function createSkippedGrade(testCase: ReceiverCase, reason: string): Grade {
  return {
    ...describeCase(testCase, false),
    verdict: 'skipped',
    status: null,
    milliseconds: null,
    did: reason,
  };
}

/**
 * Grades an observation. `effects` are the effects that the receiver reported, if it reports them.
 */
export function gradeObservation(
  observation: CaseObservation,
  effects?: readonly ReceiverEffect[],
): Grade {
  const { results, isUnresponsive } = observation;
  const { isMet } = EXPECTATIONS[observation.case.expects];
  const milliseconds = Math.max(...results.map((result) => result.milliseconds));
  const responses = `${results.map(describeResult).join(', then ')} (${formatTime(milliseconds)})`;
  const crash = isUnresponsive && 'the receiver has not responded since';
  const problems = [crash, effects && findWrongEffect(observation, effects)].filter(Boolean);
  const isLate = milliseconds > LATE_AFTER;
  const did = [responses, ...problems, ...(isLate ? ['late'] : [])].join('; ');
  const verdict = problems.length > 0 || !results.every(isMet) ? 'fail' : isLate ? 'warn' : 'ok';
  const status = results.at(-1)?.status ?? null;
  const fix = observation.fix ?? findStatusFix(observation) ?? observation.case.fix;
  return {
    ...describeCase(observation.case, effects !== undefined),
    fix,
    verdict,
    status,
    milliseconds,
    did,
  };
}

function describeCase({ name, why, fix, expects }: ReceiverCase, showsEffects: boolean) {
  const { text, applied } = EXPECTATIONS[expects];
  const effect =
    showsEffects && applied !== undefined
      ? [`, ${applied === 1 ? 'applied once' : 'not applied'}`]
      : [];
  return { case: name, expected: [text, ...effect].join(''), why, fix };
}

/** Statuses that say more about the problem than the case does. */
const STATUS_FIXES: ReadonlyMap<number | null, string> = new Map([
  [404, 'check the path of the URL'],
  [
    413,
    'raise the limit of the body to 10 MB: deliveries can be larger than the default of a framework',
  ],
  [415, 'accept the content type application/json'],
]);

/** Returns the fix for the status of a valid delivery that was not accepted. */
function findStatusFix({ case: { expects }, results }: CaseObservation): string | undefined {
  if (EXPECTATIONS[expects].applied !== 1) return undefined;
  const failed = results.find((result) => !EXPECTATIONS[expects].isMet(result));
  if (failed === undefined) return undefined;
  if (failed.status !== null && failed.status >= 500)
    return 'check the log of the receiver for the error';
  return STATUS_FIXES.get(failed.status);
}

function describeResult(result: PostResult): string {
  return result.status === null ? result.error : String(result.status);
}

function formatTime(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${Math.round(milliseconds / 100) / 10} s`;
}

function findWrongEffect(
  { case: { expects }, deliveries }: CaseObservation,
  effects: readonly ReceiverEffect[],
) {
  const { applied } = EXPECTATIONS[expects];
  if (applied === undefined) return undefined;
  for (const { id, event } of deliveries) {
    const caseEffects = effects.filter((effect) => effect.id === id);
    const misread = caseEffects.find(
      (effect) => effect.event !== undefined && effect.event !== event,
    );
    if (applied === 0 && caseEffects.length > 0) return 'applied';
    if (caseEffects.length < applied) return 'not applied';
    if (caseEffects.length > applied) return `applied ${caseEffects.length} times`;
    if (misread) return `applied as '${misread.event}' instead of '${event}'`;
  }
  return undefined;
}

export interface ReceiverEffect {
  readonly id: string;
  readonly event?: string;
}

const MAX_EFFECTS_BYTES = 8 * 1024 * 1024;

/**
 * Fetches a JSON list of delivery IDs, or of objects with `id` and `event`.
 * @throws SvcError `invalid_response`
 */
export async function fetchEffects(
  url: URL,
  options: PostOptions,
): Promise<readonly ReceiverEffect[]> {
  const request = { method: 'GET', url, headers: [], body: '' };
  const result = await sendPost(request, { ...options, responseLimit: MAX_EFFECTS_BYTES });
  if (result.status === null) throw createUnusableError(url, result.error);
  if (!isSuccessStatus(result))
    throw createUnusableError(url, `the response status is ${result.status}`);
  const effects = parseEffects(result.body);
  if (effects) return effects;
  throw createUnusableError(url, 'the response is not a list of deliveries');
}

function parseEffects(text: string): readonly ReceiverEffect[] | undefined {
  const list = tryParseJson(text);
  if (!Array.isArray(list)) return undefined;
  const effects = list.map((item: unknown) => (typeof item === 'string' ? { id: item } : item));
  return effects.every(isEffect) ? effects : undefined;
}

function isEffect(value: unknown): value is ReceiverEffect {
  return (
    isObject(value) &&
    typeof value['id'] === 'string' &&
    ['string', 'undefined'].includes(typeof value['event'])
  );
}

function createUnusableError(url: URL, problem: string): SvcError {
  return new SvcError('invalid_response', `--effects-url ${url.href}: ${problem}`, {
    hint: 'the URL must return the applied deliveries: a JSON list of delivery IDs, or of objects with id and event',
  });
}
