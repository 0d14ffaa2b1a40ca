import { SvcError } from '../../kernel/errors.ts';
import { parseExactJson, parseExactJsonOrText } from '../../kernel/exact-json.ts';
import { formatFieldPath } from '../../kernel/field-path.ts';
import { isObject } from '../../kernel/json.ts';
import { MAX_NESTING, nestsDeeperThan } from '../../kernel/json-nesting.ts';
import { formatTextPosition } from '../../kernel/json-position.ts';
import { locateJsonProblem } from '../../kernel/json-problem.ts';
import { createDeliveryHeaders, createDeliveryId } from '../../webhooks/delivery.ts';
import { PAYLOAD_BUILDERS } from '../../webhooks/event.ts';
import type { WebhookForm } from '../../webhooks/form.ts';
import { type PackOptions, packBody } from '../../webhooks/payload.ts';
import { createSampleEvent } from '../../webhooks/sample.ts';
import { readArgument } from '../call/data-argument.ts';
import { splitPair } from '../call/flag-values.ts';
import type { Context } from '../context.ts';
import type { SendFlags } from './flags.ts';

export async function createPayload(
  context: Context,
  { fromFile: file, set = [] }: Pick<SendFlags, 'fromFile' | 'set'>,
  sample: unknown,
): Promise<unknown> {
  const base = file === undefined ? sample : await readPayload(context, file);
  return applyAssignments(base, set);
}

async function readPayload(context: Context, file: string): Promise<unknown> {
  const { name = file, text } = await readArgument(context, file === '-' ? file : `@${file}`);
  if (nestsDeeperThan(MAX_NESTING, text))
    throw new SvcError('invalid_input', `${name}: nested more than ${MAX_NESTING} levels deep`);
  const payload = parseExactJson(text);
  if (payload !== undefined) return payload;
  const { offset = 0, problem = 'not valid JSON' } = locateJsonProblem(text) ?? {};
  throw new SvcError('invalid_input', `${name}:${formatTextPosition(text, offset)}: ${problem}`);
}

type Key = string | number;

/**
 * Applies `path=value` assignments to a copy of a JSON value, in order. A path is like
 * `data.comments[0].text`. A value that is not valid JSON is text. Creates missing objects. An
 * index equal to the length of a list appends an item.
 * @throws SvcError `usage` for a path that does not fit the value
 */
export function applyAssignments(value: unknown, assignments: readonly string[]): unknown {
  return assignments.reduce((current, assignment) => {
    const [path, text] = splitPair(assignment, 'set');
    return setAtPath(current, parsePath(path), parseExactJsonOrText(text));
  }, value);
}

function setAtPath(
  current: unknown,
  [key, ...rest]: readonly Key[],
  value: unknown,
  done: readonly Key[] = [],
): unknown {
  if (key === undefined) return value;
  const followed = [...done, key];
  if (typeof key === 'number') {
    const list = current ?? [];
    if (!Array.isArray(list) || key > list.length)
      throw createPathError(done, `has no item ${key}`, current);
    return list.toSpliced(key, 1, setAtPath(list[key], rest, value, followed));
  }
  if (!isObject(current ?? {})) throw createPathError(done, `has no field '${key}'`, current);
  // A map treats `__proto__` as an ordinary key.
  const entries = new Map(Object.entries(current ?? {}));
  return Object.fromEntries(entries.set(key, setAtPath(entries.get(key), rest, value, followed)));
}

function createPathError(done: readonly Key[], problem: string, current: unknown): SvcError {
  const name = done.length === 0 ? 'the payload' : formatFieldPath(done);
  return new SvcError('usage', `--set: ${name} ${problem}: it is ${JSON.stringify(current)}`);
}

function parsePath(path: string): readonly Key[] {
  if (!/^(?:[^.[\]]+|\[\d{1,9}\])(?:\.[^.[\]]+|\[\d{1,9}\])*$/.test(path)) {
    throw new SvcError('usage', `--set: '${path}' is not a valid path`, {
      hint: 'for example --set data.comments[0].text=Hello',
    });
  }
  const keys = Array.from(path.matchAll(/\[(\d+)\]|[^.[\]]+/g), ([part, index]) =>
    index === undefined ? part : Number(index),
  );
  if (keys.length > MAX_NESTING)
    throw new SvcError('usage', `--set: a path can have up to ${MAX_NESTING} parts`);
  return keys;
}

export interface SenderCredentials {
  readonly form: WebhookForm;
  readonly secret: string | undefined;
  readonly authToken: string | undefined;
}

export interface SampleDeliveryOptions extends SenderCredentials {
  readonly packing: PackOptions;
  readonly payload: (sample: unknown) => Promise<unknown>;
}

export async function createSampleDelivery(
  url: URL,
  event: string,
  options: SampleDeliveryOptions,
  now: number,
) {
  const id = createDeliveryId();
  const sample = PAYLOAD_BUILDERS[options.form](createSampleEvent(event, { webhookId: id, now }));
  const payload = await options.payload(JSON.parse(JSON.stringify(sample)));
  const body = packBody(JSON.stringify(payload), options.packing);
  const headers = createDeliveryHeaders(
    { ...options, id, timestamp: Math.floor(now / 1000) },
    body,
  );
  return { id, outgoing: { url, body, headers } };
}
