import type { InputFile } from '../../bulk/input-file.ts';
import {
  findUnknownColumns,
  formatMapFlags,
  guessFields,
} from '../../bulk/source/column-guesses.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { type InputOptions, openInputFiles } from './input-files.ts';
import type { ColumnMap } from './input-flags.ts';

const [KEEP, DROP] = ['(keep the name)', '(drop the column)'];

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
  const samples = await readColumns(context, fields, options);
  const header = [...samples.keys()].map((name) => known.get(name) ?? name);
  const columns = header.filter((name) => name !== '');
  const unknown = findUnknownColumns(columns, fields).filter(
    (name) => ![...known.values()].includes(name),
  );
  // The other columns are not sent.
  if (fields.bareIds && columns.includes(fields.id)) return [];
  const guesses = guessFields(columns, fields);
  const answers = new Map<string, string>();
  const prompter = unknown.length > 0 ? await context.prompter() : undefined;
  for (const [at, column] of unknown.entries()) {
    const taken = new Set([...columns, ...answers.values()]);
    const free = fieldNames(fields).filter((name) => !taken.has(name));
    const guess = guesses.get(column);
    const chosen = await prompter?.pick({
      message: `Field for column '${column}' (${at + 1}/${unknown.length})${describeSamples(samples.get(column))}`,
      choices: [...free, KEEP, DROP].map((value) => ({ value })),
      defaultValue: guess !== undefined && free.includes(guess) ? guess : KEEP,
    });
    answers.set(column, chosen === DROP ? '' : chosen === KEEP ? column : (chosen ?? column));
  }
  const { id, listed, generatesIds } = fields;
  const present = [...columns, ...answers.values()];
  const hasId = present.includes(id) || (listed?.id !== undefined && present.includes(listed.id));
  if (prompter && !hasId && !generatesIds) {
    const message = `Column that contains the ID (${id})`;
    const choices = columns.map((value) => ({ value }));
    answers.set(await prompter.pick({ message, choices }), id);
  }
  if (answers.size > 0)
    await context.note(`to skip these questions, add ${formatMapFlags(answers)}`);
  return [...answers];
}

const MAX_SAMPLES = 3;
const MAX_SAMPLE_LENGTH = 24;

function describeSamples(values: readonly string[] = []): string {
  const shown = values.map((text) =>
    text.length > MAX_SAMPLE_LENGTH ? `${text.slice(0, MAX_SAMPLE_LENGTH).toWellFormed()}…` : text,
  );
  return shown.length === 0 ? '' : `, such as ${shown.map((text) => `'${text}'`).join(', ')}`;
}

/** The fields of an operation, and its target fields that the command sets. */
type AskedFields = BulkFields & { readonly given?: readonly string[] };

function fieldNames({ id, knownFields, targetFields, given = [] }: AskedFields) {
  const targets = targetFields.map(({ name }) => name).filter((name) => !given.includes(name));
  return [...new Set([id, ...knownFields, ...targets])];
}

/**
 * Reads the columns of the files that have a header, with values. Ignores files that cannot be
 * read, or whose header is in another row.
 */
async function readColumns(
  context: Context,
  fields: AskedFields,
  { map: _, ...options }: InputOptions,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const columns = new Map<string, string[]>();
  const { cwd, io, signal } = context;
  const open = (generatesIds: boolean) =>
    openInputFiles(
      { cwd, io, signal },
      { ...fields, ...(generatesIds && { generatesIds: true as const }) },
      options,
      '',
    );
  try {
    const input = await open(false);
    // With generated IDs, a header without an ID is valid.
    const lenient = await open(true);
    for (const [at, file] of input.files.entries()) {
      if (file.format !== 'csv' && file.format !== 'xlsx') continue;
      const isReadable = await readSamples(file, columns);
      const other = lenient.files[at];
      if (!isReadable && other) await readSamples(other, columns);
    }
  } catch (error) {
    // The check reports the error.
    if (!(error instanceof SvcError)) throw error;
    return new Map();
  }
  return columns;
}

/**
 * Adds the columns of a file.
 * @returns false if the file has no ID column
 * @throws SvcError for any other problem
 */
async function readSamples(file: InputFile, columns: Map<string, string[]>): Promise<boolean> {
  const source = await file.open();
  const found: Record<string, unknown>[] = [];
  try {
    for await (const records of source.recordChunks) {
      for (const record of records.slice(0, MAX_SAMPLED_RECORDS)) found.push(Object(record.value));
      break;
    }
  } catch (error) {
    const isOtherRow = error instanceof SvcError && error.hint?.includes('--header-row') === true;
    if (!(error instanceof SvcError) || isOtherRow) throw error;
    return false;
  }
  for (const column of source.columns?.() ?? []) {
    const values = columns.get(column) ?? [];
    columns.set(column, values);
    for (const record of found) {
      const value = record[column];
      if (values.length === MAX_SAMPLES) break;
      if (typeof value === 'string' && !values.includes(value)) values.push(value);
    }
  }
  return true;
}

const MAX_SAMPLED_RECORDS = 100;
