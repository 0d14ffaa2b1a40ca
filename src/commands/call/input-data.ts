import type { Flag } from '../../catalog/flags.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { withValue } from '../../kernel/field-path.ts';
import { isObject } from '../../kernel/json.ts';
import { parseTimestamp } from '../../kernel/timestamp.ts';
import { parseOrganization } from '../../profiles/profile.ts';
import { readServiceTime } from '../connection/service-time.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { getFlagValue, selectOptions } from '../options.ts';
import { CALL_FLAGS } from './call-flags.ts';
import { isOrganization } from './flag-definitions.ts';
import { parseFlagValue, parseJson } from './flag-values.ts';

export interface InputData {
  readonly data: Readonly<Record<string, unknown>>;
  /** The fields of a record that flags gave. */
  readonly record: Readonly<Record<string, unknown>> | undefined;
  readonly usesDataFlag: boolean;
  readonly hasDefaultOrganization: boolean;
}

/**
 * Merges the flags into `--data`. If no organization is given, adds the one from the settings.
 * @param base data if there is no `--data`
 */
export async function readInputData(
  context: Context,
  entry: Pick<OperationEntry, 'flags'>,
  invocation: Invocation,
  base: Readonly<Record<string, unknown>> = {},
): Promise<InputData> {
  const { options } = invocation;
  const { data: text } = selectOptions(CALL_FLAGS, options);
  const document = text === undefined ? undefined : await readDocument(context, entry.flags, text);
  const data: Record<string, unknown> = document ?? structuredClone(base);
  for (const warning of convertEpochs(entry.flags, data)) await context.warn(warning);
  const record: Record<string, unknown> = {};
  const implied: Record<string, unknown> = {};
  for (const flag of entry.flags) {
    const value = await readFlagValue(context, flag, options, data);
    const target = flag.ofRecord ? record : data;
    if (value !== undefined) Object.assign(target, withValue(target, flag.path, value));
    // `--no-x` does not imply other flags.
    if (value !== undefined && value !== false) Object.assign(implied, flag.implies);
  }
  for (const [field, value] of Object.entries(implied)) data[field] ??= value;
  const hasDefaultOrganization = await fillOrganization(context, entry, data);
  const hasRecord = Object.keys(record).length > 0;
  return {
    data,
    record: hasRecord ? record : undefined,
    usesDataFlag: document !== undefined,
    hasDefaultOrganization,
  };
}

async function readDocument(context: Context, flags: readonly Flag[], argument: string) {
  const { readData, rejectInlineSecrets } = await import('./data-argument.ts');
  const data = await readData(context, argument);
  rejectInlineSecrets(context, flags, argument, data);
  return data;
}

async function readFlagValue(
  context: Context,
  flag: Flag,
  options: object,
  data: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  if (flag.kind === 'secret') {
    const [path, fromStdin] = [
      getFlagValue(options, `${flag.name}-file`),
      getFlagValue(options, `${flag.name}-stdin`),
    ];
    if (path === undefined && !fromStdin) return undefined;
    const { readSecretFlag } = await import('./data-argument.ts');
    return readSecretFlag(context, flag.name, path?.toString(), fromStdin === true);
  }
  if (flag.off && getFlagValue(options, flag.off)) {
    if (getFlagValue(options, flag.name))
      throw new SvcError('usage', `--${flag.name} and --${flag.off} cannot be combined`);
    return false;
  }
  const given = getFlagValue(options, flag.name);
  if (given === undefined) return undefined;
  const warnings: string[] = [];
  const now = containsDuration(flag, given) ? await readServiceTime(context) : context.clock.now();
  const value = parseFlagValue(flag, given, { now, warn: (text) => warnings.push(text) });
  for (const text of warnings) await context.warn(text);
  if (flag.kind !== 'content') return value;
  const { readArgument } = await import('./data-argument.ts');
  const { name = `--${flag.name}`, text } = await readArgument(context, String(value));
  return data['type'] === 'map' || data['type'] === 'array' ? parseJson(name, text) : text;
}

function containsDuration(
  { kind, keys = [] }: Flag,
  given: string | boolean | readonly string[],
): boolean {
  const isTime = kind === 'time' || keys.some((key) => key.kind === 'time');
  return (
    isTime && [given].flat().some((text) => /(^|=) *\d[\d.]*(ms|[smhd]) *(,|$)/.test(String(text)))
  );
}

async function fillOrganization(
  context: Context,
  entry: Pick<OperationEntry, 'flags'>,
  data: Record<string, unknown>,
): Promise<boolean> {
  const field = entry.flags.find(isOrganization)?.path[0];
  if (field === undefined || data[field] !== undefined) return false;
  const organization = await findDefaultOrganization(context);
  if (organization !== undefined) data[field] = organization;
  return organization !== undefined;
}

/** Returns the organization in the settings. @throws SvcError `usage` for an invalid ID */
export async function findDefaultOrganization(context: Context): Promise<string | undefined> {
  const { org } = await context.target();
  return org && parseOrganization(org.value, org.source);
}

type TimeFlag = Pick<Flag, 'path' | 'kind' | 'keys'>;

export function convertEpochs(
  flags: readonly TimeFlag[],
  data: Record<string, unknown>,
): readonly string[] {
  return flags.flatMap((flag) => {
    const [field = '', ...rest] = flag.path;
    if (flag.kind === 'time' && rest.length === 0) return convert(data, field);
    const below = rest.length > 0 ? [{ ...flag, path: rest }] : (flag.keys ?? []);
    const inner = data[field];
    const owners = Array.isArray(inner) ? inner : [inner];
    return owners.filter(isObject).flatMap((owner) => convertEpochs(below, owner));
  });
}

function convert(owner: Record<string, unknown>, field: string): readonly string[] {
  const given = owner[field];
  const timestamp = typeof given === 'number' ? parseTimestamp(String(given), 0) : undefined;
  if (!timestamp?.wasMilliseconds) return [];
  owner[field] = timestamp.seconds;
  return [`${field}: ${given} is in milliseconds; sent as ${timestamp.seconds} seconds`];
}
