import { OtherRowError } from '../../bulk/source/source.ts';
import { OtherSheetError } from '../../bulk/source/spreadsheet.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount, joinFirst } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';
import { type InputOptions, openInputFiles } from './input-files.ts';

/**
 * Asks for the sheet if the first one of each workbook does not have the records, but others do.
 * @returns `undefined` if no sheet has to be chosen
 */
export async function askForSheet(
  context: Context,
  fields: BulkFields,
  options: InputOptions,
): Promise<string | undefined> {
  const problems = await readHeaders(context, fields, options, ['xlsx']);
  const errors = problems.filter((error) => error instanceof OtherSheetError);
  const [first, ...others] = errors;
  // The flag applies to every file.
  if (!first || errors.length < problems.length) return undefined;
  const names = first.sheets.filter((name) => others.every(({ sheets }) => sheets.includes(name)));
  if (names.length === 0) return undefined;
  const choices: { readonly value: string; readonly label: string }[] = [];
  for (const value of names) {
    let count = 0;
    for (const { countRecords } of errors) count += await countRecords(value);
    choices.push({ value, label: `${value} (${formatNounCount(count, 'record')})` });
  }
  return (await context.prompter()).pick({ message: 'Sheet with the records', choices });
}

const MAX_SHOWN_COLUMNS = 5;

/**
 * Asks for the row of the header if the first one lacks the ID, and one of the next rows has it, in
 * each file.
 * @returns `undefined` if no row has to be chosen
 */
export async function askForHeaderRow(
  context: Context,
  fields: BulkFields,
  options: InputOptions,
): Promise<number | undefined> {
  const problems = await readHeaders(context, fields, options, ['csv', 'xlsx']);
  const errors = problems.filter((error) => error instanceof OtherRowError);
  const [only] = errors;
  if (!only || errors.length < problems.length) return undefined;
  const { first, later } = only.row;
  if (errors.some(({ row }) => row.first.row !== first.row || row.later.row !== later.row))
    return undefined;
  const choices = [later, first].map(({ row, columns }) => {
    const named = columns.filter((column) => column.trim() !== '');
    const value = `row ${row}`;
    return { row, value, label: `${value}: ${joinFirst(named, MAX_SHOWN_COLUMNS)}` };
  });
  const chosen = await (await context.prompter()).pick({
    message: 'Row with the column names',
    choices: choices.map(({ value, label }) => ({ value, label })),
    defaultValue: `row ${later.row}`,
  });
  return choices.find(({ value }) => value === chosen)?.row;
}

/** Reads the header of each file of a format. Returns the error of each, or `undefined`. */
export async function readHeaders(
  { cwd, io, signal }: Context,
  fields: BulkFields,
  options: InputOptions,
  formats: readonly string[],
): Promise<readonly (SvcError | undefined)[]> {
  const found: (SvcError | undefined)[] = [];
  try {
    const input = await openInputFiles({ cwd, io, signal }, fields, options, '');
    for (const file of input.files) {
      if (!formats.includes(file.format)) continue;
      found.push(
        await readFirst(async () => {
          const source = await file.open();
          for await (const _records of source.recordChunks) break;
        }),
      );
    }
  } catch (error) {
    // The check reports the error.
    if (!(error instanceof SvcError)) throw error;
    return [];
  }
  return found;
}

async function readFirst(read: () => Promise<void>): Promise<SvcError | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    if (!(error instanceof SvcError) || error.failure !== 'invalid_input') throw error;
    return error;
  }
}
