import type { JobDescription } from '../../bulk/journal/description.ts';
import type { WrittenRejects } from '../../bulk/rejects.ts';
import { formatOfName } from '../../bulk/source/sniff.ts';
import { commandText, commandWithData } from '../../catalog/command-text.ts';
import { entryNamed, entryOfCommand, type OperationEntry } from '../../catalog/manifest.ts';
import { redactMet } from '../../kernel/redact.ts';
import { shellWord } from '../../kernel/shell-word.ts';
import type { Context, GlobalOptions } from '../context.ts';
import { programOf } from '../hinted-command.ts';
import { recordsOf } from './records.ts';
import type { BulkOptions } from './request.ts';
import type { Work } from './work.ts';

/** Characters of a command line beyond which it helps nobody. */
const LONGEST_COMMAND = 1_000;

/**
 * The command line that sends the records of a run once more, under the ids that were made up for them, where that does
 * no harm; undefined where it does, and for one that would be too long or hold a secret.
 */
export async function commandAgain(context: Context, { calls, input }: Work): Promise<string | undefined> {
  const { data, fields, operation } = calls;
  if (fields.field === undefined || operation.effect === 'once') return undefined;
  const records: unknown[] = [];
  for await (const block of recordsOf(input)) for (const { json } of block) records.push(JSON.parse(json));
  const line = commandWithData(operation.command, { ...data, [fields.field]: records }, programOf(context.options));
  return shownWhole(line + versionFlag(operation));
}

/**
 * The command line that sends the rejects of a job, once they are corrected, to where the job went, and reads them as it
 * read its input; undefined for one that would be too long or hold a secret.
 * @param path the rejects as they may be named where the command will run
 */
export function commandForRejects(
  options: GlobalOptions,
  { operation, data, options: flags }: JobDescription,
  { format, isAnew }: WrittenRejects,
  path: string,
): string | undefined {
  const entry = entryNamed(operation);
  const program = programOf(options);
  const line = haveFlags(entry, data)
    ? commandText(entry, data, program)
    : commandWithData(entry.command, data, program);
  const map = isAnew ? [] : ((flags as unknown as BulkOptions).map ?? []);
  const words = [
    ...[line, '--file', shellWord(path)],
    ...(format === undefined || formatOfName(path) === format ? [] : ['--input-format', format]),
    ...map.flatMap(([column, field]) => ['--map', shellWord(`${column}=${field}`)]),
  ];
  return shownWhole(words.join(' ') + versionFlag(entry));
}

/** Whether flags say all of the data, and mean the same by it. */
function haveFlags({ flags }: OperationEntry, data: JobDescription['data']): boolean {
  return Object.entries(data).every(([field, value]) => {
    const kind = flags.find(({ ofRecord, path }) => !ofRecord && path.length === 1 && path[0] === field)?.kind;
    if (kind === 'list') return Array.isArray(value) && value.every((one) => typeof one === 'string');
    return (kind === 'text' && typeof value === 'string') || (kind === 'boolean' && typeof value === 'boolean');
  });
}

function shownWhole(line: string): string | undefined {
  return line.length <= LONGEST_COMMAND && redactMet(line) === line ? line : undefined;
}

/** Needed where the command means another version unless it is told. */
function versionFlag({ command, path }: Pick<OperationEntry, 'command' | 'path'>): string {
  const usual = entryOfCommand(command);
  const [, version] = path.split('/');
  return usual?.version === version ? '' : ` --api-version ${version}`;
}
