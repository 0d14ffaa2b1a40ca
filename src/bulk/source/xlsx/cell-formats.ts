import { getFormatFromId, isDateFormat } from 'numfmt';
import {
  createNumberFormatter,
  createTextFormatter,
  type NumberFormatter,
  type NumberText,
  parseIsoDate,
  type TextFormatter,
} from './number-format.ts';
import type { XmlAttributes, XmlHandler } from './read-xml.ts';

/**
 * Built-in formats that are times in one language and dates in another. The text has both parts if the
 * number has both.
 */
const DATES_OR_TIMES = [34, 35, 55, 56];
const LAST_FORMAT = 58;
/** Built-in formats for Thai: the number of the first, and the numbers of the equal built-in formats. */
const THAI_FORMATS = [
  [59, [1, 2, 3, 4]],
  [67, [9, 10, 12, 13, 14, 15, 16, 17, 20, 21, 22, 45, 46, 47, 14]],
] as const;

const SHORT_INTEGER = /^-?[1-9]\d{0,14}$/;
const ZEROS = /^0+$/;
/** Limits above those of Excel: 65,490 cell formats, and 250 custom patterns. */
const [MAX_FORMATS, MAX_PATTERNS] = [100_000, 1000];

interface CellFormat {
  readonly pattern: string;
  readonly format: NumberFormatter;
  readonly formatText: TextFormatter | undefined;
}

/** The formats of cells, by the style number of a cell. Reads them from the styles of a workbook. */
export class CellFormats implements XmlHandler {
  readonly #patterns = new Map<string, string>();
  readonly #formatIds: string[] = [];
  readonly #formats: CellFormat[] = [];
  /** The formats that were used, by their patterns. */
  readonly #used = new Map<string, CellFormat>();
  readonly #is1904: boolean;

  constructor(is1904: boolean) {
    this.#is1904 = is1904;
  }

  open(name: string, attributes: XmlAttributes, parent: string): void {
    const id = attributes['numFmtId']?.value;
    // Conditional formats contain the same elements.
    if (name === 'numFmt' && parent === 'numFmts')
      this.#patterns.set(id ?? '', attributes['formatCode']?.value ?? '');
    else if (name === 'xf' && parent === 'cellXfs') {
      this.#formatIds.push(id ?? '0');
      if (this.#formatIds.length > MAX_FORMATS) throw new Error('it has too many cell formats');
    }
  }

  /**
   * Formats a number as the sheet shows it, but integers with all their digits, and dates as ISO
   * 8601, because their display depends on the machine.
   * @throws NumberFormatError for a date outside the calendar, and for a format that svc does not know
   */
  formatNumber(stored: string, style: number): NumberText {
    const { pattern, format } = this.#formatOf(style);
    if (SHORT_INTEGER.test(stored)) {
      if (pattern === '') return { text: stored, isExact: true };
      if (ZEROS.test(pattern) && !stored.startsWith('-'))
        return { text: stored.padStart(pattern.length, '0'), isExact: true };
    }
    return format(Number(stored));
  }

  /**
   * Formats a date, a time, or a duration in ISO 8601, as strict workbooks store them. Returns `undefined`
   * for any other text.
   * @throws NumberFormatError for a date outside the calendar
   */
  formatDate(stored: string, style: number): NumberText | undefined {
    const date = parseIsoDate(stored, this.#is1904);
    if (!date) return undefined;
    const { pattern, format } = this.#formatOf(style);
    const isDate = pattern !== '' && isDateFormat(pattern);
    return (isDate ? format : createNumberFormatter(date.pattern, this.#is1904))(date.value);
  }

  /** Formats a text as the sheet shows it: with the prefix of `"EMP-"@`, for example. */
  formatText(text: string, style: number): string {
    return this.#formatOf(style).formatText?.(text) ?? text;
  }

  #formatOf(given: number): CellFormat {
    // A sheet can contain any number, and a list with gaps takes long.
    const style = Math.min(given, this.#formatIds.length);
    const known = this.#formats[style];
    if (known) return known;
    const id = this.#formatIds[style] ?? '0';
    const code = this.#patterns.get(id) ?? builtInFormat(Number(id));
    const pattern = /^(?:general|@)$/i.test(code) ? '' : code;
    const used = this.#used.get(pattern) ?? this.#createFormat(pattern);
    this.#formats[style] = used;
    return used;
  }

  #createFormat(pattern: string): CellFormat {
    const created = {
      pattern,
      format: createNumberFormatter(pattern, this.#is1904),
      formatText: createTextFormatter(pattern),
    };
    this.#used.set(pattern, created);
    if (this.#used.size > MAX_PATTERNS) throw new Error('it uses too many number formats');
    return created;
  }
}

/** Returns the pattern of a built-in format, or the general pattern for an unknown number. */
function builtInFormat(id: number): string {
  if (DATES_OR_TIMES.includes(id)) return 'yyyy-mm-dd hh:mm:ss';
  if (id <= LAST_FORMAT) return getFormatFromId(id);
  const same = THAI_FORMATS.map(([first, ids]) => ids[id - first]).find((found) => found);
  return getFormatFromId(same ?? 0);
}
