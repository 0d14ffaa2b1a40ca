import { InputError } from './source.ts';

const EXTENSION = /\.(?:xls[xmb]?|xlt[xm]?|f?ods|ots|numbers)$/i;

/** Whether a file's extension is one of a spreadsheet program. */
export function hasSpreadsheetName(path: string): boolean {
  return EXTENSION.test(path);
}

/** Creates the error for a spreadsheet, which svc does not read: cells lose leading zeros and long IDs their last digits. */
export function spreadsheetError(name: string): InputError {
  return new InputError(name, {}, 'svc cannot read spreadsheets', 'save the sheet as CSV (in Excel: "CSV UTF-8")');
}
