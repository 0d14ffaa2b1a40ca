import type { InputFile } from '../../bulk/input-file.ts';
import { findUnknownColumns, guessFields } from '../../bulk/source/column-guesses.ts';
import { OtherRowError, type SourceRecord } from '../../bulk/source/source.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { readHeaders } from './ask-for-table.ts';
import { type InputOptions, openInputFiles } from './input-files.ts';
import { type ColumnMap, shorten } from './input-flags.ts';

const [KEEP, DROP, BACK] = ['(keep the name)', '(drop the column)', '(back)'];

/**
 * Asks for the field of each unknown column of the input files, with the best guess selected.
 * Afterward, a column contains the ID.
 * @param known mappings that were given, whose columns are not asked about
 */
export async function askForColumns(
  context: Context,
  fields: AskedFields,
  options: InputOptions,
  known: ReadonlyMap<string, string>,
): Promise<ColumnMap> {
  const { files, samples } = await readColumns(context, fields, options);
  const headers = files.map((columns) =>
    columns.map((name) => known.get(name) ?? name).filter((name) => name !== ''),
  );
  const { id, listed, bareIds, generatesIds, given = [] } = fields;
  // The other columns are not sent.
  const asked = bareIds ? headers.filter((columns) => !columns.includes(id)) : headers;
  const renamed = new Set(known.values());
  const unknown = new Set(
    asked
      .flatMap((columns) => findUnknownColumns(columns, fields))
      .filter((name) => !renamed.has(name)),
  );
  const hasId = (columns: readonly string[]) =>
    columns.includes(id) || (listed?.id !== undefined && columns.includes(listed.id));
  const needsId = (columns: readonly string[]) => !hasId(columns) && !generatesIds;
  if (unknown.size === 0 && !asked.some(needsId)) return [];
  const prompter = await context.prompter();
  const answers = new Map<string, string>();
  const toFields = (columns: readonly string[]) =>
    columns.map((column) => answers.get(column) ?? column);
  const order = [...unknown];
  for (let at = 0; at < order.length; ) {
    const column = order[at] ?? '';
    const own = asked.filter((columns) => columns.includes(column));
    const taken = new Set(own.flatMap((columns) => [...columns, ...toFields(columns)]));
    const free = fieldNames(fields).filter((name) => !taken.has(name));
    const [guess] = own.flatMap((columns) => guessFields(columns, fields).get(column) ?? []);
    // The command sets the field for all records.
    const otherwise = guess !== undefined && given.includes(guess) ? DROP : KEEP;
    const chosen = await prompter.pick({
      message: `Field for column '${shorten(column, MAX_SAMPLE_LENGTH)}' (${at + 1}/${unknown.size})${describeSamples(samples.get(column))}`,
      choices: [...free, KEEP, DROP, ...(at > 0 ? [BACK] : [])].map((value) => ({ value })),
      defaultValue: guess !== undefined && free.includes(guess) ? guess : otherwise,
    });
    at += chosen === BACK ? -1 : 1;
    if (chosen === BACK) answers.delete(order[at] ?? '');
    else answers.set(column, chosen === DROP ? '' : chosen === KEEP ? column : chosen);
  }
  for (const columns of asked) {
    if (!needsId(toFields(columns))) continue;
    const message = `Column that contains the ID (${id})`;
    const choices = columns.map((value) => ({ value }));
    answers.set(sourceOf(await prompter.pick({ message, choices }), known), id);
  }
  return [...answers];
}

/** Returns the name in the file of a column that was renamed before. */
function sourceOf(column: string, known: ReadonlyMap<string, string>): string {
  return [...known].find(([, field]) => field === column)?.[0] ?? column;
}

const MAX_SAMPLES = 3;
const MAX_SAMPLE_LENGTH = 24;

function describeSamples(values: readonly string[] = []): string {
  const shown = values.map((value) => shorten(value, MAX_SAMPLE_LENGTH));
  return shown.length === 0 ? '' : `, such as ${shown.map((text) => `'${text}'`).join(', ')}`;
}

/** The fields of an operation, and its target fields that the command sets. */
type AskedFields = BulkFields & { readonly given?: readonly string[] };

function fieldNames({ id, knownFields, targetFields, given = [] }: AskedFields) {
  const targets = targetFields.map(({ name }) => name).filter((name) => !given.includes(name));
  return [...new Set([id, ...knownFields, ...targets])];
}

interface ReadColumns {
  /** The columns of each file that has a header. */
  readonly files: readonly (readonly string[])[];
  /** The first values of each column. */
  readonly samples: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads the columns of the files that have a header, with values. Finds none if a file cannot be
 * read.
 */
async function readColumns(
  context: Context,
  fields: AskedFields,
  { map: _, ...options }: InputOptions,
): Promise<ReadColumns> {
  const files: (readonly string[])[] = [];
  const samples = new Map<string, string[]>();
  const { cwd, io, signal } = context;
  // With generated IDs, a header without an ID is valid.
  const lenient = { ...fields, generatesIds: true as const };
  try {
    // Files whose headers are in different rows cannot be read with the same flag.
    if (options.headerRow === undefined) {
      const problems = await readHeaders(context, fields, options, ['csv', 'xlsx']);
      if (problems.some((each) => each instanceof OtherRowError)) return { files, samples };
    }
    const input = await openInputFiles({ cwd, io, signal }, lenient, options, '');
    for (const file of input.files)
      if (file.format === 'csv' || file.format === 'xlsx')
        files.push(await readSamples(file, samples));
  } catch (error) {
    // The check reports the error.
    if (!(error instanceof SvcError)) throw error;
    return { files: [], samples };
  }
  return { files, samples };
}

/** Adds the first values of each column of a file, and returns its columns. */
async function readSamples(
  file: InputFile,
  samples: Map<string, string[]>,
): Promise<readonly string[]> {
  const source = await file.open();
  const found: Record<string, unknown>[] = [];
  for await (const records of source.recordChunks) {
    for (const record of records.slice(0, MAX_SAMPLED_RECORDS)) found.push(readFields(record));
    break;
  }
  const columns = source.columns?.() ?? [];
  for (const column of columns) {
    const values = samples.get(column) ?? [];
    samples.set(column, values);
    for (const record of found) {
      const value = record[column];
      if (values.length === MAX_SAMPLES) break;
      if (typeof value === 'string' && !values.includes(value)) values.push(value);
    }
  }
  return columns;
}

/** Returns the fields of a record; none if it cannot be read. */
function readFields(record: SourceRecord): Record<string, unknown> {
  try {
    return Object(record.value);
  } catch (error) {
    if (error instanceof SvcError) return {};
    throw error;
  }
}

const MAX_SAMPLED_RECORDS = 100;
