import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import { InputError } from './source.ts';

const ZIP = Buffer.from('PK\x03\x04');
/** The first bytes of a compound file, and of the bare sheets that old programs write, in Latin-1. */
const OLD_SPREADSHEETS = [
  '\xd0\xcf\x11\xe0',
  '\t\0\x04\0',
  '\t\x02\x06\0',
  '\t\x04\x06\0',
  '\t\b\b\0',
  '\t\b\x10\0',
];

export const UNPACK_HINT = 'unpack the file first';
export const EXPORT_HINT = 'export the records as CSV or JSON';

const EXTENSION = /\.(?:xlsb?|xlt[xm]?|f?ods|ots|numbers)$/i;

export function hasSpreadsheetName(path: string): boolean {
  return EXTENSION.test(path);
}

/** Creates the error for a spreadsheet in a format that svc does not read. */
export function createSpreadsheetError(name: string): InputError {
  return new InputError(
    name,
    {},
    'of spreadsheets, svc reads only .xlsx files without a password',
    'save the file as .xlsx, or the sheet as CSV (in Excel: "CSV UTF-8")',
  );
}

/** Whether bytes start like a ZIP archive, such as an .xlsx or .ods file. */
export function hasZipSignature(head: Uint8Array): boolean {
  return ZIP.equals(head.subarray(0, ZIP.length));
}

/** Whether bytes start like an .xls file, or like an .xlsx file with a password. */
export function hasOldSpreadsheetSignature(head: Uint8Array): boolean {
  return OLD_SPREADSHEETS.includes(Buffer.from(head.subarray(0, 4)).toString('latin1'));
}

/** The first sheet of a workbook does not have the header of the records, but other sheets do. */
export class OtherSheetError extends InputError {
  readonly sheets: readonly string[];
  readonly countRecords: (sheet: string) => Promise<number>;

  constructor(
    name: string,
    { position, problem }: InputError,
    sheets: readonly [string, ...string[]],
    /** Row of the header in the first of these sheets, if it is not the first row with values. */
    headerRow: number | undefined,
    countRecords: (sheet: string) => Promise<number>,
  ) {
    const list = sheets.map((sheet) => `'${sheet}'`).join(', ');
    const found = sheets.length === 1 ? `the sheet ${list} has` : `the sheets ${list} have`;
    const row = headerRow === undefined ? '' : ` --header-row ${headerRow}`;
    const hint = `add --sheet ${quoteForShell(sheets[0])}${row}`;
    super(name, position, `${problem}; ${found} the columns`, hint);
    this.sheets = sheets;
    this.countRecords = countRecords;
  }
}
