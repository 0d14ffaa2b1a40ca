import { OtherSheetError } from '../../bulk/source/spreadsheet.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';
import { type InputOptions, openInputFiles } from './input-files.ts';

/**
 * Asks for the sheet if the first one of a workbook does not have the records, but others do.
 * @returns `undefined` if no sheet has to be chosen
 */
export async function askForSheet(
  context: Context,
  fields: BulkFields,
  options: InputOptions,
): Promise<string | undefined> {
  const error = await findOtherSheets(context, fields, options);
  if (!error) return undefined;
  const choices: { readonly value: string; readonly description: string }[] = [];
  for (const sheet of error.sheets)
    choices.push({
      value: sheet,
      description: formatNounCount(await error.countRecords(sheet), 'record'),
    });
  const prompter = await context.prompter();
  return prompter.pick({ message: 'Sheet with the records', choices });
}

async function findOtherSheets(
  context: Context,
  fields: BulkFields,
  options: InputOptions,
): Promise<OtherSheetError | undefined> {
  try {
    const input = await openInputFiles(context, fields, options, '');
    for (const file of input.files) {
      if (file.format !== 'xlsx') continue;
      const source = await file.open();
      for await (const _records of source.recordChunks) break;
    }
  } catch (error) {
    if (error instanceof OtherSheetError) return error;
    // The check reports other errors.
    if (!(error instanceof SvcError)) throw error;
  }
  return undefined;
}
