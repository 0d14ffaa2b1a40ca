import type { JobDescription } from '../../bulk/journal/job-description.ts';
import type { WrittenRejects } from '../../bulk/rejects-file.ts';
import { formatFromName } from '../../bulk/source/detect-format.ts';
import { formatCommand, formatDataCommand } from '../../catalog/command-text.ts';
import { findEntryByCommand, getEntry, type OperationEntry } from '../../catalog/manifest.ts';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import { redactRemembered } from '../../kernel/redact.ts';
import type { Context, GlobalOptions } from '../context.ts';
import { programCommand } from '../service-flags.ts';
import { readRecords } from './pending-records.ts';
import type { SendPlan } from './send-plan.ts';
import { isColumnMap } from './stored-options.ts';

/** Maximum length of a suggested command, in characters. */
const MAX_COMMAND_LENGTH = 1_000;

/**
 * Creates a command that sends the records again with the same generated IDs. Returns `undefined` if sending them again
 * is unsafe, or the command would be too long or contain a secret.
 */
export async function retryCommand(context: Context, { calls, input, options }: SendPlan): Promise<string | undefined> {
  const { data, fields, operation } = calls;
  if (fields.field === undefined || operation.effect === 'once') return undefined;
  const records: unknown[] = [];
  for await (const block of readRecords(input)) for (const { json } of block) records.push(JSON.parse(json));
  const sent = { ...data, [fields.field]: records };
  const line = formatDataCommand(operation.command, sent, programCommand(context.options));
  return printableCommand(line + ifExistsFlag(options.ifExists) + versionFlag(operation));
}

/**
 * Creates the command that sends a job's rejects to the same target, with the same input settings. Returns `undefined`
 * if the command would be too long or contain a secret.
 * @param path path of the rejects file in the folder where the user runs the command
 */
export function rejectsCommand(
  options: GlobalOptions,
  { operation, data, options: flags }: JobDescription,
  { format, isAnew }: WrittenRejects,
  path: string,
): string | undefined {
  const entry = getEntry(operation);
  const program = programCommand(options);
  const line = canUseFlags(entry, data)
    ? formatCommand(entry, data, program)
    : formatDataCommand(entry.command, data, program);
  const map = isAnew ? [] : (flags['map'] ?? []);
  if (!isColumnMap(map)) return undefined;
  const words = [
    ...[line, '--file', quoteForShell(path)],
    ...(format === undefined || formatFromName(path) === format ? [] : ['--input-format', format]),
    ...map.flatMap(([column, field]) => ['--map', quoteForShell(`${column}=${field}`)]),
  ];
  return printableCommand(words.join(' ') + ifExistsFlag(flags['ifExists']) + versionFlag(entry));
}

/** Whether flags can represent all of the data. */
function canUseFlags({ flags }: OperationEntry, data: JobDescription['data']): boolean {
  return Object.entries(data).every(([field, value]) => {
    const kind = flags.find(({ ofRecord, path }) => !ofRecord && path.length === 1 && path[0] === field)?.kind;
    if (kind === 'list') return Array.isArray(value) && value.every((one) => typeof one === 'string');
    return (kind === 'text' && typeof value === 'string') || (kind === 'boolean' && typeof value === 'boolean');
  });
}

function ifExistsFlag(action: unknown): string {
  return typeof action === 'string' ? ` --if-exists ${action}` : '';
}

function printableCommand(line: string): string | undefined {
  return line.length <= MAX_COMMAND_LENGTH && redactRemembered(line) === line ? line : undefined;
}

/** Returns the `--api-version` flag, unless the job uses the default version of the command. */
function versionFlag({ command, path }: Pick<OperationEntry, 'command' | 'path'>): string {
  const defaultEntry = findEntryByCommand(command);
  const [, version] = path.split('/');
  return defaultEntry?.version === version ? '' : ` --api-version ${version}`;
}
