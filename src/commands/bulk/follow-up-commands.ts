import type * as z from 'zod/mini';
import type { JobDescription } from '../../bulk/journal/job-description.ts';
import type { WrittenRejects } from '../../bulk/journal/outcomes.ts';
import { formatFromName } from '../../bulk/source/detect-format.ts';
import { COLUMN_MAP } from '../../catalog/bulk-options.ts';
import { commandArguments, dataArguments } from '../../catalog/command-text.ts';
import { findSharedFlag } from '../../catalog/flags.ts';
import { findEntryByCommand, getEntry, type OperationEntry } from '../../catalog/manifest.ts';
import { commandLineOf, hint, type NextStep, step } from '../../kernel/errors.ts';
import { redactRemembered } from '../../kernel/redact.ts';
import type { Context, GlobalOptions } from '../context.ts';
import { stepForService } from '../service-flags.ts';
import { mapFlags } from './input-flags.ts';
import { readRecords, type SendPlan } from './pending-records.ts';

const MAX_COMMAND_LENGTH = 1_000;

/**
 * Creates a command that sends the records again, with the same IDs. Undefined if unsafe, too long,
 * or secret.
 */
export async function retryCommand(
  context: Context,
  { calls, input, options }: SendPlan,
): Promise<NextStep | undefined> {
  const { data, fields, operation } = calls;
  if (fields.field === undefined || operation.effect === 'once') return undefined;
  const records: unknown[] = [];
  for await (const block of readRecords(input))
    for (const { json, jsonLine, target } of block)
      records.push(JSON.parse(target ? jsonLine : json));
  const sent = { ...data, [fields.field]: records };
  const words = dataArguments(operation.command, sent);
  return printableStep(context.options, [
    ...words,
    ...mapFlags(keptFields(options.map ?? [])),
    ...ifExistsFlag(options.ifExists),
    ...versionFlag(operation),
  ]);
}

/**
 * Creates the command that sends a job's rejects to the same target, with the same input settings.
 * Returns `undefined` if the command would be too long or contain a secret.
 * @param path path of the rejects file in the folder where the user runs the command
 */
export function rejectsCommand(
  options: GlobalOptions,
  { operation, data, options: flags }: JobDescription,
  { format, isAnew, encoding }: WrittenRejects,
  path: string,
): NextStep | undefined {
  const entry = getEntry(operation);
  const map = COLUMN_MAP.safeParse(flags['map'] ?? []).data;
  const organizations = COLUMN_MAP.safeParse(flags['mapOrg'] ?? []).data;
  if (!map || !organizations) return undefined;
  return printableStep(options, [
    ...(canUseFlags(entry, data)
      ? commandArguments(entry, data)
      : dataArguments(entry.command, data)),
    '--file',
    path,
    ...(format === undefined || formatFromName(path) === format ? [] : ['--input-format', format]),
    ...(encoding === undefined ? [] : ['--encoding', encoding]),
    ...(isAnew || typeof flags['separator'] !== 'string'
      ? []
      : ['--separator', flags['separator']]),
    ...mapFlags(isAnew ? keptFields(map) : map),
    ...(isAnew ? [] : mapFlags(organizations, '--map-org')),
    ...(flags['allowSuspicious'] === true ? ['--allow-suspicious'] : []),
    ...ifExistsFlag(flags['ifExists']),
    ...versionFlag(entry),
  ]);
}

type ColumnMap = z.infer<typeof COLUMN_MAP>;

/** Returns the fields that keep their name, although it is like that of another field. */
function keptFields(map: ColumnMap): ColumnMap {
  return map.filter(([column, field]) => column === field);
}

function canUseFlags({ flags }: OperationEntry, data: JobDescription['data']): boolean {
  return Object.entries(data).every(([field, value]) => {
    const kind = findSharedFlag(flags, field)?.kind;
    if (kind === 'list')
      return Array.isArray(value) && value.every((one) => typeof one === 'string');
    return (
      (kind === 'text' && typeof value === 'string') ||
      (kind === 'boolean' && typeof value === 'boolean')
    );
  });
}

function ifExistsFlag(action: unknown): readonly string[] {
  return typeof action === 'string' ? ['--if-exists', action] : [];
}

function printableStep(options: GlobalOptions, words: readonly string[]): NextStep | undefined {
  const command = stepForService(options, step('retry', ...words));
  const line = commandLineOf(command);
  return line.length <= MAX_COMMAND_LENGTH && redactRemembered(line) === line ? command : undefined;
}

/** Returns the `--api-version` flag, unless the job uses the default version of the command. */
function versionFlag({
  command,
  path,
}: Pick<OperationEntry, 'command' | 'path'>): readonly string[] {
  const defaultEntry = findEntryByCommand(command);
  const [, version = ''] = path.split('/');
  return defaultEntry?.version === version ? [] : ['--api-version', version];
}

/** Flags of answers that can be given more than once. */
const REPEATABLE = new Set(['--map', '--map-org']);
/** The only flag of answers without a value. */
const SWITCH = '--create-organization';

/**
 * Prints the line that runs the command again without its questions.
 * @param answers flags that answer the questions
 */
export async function printRepeatingCommand(
  context: Context,
  answers: readonly string[] = [],
): Promise<void> {
  if (answers.length === 0) return;
  const words = withAnswers(context.words, answers);
  // The words contain the flags that select the service.
  const command = { kind: 'retry', command: words, flags: [] } as const;
  await context.note(hint`to run this again without questions: ${command}`);
}

/** Adds flags to the words of a command, in place of earlier values of the same flags. */
function withAnswers(words: readonly string[], answers: readonly string[]): readonly string[] {
  const replaced = answers.filter((word) => word.startsWith('--') && !REPEATABLE.has(word));
  const kept = words.filter((word, at) => {
    const [name = ''] = word.split('=', 1);
    const before = words[at - 1] ?? '';
    const isValue = replaced.includes(before) && before !== SWITCH;
    return !replaced.includes(name) && !isValue;
  });
  return [...kept, ...answers];
}
