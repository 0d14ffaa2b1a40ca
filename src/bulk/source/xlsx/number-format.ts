import {
  format,
  getFormatDateInfo,
  isDateFormat,
  isTextFormat,
  isValidFormat,
  TOKEN_BREAK,
  TOKEN_CONDITION,
  TOKEN_DIGIT,
  TOKEN_DURATION,
  TOKEN_EXP,
  TOKEN_FILL,
  TOKEN_GENERAL,
  TOKEN_HASH,
  TOKEN_LOCALE,
  TOKEN_PERCENT,
  TOKEN_POINT,
  TOKEN_QMARK,
  TOKEN_SCALE,
  TOKEN_SKIP,
  TOKEN_SLASH,
  TOKEN_TEXT,
  TOKEN_ZERO,
  tokenize,
} from 'numfmt';

/** The text of a number, and whether it has all digits of the number. */
export interface NumberText {
  readonly text: string;
  readonly isExact: boolean;
}

/** A number that has no text, such as a date outside the calendar. */
export class NumberFormatError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** Returns the text of a number as a sheet shows it. @throws NumberFormatError */
export type NumberFormatter = (value: number) => NumberText;

/** The longest pattern that Excel accepts, and more parts than people write: each takes time per number. */
const [MAX_PATTERN_LENGTH, MAX_PARTS] = [255, 100];
const SIGNIFICANT_DIGITS = 15;
/** Numbers have 15 significant digits. */
const MAX_EXACT_INTEGER = 999_999_999_999_999;

/** Serial numbers of days: the end of the year 9999, and the first day of 1904. */
const [DAY_AFTER_LAST, FIRST_DAY_OF_1904] = [2_958_466, 1_462];
/** The sheet shows this day as February 29, 1900, which did not exist. */
const MISSING_DAY = 60;
const DAY = 86_400_000;
/** Day 0 of serial numbers after the missing day, February 29, 1900. */
const DAY_ZERO = Date.UTC(1899, 11, 30);

/** Formats integers with all their digits, unlike a sheet, which shows `1.23E+11` for 12 digits. */
function formatGeneral(value: number): NumberText {
  const text = String(roundToDigits(value));
  if (Math.abs(value) <= MAX_EXACT_INTEGER && !text.includes('e')) return { text, isExact: true };
  return { text: format('General', value), isExact: false };
}

/**
 * Creates the formatter of a number format. Dates become ISO 8601.
 * @param pattern the format's pattern; empty for the general format
 */
export function createNumberFormatter(pattern: string, is1904: boolean): NumberFormatter {
  if (pattern === '') return formatGeneral;
  if (!isKnownFormat(pattern)) return rejectFormat;
  if (!isDateFormat(pattern)) return createDigitFormatter(pattern);
  const sections = splitSections(pattern);
  const formatters = sections.map(({ text }) =>
    isDateFormat(text) ? createDateFormatter(text, is1904) : createDigitFormatter(pattern),
  );
  const choice = sections.map(({ condition }, at) => `${condition}"${at}"`).join(';');
  return (value) => {
    const at = sections.length === 1 ? 0 : Number(format(choice, value).replace('-', ''));
    return formatters[at]?.(value) ?? rejectFormat();
  };
}

/** Splits a pattern such as `[=0]"none";yyyy-mm-dd`. Leaves out the section of texts. */
function splitSections(pattern: string) {
  const sections = [{ condition: '', text: '' }];
  for (const { type, raw } of tokenize(pattern)) {
    const section = sections.at(-1);
    if (type === TOKEN_BREAK) sections.push({ condition: '', text: '' });
    else if (section) {
      if (type === TOKEN_CONDITION) section.condition = raw;
      section.text += raw;
    }
  }
  const last = sections.at(-1);
  if (sections.length > 1 && last && (sections.length > 3 || isTextFormat(last.text)))
    sections.pop();
  return sections;
}

/** Returns a text as a sheet shows it. */
export type TextFormatter = (text: string) => string;

/** Creates the formatter of texts of a number format; undefined if it shows every text as it is. */
export function createTextFormatter(pattern: string): TextFormatter | undefined {
  if (pattern === '' || !isKnownFormat(pattern)) return undefined;
  const shown = tokenize(pattern).map(({ type, raw }) =>
    type === TOKEN_SKIP || type === TOKEN_FILL ? '' : raw,
  );
  const shownPattern = shown.join('');
  const showText = (text: string) => format(shownPattern, text);
  return showText('x') === 'x' ? undefined : showText;
}

function isKnownFormat(pattern: string): boolean {
  return (
    pattern.length <= MAX_PATTERN_LENGTH &&
    isValidFormat(pattern) &&
    tokenize(pattern).length <= MAX_PARTS
  );
}

function rejectFormat(): never {
  throw new NumberFormatError(
    'svc does not know the number format of the cell',
    'format the column as text, and enter the values again',
  );
}

/** Tokens that stand for digits, and those that change the digits of a number. */
const DIGIT_TOKENS = new Set<string>([
  TOKEN_BREAK,
  TOKEN_CONDITION,
  TOKEN_DIGIT,
  TOKEN_GENERAL,
  TOKEN_HASH,
  TOKEN_PERCENT,
  TOKEN_POINT,
  TOKEN_QMARK,
  TOKEN_SCALE,
  TOKEN_SLASH,
  TOKEN_TEXT,
  TOKEN_ZERO,
]);

