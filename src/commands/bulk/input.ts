import { type CheckedInput, checkRecords } from '../../bulk/checked-input.ts';
import { problemOf } from '../../bulk/problem.ts';
import { memorySource } from '../../bulk/source/memory.ts';
import { openSource } from '../../bulk/source/open.ts';
import type { Source } from '../../bulk/source/record.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import type { Flag } from '../../catalog/flags.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { plural } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';
import { given } from '../option-values.ts';
import { refusal } from '../refusal.ts';
import type { BulkRequest } from './request.ts';
import { warnOf } from './warnings.ts';

export interface BulkInput extends Pick<CheckedInput, 'records' | 'duplicates'> {
  readonly source: Source;
}

/**
 * The records of a command, checked: those of its file, or of `--data`, or what flags describe.
 * @throws SvcError `usage` when there is not exactly one of these or a flag is wrong, `bad_data` when a record is not
 * valid.
 */
export async function gatherInput(
  context: Context,
  entry: OperationEntry,
  fields: BulkFields,
  request: BulkRequest,
): Promise<BulkInput> {
  checkForms(entry, fields, request);
  const source = await sourceOf(context, entry, fields, request);
  const checked = await checkRecords(source, {
    fields,
    shared: request.data,
    duplicates: request.options.duplicates,
  });
  await warnOf(context, checked.warnings);
  if (checked.findings.length > 0) {
    const byFlags = request.options.file === undefined && !request.fromDocument;
    throw await refusal(context, checked, {
      failure: byFlags ? 'usage' : 'bad_data',
      name: source.name,
      part: `its ${plural(fields.noun)}`,
      hint: 'nothing was sent; correct the input and run the command again',
    });
  }
  return { source, records: checked.records, duplicates: checked.duplicates };
}

function checkForms(entry: OperationEntry, fields: BulkFields, { data, record, options }: BulkRequest): void {
  const { field, noun, id } = fields;
  const own = `--${idFlag(entry, fields)?.name ?? id}`;
  if (field === undefined) {
    if (data[id] === undefined) return;
    throw new SvcError('usage', `${own}: each ${noun} of a file has an id of its own`, {
      hint: `put it into the records, as ${id}`,
    });
  }
  const count = [options.file, data[field], record].filter((form) => form !== undefined).length;
  if (count === 1) return;
  const problem = count === 0 ? `there are no ${plural(noun)} to send` : `${plural(noun)} come from one place only`;
  throw new SvcError('usage', problem, {
    hint: `give --file <path>, or one ${noun} with ${own}; see svc ${entry.command.join(' ')} --help`,
  });
}

/** The flag that stands for the id of a record, or for the list of ids. */
function idFlag({ flags }: OperationEntry, { field, id, bareIds }: BulkFields): Flag | undefined {
  const [ofRecord, name] = [field !== undefined && !bareIds, bareIds ? field : id];
  return flags.find((flag) => flag.ofRecord === ofRecord && flag.path.length === 1 && flag.path[0] === name);
}

async function sourceOf(
  context: Context,
  entry: OperationEntry,
  fields: BulkFields,
  { data, record, fromDocument, options }: BulkRequest,
): Promise<Source> {
  if (options.file !== undefined) return openFile(context, fields, options.file, options.inputFormat);
  if (record) {
    checkFlags(entry, fields, record);
    return memorySource('--data', [record]);
  }
  const listed: unknown = data[fields.list];
  const flag = fromDocument ? undefined : idFlag(entry, fields);
  return memorySource(`--${flag?.name ?? 'data'}`, Array.isArray(listed) ? listed : [listed]);
}

function checkFlags({ flags, command }: OperationEntry, { schema }: BulkFields, record: unknown): void {
  const issue = schema.safeParse(record).error?.issues[0];
  if (!issue) return;
  const flag = flags.find(({ ofRecord, path }) => ofRecord && path.join() === issue.path.join());
  throw new SvcError('usage', problemOf(issue, record, flag && `--${flag.name}`), {
    hint: `see svc ${command.join(' ')} --help`,
  });
}

function openFile(
  { cwd, io, signal, warn }: Context,
  { list, known, id, mints }: BulkFields,
  file: string,
  format: BulkRequest['options']['inputFormat'],
): Promise<Source> {
  return openSource({
    file,
    ...given('format', format),
    cwd,
    stdin: io.stdin.stream,
    signal,
    field: list,
    fields: known,
    idField: id,
    mints: mints ?? false,
    // A warning that cannot be written must not end the reading that it is about.
    warn: (text) => void warn(text).catch(() => undefined),
  });
}
