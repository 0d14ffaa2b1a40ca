import ssf from 'ssf';
import type { XmlAttributes, XmlHandler } from './read-xml.ts';

/** How numbers are displayed: in general form, as a date, or with a format of a spreadsheet. */
type NumberFormat = 'general' | { readonly pattern: string; readonly isDate: boolean };

/** A number of which neither the file nor the sheet shows all digits. */
export class LostDigitsError extends Error {}

/** Longest pattern that Excel accepts. */
const MAX_PATTERN_LENGTH = 255;
/** Numbers have 15 significant digits. */
const MAX_EXACT_INTEGER = 999_999_999_999_999;
const SIGNIFICANT_DIGITS = 15;
const SHORT_INTEGER = /^-?[1-9]\d{0,14}$/;
const SCIENTIFIC = /\dE[+-]?\d/i;

/** The formats of cells, by the style number of a cell. Reads them from the styles of a workbook. */
export class CellFormats implements XmlHandler {
  readonly #patterns = new Map<string, string>();
  readonly #formatIds: string[] = [];
  readonly #formats: NumberFormat[] = [];
  readonly #is1904: boolean;
  #isInCellFormats = false;

  constructor(is1904: boolean) {
    this.#is1904 = is1904;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'numFmt')
      this.#patterns.set(attributes['numFmtId'] ?? '', attributes['formatCode'] ?? '');
    else if (name === 'cellXfs') this.#isInCellFormats = true;
    else if (name === 'xf' && this.#isInCellFormats)
      this.#formatIds.push(attributes['numFmtId'] ?? '0');
  }

  close(name: string): void {
    if (name === 'cellXfs') this.#isInCellFormats = false;
  }

  /**
   * Formats a number as the sheet shows it, but integers with all their digits, and dates as ISO
   * 8601, because their display depends on the machine.
   * @throws LostDigitsError for an integer with more than 15 digits, and for a number that the
   * sheet shows as `1.23E+11`
   */
  formatNumber(stored: string, style: number): string {
    const format = this.#formatOf(style);
    if (format === 'general' && SHORT_INTEGER.test(stored)) return stored;
    const value = Number(stored);
    if (!Number.isFinite(value)) return stored;
    if (format !== 'general' && format.isDate)
      return formatDate(value, format.pattern, this.#is1904);
    if (Math.abs(value) > MAX_EXACT_INTEGER) throw new LostDigitsError();
    if (format === 'general') return String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));
    const shown: string = ssf.format(format.pattern, value);
    if (SCIENTIFIC.test(shown)) throw new LostDigitsError();
    return shown;
  }

  #formatOf(style: number): NumberFormat {
    const known = this.#formats[style];
    if (known) return known;
    const format = this.#readFormat(this.#formatIds[style] ?? '0');
    this.#formats[style] = format;
    return format;
  }

  #readFormat(id: string): NumberFormat {
    const pattern = this.#patterns.get(id) ?? ssf.get_table()[Number(id)] ?? 'General';
    if (/^(?:general|@)?$/i.test(pattern) || pattern.length > MAX_PATTERN_LENGTH) return 'general';
    try {
      // Throws for an invalid pattern.
      ssf.format(pattern, 0);
      return { pattern, isDate: ssf.is_date(pattern) };
    } catch {
      return 'general';
    }
  }
}

function formatDate(value: number, pattern: string, is1904: boolean): string {
  const isDuration = /\[[hms]+\]/i.test(pattern);
  const code = isDuration ? null : ssf.parse_date_code(value, { date1904: is1904 });
  if (!code) return ssf.format(pattern, value, { date1904: is1904 });
  const { y, m, d, H, M, S, u } = code;
  const pad = (number: number, length = 2) => String(number).padStart(length, '0');
  const milliseconds = Math.round(u * 1000);
  const fraction = milliseconds === 0 || milliseconds >= 1000 ? '' : `.${pad(milliseconds, 3)}`;
  const time = `${pad(H)}:${pad(M)}:${pad(S)}${fraction}`;
  if (value >= 0 && value < 1 && !is1904) return time;
  const date = `${pad(y, 4)}-${pad(m)}-${pad(d)}`;
  return Number.isInteger(value) ? date : `${date}T${time}`;
}
