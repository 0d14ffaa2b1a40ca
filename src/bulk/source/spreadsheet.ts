import { InputError } from './source.ts';

const EXTENSION = /\.(?:xls[xmb]?|xlt[xm]?|f?ods|ots|numbers)$/i;

export function hasSpreadsheetName(path: string): boolean {
  return EXTENSION.test(path);
}

/**
 * Creates the error for a spreadsheet. svc does not read them: cells lose leading zeros, and long
 * IDs lose their last digits.
 */
export function spreadsheetError(name: string): InputError {
  return new InputError(
    name,
    {},
    'svc cannot read spreadsheets',
    'save the sheet as CSV (in Excel: "CSV UTF-8")',
  );
}