function createDigitFormatter(pattern: string): NumberFormatter {
  const tokens = tokenize(pattern);
  const has = (type: string) => tokens.some((token) => token.type === type);
  const shown = tokens.map(({ type, raw }) => {
    // Padding aligns numbers in a column.
    if (type === TOKEN_SKIP || type === TOKEN_FILL) return '';
    if (type === TOKEN_QMARK) return has(TOKEN_SLASH) ? raw : '#';
    // The language changes dates, but not the digits of a number.
    return type === TOKEN_LOCALE ? quoteCurrency(raw) : raw;
  });
  // Without any text, a section would show all digits.
  const digits = tokens.map(({ type, raw }) => (DIGIT_TOKENS.has(type) ? raw : '""'));
  const [shownPattern, digitPattern] = [shown.join(''), digits.join('')];
  const isFractionPattern = has(TOKEN_SLASH) && !has(TOKEN_BREAK);
  const canBeExact = !has(TOKEN_EXP) && isValidFormat(digitPattern);
  return (value) => {
    const rounded = roundToDigits(value);
    const text = format(shownPattern, rounded).trim();
    const hasAllDigits = (shown: string) => parseDigits(shown) === Math.abs(rounded);
    const isFraction = isFractionPattern && !Number.isInteger(rounded);
    return {
      text,
      isExact:
        canBeExact &&
        !isFraction &&
        Math.abs(value) <= MAX_EXACT_INTEGER &&
        (hasAllDigits(text) || hasAllDigits(format(digitPattern, rounded))),
    };
  };
}

/** Returns the currency of `[$€-407]` as text of a pattern. */
function quoteCurrency(token: string): string {
  const currency = /^\[\$([^-\]]*)/.exec(token)?.[1] ?? '';
  return currency === '' ? '' : `"${currency}"`;
}

/** Returns the number without its sign of a text such as `12.5%`; NaN for another text. */
function parseDigits(text: string): number {
  const digits = text.replace(/[-%\s]/g, '');
  if (digits === '') return Number.NaN;
  const percents = text.split('%').length - 1;
  return roundToDigits(Number(digits) / 100 ** percents);
}

function roundToDigits(value: number): number {
  return Number(value.toPrecision(SIGNIFICANT_DIGITS));
}

const ISO_DATE =
  /^(?=.*\d)(?:(\d{4}-\d\d-\d\d)(?:T(?=\d)|(?=Z?$)))?(?:(\d\d):(\d\d):(\d\d(?:\.\d*)?))?Z?$/;
const DURATION = /^P(?=.*\d)(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d*)?)S)?)?$/;

/** Parses a date, a time, or a duration. Returns a number of days, and the pattern that shows it. */
export function parseIsoDate(
  stored: string,
  is1904: boolean,
): { readonly value: number; readonly pattern: string } | undefined {
  const toMilliseconds = (days = '0', hours = '0', minutes = '0', seconds = '0') =>
    Number(days) * DAY +
    Number(hours) * 3_600_000 +
    Number(minutes) * 60_000 +
    Number(seconds) * 1_000;
  const duration = DURATION.exec(stored);
  if (duration) return { value: toMilliseconds(...duration.slice(1)) / DAY, pattern: '[h]:mm:ss' };
  const [match, date, hours, minutes, seconds] = ISO_DATE.exec(stored) ?? [];
  if (match === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) >= 60)
    return undefined;
  const time = toMilliseconds('0', hours, minutes, seconds) / DAY;
  if (date === undefined) return { value: time, pattern: 'hh:mm:ss' };
  const milliseconds = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(milliseconds) || !new Date(milliseconds).toISOString().startsWith(date))
    return undefined;
  return {
    value: toSerial(milliseconds, is1904) + time,
    pattern: hours === undefined ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm:ss',
  };
}

function createDateFormatter(pattern: string, is1904: boolean): NumberFormatter {
  const offset = is1904 ? FIRST_DAY_OF_1904 : 0;
  const isDuration = tokenize(pattern).some(({ type }) => type === TOKEN_DURATION);
  const { year, month, day, hours, minutes, seconds } = getFormatDateInfo(pattern);
  // Before seconds, m stands for minutes.
  const hasDate = year || day || (month && !seconds);
  const hasTime = hours || minutes || seconds;
  return (value) => {
    const serial = value + offset;
    if (value < 0 || serial >= DAY_AFTER_LAST) throw createDateError();
    if (isDuration) return { text: format(pattern, value), isExact: true };
    const milliseconds = Math.round(serial * DAY);
    const days = Math.floor(milliseconds / DAY);
    const time = formatTime(milliseconds - days * DAY);
    if (!hasDate || (days === 0 && hasTime)) return { text: time, isExact: value < 1 };
    const date = formatDay(days);
    const isDay = milliseconds % DAY === 0;
    const isExact = year && month && day && (isDay || hasTime);
    return { text: isDay ? date : `${date}T${time}`, isExact };
  };
}

function formatDay(serial: number): string {
  if (serial < 1 || serial === MISSING_DAY) throw createDateError();
  const days = serial < MISSING_DAY ? serial + 1 : serial;
  return new Date(DAY_ZERO + days * DAY).toISOString().slice(0, 10);
}

/** Returns the serial number of a day. Programs store a time without a date as a time on day 0. */
function toSerial(milliseconds: number, is1904: boolean): number {
  const days = (milliseconds - DAY_ZERO) / DAY;
  if (is1904) return days - FIRST_DAY_OF_1904;
  if (days === 1) throw createDateError();
  return days > 1 && days <= MISSING_DAY ? days - 1 : days;
}

function formatTime(milliseconds: number): string {
  const time = new Date(milliseconds).toISOString().slice(11, -1);
  return time.replace(/\.000$/, '');
}

function createDateError(): NumberFormatError {
  return new NumberFormatError(
    'the date is outside the calendar of the sheet',
    'correct the date, or clear the cell',
  );
}
