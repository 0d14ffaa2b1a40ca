import * as z from 'zod/mini';
import { parseDuration } from '../kernel/duration.ts';
import { valueAt } from '../kernel/field-path.ts';
import { didYouMean, findNearest } from '../kernel/nearest.ts';
import type { InputProblem } from './define.ts';
import { explainIssue } from './explain-issue.ts';
import { DELIVERY, type FaultFile } from './fault-rules.ts';
import { manifest } from './manifest.ts';
import { parseOperation } from './operation-name.ts';
import { HTTP_STATUS, type Status } from './statuses.ts';

export const SCHEDULES = ['share', 'nth', 'every', 'times'] as const;
export const EFFECTS = ['status', 'delay', 'drop', 'cut', 'items'] as const;
const DELIVERY_EFFECTS: readonly string[] = ['status', 'delay', 'drop'];
const MAX_DELAY = 3_600_000;
const MAX_RULES = 1_000;
const share = z.number().check(z.gte(0), z.lte(1));
const count = z.int().check(z.gte(1));
const milliseconds = z
  .pipe(
    z.union([z.number(), z.string()]),
    z.transform(
      (given) => (typeof given === 'string' ? parseDuration(given) : given) ?? Number.NaN,
    ),
  )
  .check(
    z.refine(
      (given) => given >= 0 && given <= MAX_DELAY,
      'expected a duration up to 1h, such as 200ms',
    ),
  );

const rule = z
  .strictObject({
    name: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
    on: z.pipe(
      z.transform((given) => (typeof given === 'string' ? parseOperation(given) : given)),
      z.enum(['*', DELIVERY, ...manifest.map(({ name }) => name)]),
    ),
    org: z.optional(z.string().check(z.minLength(1))),
    share: z.optional(share),
    nth: z.optional(count),
    every: z.optional(count),
    times: z.optional(count),
    status: z.optional(z.enum(Object.keys(HTTP_STATUS) as [Status, ...Status[]])),
    delay: z.optional(z.strictObject({ p50: milliseconds, p99: milliseconds })),
    drop: z.optional(z.enum(['before', 'after'])),
    cut: z.optional(share),
    items: z.optional(share),
  })
  .check(
    z.superRefine((given, context) => {
      for (const { path, message } of findConflicts(given))
        context.addIssue({ code: 'custom', path: [...path], message });
    }),
  );

type Rule = z.output<typeof rule>;
const file = z.strictObject({ seed: z._default(z.int(), 1), faults: z.array(rule) });

/**
 * A problem in a fault file. `names` says which part is wrong: the name of the field, or its value.
 */
export interface FaultProblem extends InputProblem {
  readonly names: 'field' | 'value';
}

/** Validates rules, and numbers the ones without a name, starting after `existing` rules. */
export function parseFaultFile(value: unknown, existing = 0): FaultFile | readonly FaultProblem[] {
  const rules: unknown = Object(value).faults;
  if (Array.isArray(rules) && rules.length > MAX_RULES)
    return [{ path: ['faults'], message: 'more than 1,000 rules', names: 'field' }];
  const { data, error } = file.safeParse(value);
  if (!data) return error.issues.map((issue) => describeIssue(issue, value));
  const faults = data.faults.map((given, at) => ({
    ...given,
    name: given.name ?? `fault-${existing + at + 1}`,
  }));
  return { seed: data.seed, faults };
}

function* findConflicts(given: Rule): Iterable<InputProblem> {
  const [effect, ...others] = EFFECTS.filter((field) => given[field] !== undefined);
  const [schedule, ...further] = SCHEDULES.filter((field) => given[field] !== undefined);
  if (!effect)
    yield { path: [], message: 'a rule needs an effect: status, delay, drop, cut, or items' };
  for (const other of others)
    yield { path: [other], message: `${effect} and ${other} cannot be combined` };
  for (const other of further)
    yield { path: [other], message: `${schedule} and ${other} cannot be combined` };
  if (given.delay && given.delay.p99 < given.delay.p50)
    yield { path: ['delay', 'p99'], message: 'p99 must be at least p50' };
  if (effect && given.on === DELIVERY && !DELIVERY_EFFECTS.includes(effect)) {
    yield {
      path: [effect],
      message: `deliveries do not support ${effect}; use status, delay, or drop`,
    };
  } else if (
    effect === 'items' &&
    given.on !== '*' &&
    manifest.find(({ name }) => name === given.on)?.bulk !== 'array'
  ) {
    yield { path: ['items'], message: `${given.on} does not accept a list of records` };
  }
}

function describeIssue(issue: z.core.$ZodIssue, root: unknown): FaultProblem {
  const { path } = issue;
  const value = valueAt(root, path);
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const { shape } = path.length === 0 ? file : rule;
    const known = path.includes('delay') ? ['p50', 'p99'] : Object.keys(shape);
    return {
      path: [...path, key],
      message: `unknown field; ${didYouMean(key, known)}`,
      names: 'field',
    };
  }
  if (issue.code === 'invalid_value' && typeof value === 'string') {
    const known = issue.values.map(String);
    const field = path.at(-1) === 'on' ? 'operation' : String(path.at(-1));
    // The list of all operations is too long for a message.
    const rest =
      known.length > 20 && !findNearest(value, known)
        ? `known: ${known.slice(0, 9).join(', ')}, …`
        : didYouMean(value, known);
    return { path, message: `unknown ${field} '${value}'; ${rest}`, names: 'value' };
  }
  return {
    path,
    message: issue.code === 'custom' ? issue.message : explainIssue(issue, value),
    names: 'value',
  };
}
