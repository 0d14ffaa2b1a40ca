import { type CheckedInput, checkRecords } from '../../bulk/checked-input.ts';
import { problemOf } from '../../bulk/problem.ts';
import { openSource } from '../../bulk/source/open.ts';
import type { Source } from '../../bulk/source/record.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { safeText } from '../../kernel/safe-text.ts';
import type { Context } from '../context.ts';
import { given } from '../option-values.ts';
import type { BulkOptions, BulkRequest } from './request.ts';

export interface BulkInput extends Pick<CheckedInput, 'records' | 'duplicates'> {
  readonly source: Source;
}

/** Findings that are shown, of however many there are. */
const SHOWN_FINDINGS = 20;

/**
 * The records of a command, checked: those of its file, or of `--data`, or the one that flags describe.
 * @throws SvcError `usage` when there is not exactly one of these, `bad_data` when a record is not valid.
 */
export async function gatherInput(
  context: Context,
  entry: OperationEntry,
  fields: BulkFields,
  { data, record, options }: BulkRequest,
): Promise<BulkInput> {
  const listed = data[fields.field];
  const forms = [options.file, listed, record].filter((form) => form !== undefined);
  if (forms.length !== 1) throw wrongForms(entry, fields, forms.length);
  if (record) checkFlags(entry, fields, record);
  const source =
    options.file === undefined
      ? sourceOf(record ? [record] : listed)
      : await openFile(context, fields, options.file, options.inputFormat);
  const { schema, id } = fields;
  const checked = await checkRecords(source, { schema, idField: id, duplicates: options.duplicates });
  if (checked.findings.length > 0) throw await refusal(context, source, fields, checked);
  return { source, records: checked.records, duplicates: checked.duplicates };
}

function wrongForms({ flags, command }: OperationEntry, { id, noun }: BulkFields, count: number): SvcError {
  const own = flags.find(({ ofRecord, path }) => ofRecord && path[0] === id)?.name ?? id;
  const problem = count === 0 ? `there are no ${noun}s to send` : `${noun}s come from one place only`;
  return new SvcError('usage', problem, {
    hint: `give --file <path>, or one ${noun} with --${own}; see svc ${command.join(' ')} --help`,
  });
}

function checkFlags({ flags, command }: OperationEntry, { schema }: BulkFields, record: unknown): void {
  const issue = schema.safeParse(record).error?.issues[0];
  if (!issue) return;
  const flag = flags.find(({ ofRecord, path }) => ofRecord && path.join() === issue.path.join());
  throw new SvcError('usage', problemOf(issue, record, flag && `--${flag.name}`), {
    hint: `see svc ${command.join(' ')} --help`,
  });
}

/** Records that are in memory already; their place in the list stands for the line. */
function sourceOf(records: unknown): Source {
  const list: readonly unknown[] = Array.isArray(records) ? records : [records];
  const block = list.map((value, at) => ({ value, text: JSON.stringify(value), line: at + 1, column: 1 }));
  return { name: '--data', format: 'json', blocks: inOneBlock(block), preamble: () => '' };
}

async function* inOneBlock<Block>(block: Block): AsyncGenerator<Block> {
  yield block;
}

function openFile(
  { cwd, io, signal, warn }: Context,
  { field, known, id }: BulkFields,
  file: string,
  format: BulkOptions['inputFormat'],
): Promise<Source> {
  return openSource({
    file,
    ...given('format', format),
    cwd,
    stdin: io.stdin.stream,
    signal,
    field,
    fields: known,
    idField: id,
    // A warning that cannot be written must not end the reading that it is about.
    warn: (text) => void warn(text).catch(() => undefined),
  });
}

/** One finding is the error itself; of several, people read them line by line, and scripts the first few in the error. */
async function refusal(
  context: Context,
  source: Source,
  { noun }: BulkFields,
  { findings, findingCount }: CheckedInput,
): Promise<SvcError> {
  const hint = 'nothing was sent; correct the input and run the command again';
  const [only = ''] = findings;
  if (findingCount === 1) return new SvcError('bad_data', only, { hint });
  const shown = findings.slice(0, SHOWN_FINDINGS);
  const format = await context.format();
  if (format === 'json' || format === 'ndjson') {
    return new SvcError('bad_data', `${findingCount} problems: ${shown.join('; ')}`, { hint });
  }
  await context.io.stderr.write(shown.map((finding) => `${safeText(finding)}\n`).join(''));
  const more = findingCount > shown.length ? ` (the first ${shown.length} are shown)` : '';
  return new SvcError('bad_data', `${source.name}: ${findingCount} problems in its ${noun}s${more}`, { hint });
}
