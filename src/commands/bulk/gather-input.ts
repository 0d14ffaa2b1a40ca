import { findingText } from '../../bulk/finding.ts';
import { type FileChoice, memoryInput, openInput, type RecordInput } from '../../bulk/input.ts';
import { problemOf } from '../../bulk/problem.ts';
import { FieldMap } from '../../bulk/source/field-map.ts';
import { type HearRecord, type RecordRules, type Survey, survey } from '../../bulk/survey.ts';
import { Target } from '../../bulk/target.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import type { Flag } from '../../catalog/flags.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { keepHeapSmall } from '../../kernel/heap.ts';
import { hint, step } from '../../kernel/hint.ts';
import { plural } from '../../kernel/plural.ts';
import { refusal } from '../call/refusal.ts';
import type { Context } from '../context.ts';
import { given } from '../option-values.ts';
import type { ColumnPairs } from './column-map.ts';
import { showChecking } from './progress.ts';
import type { BulkRequest } from './request.ts';
import { warnOf } from './warnings.ts';

/** The records of a command after a whole look at them: there is nothing wrong with any. */
export interface BulkInput {
  readonly input: RecordInput;
  readonly rules: RecordRules;
  readonly survey: Survey;
}

/** What a job adds to the way its records are read. */
export interface InputOfJob extends Pick<RecordRules, 'mint' | 'shard'> {
  /** Where to keep what comes through a pipe. */
  readonly spool: string;
  /** Hears each record that is going to be sent. */
  readonly hear?: HearRecord;
}

/**
 * The records of a command: those of its files, or of `--data`, or what flags describe.
 * @throws SvcError `usage` when there is not exactly one of these or a flag is wrong, `bad_data` when a record is not
 * valid; nothing of a spool is left behind then.
 */
export async function gatherInput(
  context: Context,
  entry: OperationEntry,
  fields: BulkFields,
  request: BulkRequest,
  { mint, shard, spool, hear }: InputOfJob,
): Promise<BulkInput> {
  checkForms(entry, fields, request);
  const reading = untilRead(context.signal);
  const input = await inputOf({ ...context, signal: reading.signal }, entry, fields, request, spool);
  const { duplicates } = request.options;
  const { data } = request;
  const target = given('target', targetOf(fields, data));
  const rules = { fields, shared: data, ...target, duplicates, mint, ...given('shard', shard) };
  const shown = await showChecking(context, input);
  try {
    const surveyed = await survey(input, rules, context.signal, hear).finally(shown);
    await warnOf(context, surveyed.warnings.map(findingText));
    if (surveyed.findingCount > 0) throw await refusedInput(context, fields, request, input, surveyed);
    return { input, rules, survey: surveyed };
  } catch (error) {
    await input.discard();
    throw error;
  } finally {
    reading.end();
  }
}

/** Where all records of a command go; undefined where each record is a call, and goes where it says. */
export function targetOf({ field, target }: BulkFields, data: BulkRequest['data']): Target | undefined {
  if (field === undefined) return undefined;
  // A required one that is not given is an error of its own.
  const known = target.filter(({ name, required }) => !required || data[name] !== undefined);
  return new Target(
    known.map(({ name }) => name),
    data,
    'refused',
  );
}

/** The run's signal as far as the first reading: what is written at the end of a run that was stopped needs another one. */
export function untilRead(signal: AbortSignal): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return { signal: controller.signal, end: () => signal.removeEventListener('abort', abort) };
}

async function refusedInput(
  context: Context,
  fields: BulkFields,
  request: BulkRequest,
  { name, files }: RecordInput,
  survey: Survey,
): Promise<SvcError> {
  const byFlags = request.options.file === undefined && !request.fromDocument;
  const { findings, findingCount } = survey;
  const texts = findings.map(findingText);
  return refusal(
    context,
    { findings: texts, findingCount },
    {
      failure: byFlags ? 'usage' : 'bad_data',
      name,
      part: `${files.length === 1 ? 'its' : 'their'} ${plural(fields.noun)}`,
      hint: nextStep(survey),
    },
  );
}

function nextStep({ hint, breaksOff, findingCount }: Survey): string {
  // Why a file breaks off is not all there is to mend, if something before was wrong as well.
  const fits = hint !== undefined && (!breaksOff || findingCount === 1);
  if (fits && breaksOff) return hint;
  return `nothing was sent; ${fits ? hint : 'correct the input and run the command again'}`;
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
    hint: hint`give --file <path>, or one ${noun} with ${own}; see ${step('help', ...entry.command, '--help')}`,
  });
}

/** The flag that stands for the id of a record, or for the list of ids. */
function idFlag({ flags }: OperationEntry, { field, id, bareIds }: BulkFields): Flag | undefined {
  const [ofRecord, name] = [field !== undefined && !bareIds, bareIds ? field : id];
  return flags.find((flag) => flag.ofRecord === ofRecord && flag.path.length === 1 && flag.path[0] === name);
}

async function inputOf(
  context: Context,
  entry: OperationEntry,
  fields: BulkFields,
  { data, record, fromDocument, options }: BulkRequest,
  spool: string,
): Promise<RecordInput> {
  if (options.file !== undefined) {
    const { inputFormat } = options;
    const files = options.file.map((file) => ({ file, ...given('format', inputFormat) }));
    return openFiles(context, fields, { files, ...given('map', options.map) }, spool);
  }
  if (options.map) throw new SvcError('usage', '--map is for the records of a file', { hint: 'give --file <path>' });
  if (record) {
    checkFlags(entry, fields, record);
    return memoryInput('--data', [record]);
  }
  const listed: unknown = data[fields.list];
  const flag = fromDocument ? undefined : idFlag(entry, fields);
  return memoryInput(`--${flag?.name ?? 'data'}`, Array.isArray(listed) ? listed : [listed]);
}

function checkFlags({ flags, command }: OperationEntry, { schema }: BulkFields, record: unknown): void {
  const issue = schema.safeParse(record).error?.issues[0];
  if (!issue) return;
  const flag = flags.find(({ ofRecord, path }) => ofRecord && path.join() === issue.path.join());
  throw new SvcError('usage', problemOf(issue, record, flag && `--${flag.name}`), {
    hint: hint`see ${step('help', ...command, '--help')}`,
  });
}

/** Looks for the files that options name, as the flags describe them. */
export function openFiles(
  { cwd, io, signal }: Pick<Context, 'cwd' | 'io' | 'signal'>,
  { list, known, id, mints }: BulkFields,
  { files, map }: { readonly files: readonly FileChoice[]; readonly map?: ColumnPairs },
  spool: string,
): Promise<RecordInput> {
  keepHeapSmall();
  return openInput({
    files,
    ...given('map', map && new FieldMap(new Map(map))),
    cwd,
    stdin: io.stdin.stream,
    signal,
    spool,
    field: list,
    fields: known,
    idField: id,
    mints: mints ?? false,
  });
}
