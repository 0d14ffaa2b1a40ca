import type { Flag } from '../../catalog/flags.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/is-object.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { textValue } from '../option-values.ts';
import { convertEpochs } from './epochs.ts';
import { flagValue, parseJson } from './flag-values.ts';

/** What a command line says about the input of an operation. */
export interface InputData {
  readonly data: Record<string, unknown>;
  /** The one record that flags describe, of an operation that takes records. */
  readonly record: Record<string, unknown> | undefined;
  /** Parts of it came from `--data`, so that what is wrong may be wrong there. */
  readonly fromDocument: boolean;
}

/** Lays the given flags over `--data`, and fills in the organization of the settings where none is given. */
export async function inputData(context: Context, entry: OperationEntry, invocation: Invocation): Promise<InputData> {
  const { options } = invocation;
  const document = await readDocument(context, textValue(options, 'data'));
  const data: Record<string, unknown> = structuredClone(document ?? {});
  for (const warning of convertEpochs(entry.flags, data)) await context.warn(warning);
  const record: Record<string, unknown> = {};
  for (const flag of entry.flags) {
    const value = await givenValue(context, flag, options, data);
    if (value !== undefined) setPath(flag.ofRecord ? record : data, flag.path, value);
  }
  await fillOrganization(context, entry, data);
  return {
    data,
    record: Object.keys(record).length > 0 ? record : undefined,
    fromDocument: document !== undefined,
  };
}

async function readDocument(context: Context, argument: string | undefined) {
  if (argument === undefined) return undefined;
  const { readData } = await import('./data-argument.ts');
  return readData(context, argument);
}

async function givenValue(
  context: Context,
  flag: Flag,
  options: Invocation['options'],
  data: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  if (flag.kind === 'secret') return secretValue(context, flag, options);
  if (flag.off && options[optionKey(flag.off)]) {
    if (options[optionKey(flag.name)])
      throw new SvcError('usage', `--${flag.name} and --${flag.off} exclude each other`);
    return false;
  }
  const given = options[optionKey(flag.name)];
  if (given === undefined) return undefined;
  const warnings: string[] = [];
  const value = flagValue(flag, given, { now: context.clock.now(), warn: (text) => warnings.push(text) });
  for (const text of warnings) await context.warn(text);
  return flag.kind === 'content' ? contentValue(context, flag, String(value), data['type']) : value;
}

/** Text, or the text of `@file` or stdin; what is no text by its type is written as JSON. */
async function contentValue(context: Context, flag: Flag, given: string, type: unknown): Promise<unknown> {
  const { readArgument } = await import('./data-argument.ts');
  const text = await readArgument(context, given);
  return type === 'map' || type === 'array' ? parseJson(flag, text) : text;
}

async function secretValue({ io, cwd, signal }: Context, { name }: Flag, options: Invocation['options']) {
  const path = textValue(options, optionKey(`${name}-file`));
  const fromStdin = options[optionKey(`${name}-stdin`)] === true;
  if (path === undefined && !fromStdin) return undefined;
  if (path !== undefined && fromStdin)
    throw new SvcError('usage', `--${name}-file and --${name}-stdin exclude each other`);
  const [{ readSecret, readSecretFile }, { abortable }, { resolve }] = await Promise.all([
    import('../../profiles/secret-input.ts'),
    import('../../kernel/abortable.ts'),
    import('node:path'),
  ]);
  return path === undefined
    ? readSecret(abortable(io.stdin.stream, signal), 'stdin')
    : readSecretFile(resolve(cwd, path), signal);
}

async function fillOrganization(context: Context, entry: OperationEntry, data: Record<string, unknown>): Promise<void> {
  const takesOne = entry.flags.some((flag) => !flag.ofRecord && flag.path[0] === 'organizationId');
  if (!takesOne || data['organizationId'] !== undefined) return;
  const { org } = await context.openSettings();
  if (org) data['organizationId'] = org.value;
}

/** The name under which a parsed flag arrives: `max-depth` as `maxDepth`. */
export function optionKey(flagName: string): string {
  return flagName.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function setPath(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  const inner = target[head];
  const next = isObject(inner) ? inner : {};
  target[head] = next;
  setPath(next, rest, value);
}
