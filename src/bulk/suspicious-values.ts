import { isEmailAddress } from '../kernel/email-address.ts';
import { groupDigits } from '../kernel/plural.ts';
import type { RecordProblem } from './record-problem.ts';
import { findMojibake } from './source/mojibake.ts';

/** The content of a field, which decides which of its values are suspicious. */
interface FieldKind {
  readonly isId: boolean;
  readonly isEmail: boolean;
  readonly isName: boolean;
}

interface Suspicion {
  readonly isSuspicious: (text: string, kind: FieldKind) => boolean;
  readonly describe: (text: string) => string;
  readonly plural: string;
  /** Whether such an ID is never right. */
  readonly isLost?: true;
}

/** A suspicious value. In an ID, it is a problem. */
export interface SuspiciousValue extends RecordProblem {
  readonly isId: boolean;
  /** Whether the user cannot accept the ID. */
  readonly isLost: boolean;
}

export interface SuspiciousValueCount extends SuspiciousValue {
  readonly line: null;
  readonly count: number;
}

const EMAIL_FIELD = /^e-?mail$|Email$/i;
const NAME_FIELD = /^name$|Name$/;
/** Matches `#N/A`, `#REF!`, `#DIV/0!`, `#NAME?`, and their translations. */
const SPREADSHEET_ERROR = /^#(?:N\/[AD]|NV|[\p{Lu}\d/]+[!?])$/u;
/** Matches a long number as Excel and scripts shorten it: `1.23E+11`. */
const SHORTENED_NUMBER = /^-?\d(?:[.,]\d+)?E\+\d{2,3}$/i;
/** Matches what Excel makes of `mar1`: `1-Mar` or `Mar-01`. */
const SHEET_DATE =
  /^(?:\d{1,2}-(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-\d{2})$/;
/** Matches the line that database tools print under a header, and a number in a narrow column. */
const RULE = /^([-=_#])\1{2,}$/;
/** Matches a whole number that a script turned into a decimal one. */
const DECIMAL = /^-?\d+(?:\.0+|,00?)$/;
/** Matches a number that was typed as text, with the apostrophe that Excel hides: `'0123`. */
const MARKED_AS_TEXT = /^['’]\d/;
/** Texts that programs write for a value that is missing. */
const PLACEHOLDERS = new Set([
  'undefined',
  'null',
  'Null',
  'NULL',
  '(null)',
  '<null>',
  'N/A',
  'n/a',
  'None',
  'NaN',
  'nan',
  '<NA>',
  '[object Object]',
  '\\N',
]);
/** Characters that nobody sees: control characters, formats, and spaces except the ordinary one. */
const INVISIBLE_IN_ID = /[\p{Cc}\p{Cf}\u2028\u2029]|[^\S ]/u;
/** Like those of IDs, without line breaks, tabs, spaces, and the joiners and marks of scripts. */
const INVISIBLE_IN_TEXT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]/;

const EMPTY: Suspicion = {
  isSuspicious: (text, { isName }) => isName && text.trim() === '',
  describe: () => 'is empty',
  plural: 'are empty',
};

const DECIMALS: Suspicion = {
  isSuspicious: () => false,
  describe: (text) => {
    const end = text.replace(/^-?\d+/, '');
    return `${quote(text)} and all other values end in '${end}', as scripts write numbers`;
  },
  plural: '',
};

/** In order of precedence: a value has at most one warning. */
const SUSPICIONS: readonly Suspicion[] = [
  {
    isSuspicious: (text) => !text.isWellFormed(),
    describe: () => 'contains half of a surrogate pair',
    plural: 'contain half of a surrogate pair',
    isLost: true,
  },
  {
    isSuspicious: (text) => SPREADSHEET_ERROR.test(text),
    describe: (text) => `${quote(text)} is a spreadsheet formula error`,
    plural: 'are spreadsheet formula errors',
  },
  {
    isSuspicious: (text) => SHORTENED_NUMBER.test(text),
    describe: (text) => `${quote(text)} is a number that Excel shortened; its last digits are lost`,
    plural: 'are numbers that Excel shortened',
  },
  {
    isSuspicious: (text) => SHEET_DATE.test(text),
    describe: (text) => `${quote(text)} is a date, which Excel makes of some IDs and numbers`,
    plural: 'are dates, which Excel makes of some IDs and numbers',
  },
  EMPTY,
  {
    isSuspicious: (text) => PLACEHOLDERS.has(text),
    describe: (text) => `${quote(text)} stands for a missing value`,
    plural: 'stand for a missing value',
  },
  {
    isSuspicious: (text) => RULE.test(text),
    describe: (text) =>
      `${quote(text)} is a separator line, or stands for a number that did not fit its column`,
    plural: 'are separator lines, or stand for numbers that did not fit their column',
  },
  {
    isSuspicious: (text, { isId }) => (isId ? INVISIBLE_IN_ID : INVISIBLE_IN_TEXT).test(text),
    describe: (text) => `${showInvisible(text)} contains an invisible character`,
    plural: 'contain invisible characters',
  },
  {
    isSuspicious: (text) => text.trim() !== text && !/[\r\n]/.test(text),
    describe: (text) => `${quote(text)} begins or ends with a space`,
    plural: 'begin or end with a space',
  },
  {
    isSuspicious: (text, { isId }) => isId && MARKED_AS_TEXT.test(text),
    describe: (text) => `${quote(text)} begins with the apostrophe that marks text in Excel`,
    plural: 'begin with the apostrophe that marks text in Excel',
  },
  {
    isSuspicious: (text) => text.includes('\ufffd'),
    describe: (text) => `${quote(text)} contains U+FFFD, which replaces a lost character`,
    plural: 'contain U+FFFD, which replaces a lost character',
  },
  {
    isSuspicious: (text) => findMojibake(text) !== undefined,
    describe: (text) => `${quote(text)} was decoded wrongly; it is probably ${repaired(text)}`,
    plural: 'were decoded wrongly',
  },
  {
    isSuspicious: (text, { isEmail }) => isEmail && !isEmailAddress(text),
    describe: (text) => `${quote(text)} is not a valid email address`,
    plural: 'are not valid email addresses',
  },
];

const REPEATED_HEADER: Suspicion = {
  isSuspicious: () => false,
  describe: (text) => `${quote(text)} repeats the header`,
  plural: 'repeat the header',
};

/**
 * Limits on values shown per field and kind (others are counted), and on combinations (others are
 * ignored).
 */
const MAX_SHOWN = 10;
const MAX_GROUPS = 50;
const MAX_QUOTED_CHARACTERS = 60;

const OTHER_THAN_ASCII = /[^ -~]/;
/** Matches most email addresses, and no other text. */
const PLAIN_EMAIL = /^[A-Za-z][\w.+-]*@[A-Za-z\d-]+(?:\.[A-Za-z\d-]+)+$/;

/**
 * Whether a text can be suspicious only as an email address: it consists of visible ASCII
 * characters and inner spaces, begins with a letter, and is neither a date nor a placeholder.
 */
function isPlain(text: string): boolean {
  const { length } = text;
  const first = text.charCodeAt(0) | 0x20;
  if (!(first >= 0x61 && first <= 0x7a) || text.charCodeAt(length - 1) === 0x20) return false;
  // A pattern is faster than a loop.
  if (OTHER_THAN_ASCII.test(text)) return false;
  if (length > 9) return true;
  return !(((first === 0x6e || first === 0x75) && PLACEHOLDERS.has(text)) || text[3] === '-');
}

/** Most records have no suspicious value. */
const NONE: SuspiciousValue[] = [];

/** The name of a field's column in a file. */
interface Heading {
  readonly field: string;
  readonly text: string | undefined;
}

interface Group {
  count: number;
  readonly field: string;
  readonly isId: boolean;
  readonly suspicion: Suspicion;
}

export class SuspiciousValues {
  readonly #idFields: ReadonlySet<string>;
  readonly #kinds = new Map<string, FieldKind>();
  /** The kinds of the fields of the last record, in its order. */
  readonly #order: { readonly field: string; readonly kind: FieldKind }[] = [];
  readonly #groups = new Map<string, Group>();
  /** Fields of the current file whose values have all been decimals, with the first value. */
  #decimals: Map<string, string> | undefined;
  #columns: readonly string[] | undefined;
  #nameColumns: readonly string[] = [];
  /** Number of records of the current file. */
  #records = 0;

  /** @param idFields fields whose suspicious values are problems */
  constructor(idFields: Iterable<string>) {
    this.#idFields = new Set(idFields);
  }

  /**
   * Inspects a record.
   * @param columns fields of the file's header, where an empty cell is an absent field
   * @param heading the ID column's name in the file, if it has a header
   */
  inspect(
    fields: Readonly<Record<string, unknown>>,
    columns: readonly string[] = [],
    heading?: Heading,
  ): readonly SuspiciousValue[] {
    this.#records += 1;
    this.#trackDecimals(fields);
    const found = this.inspectTarget(fields, heading);
    let all = found;
    for (const field of this.#nameColumnsOf(columns)) {
      if (Object.hasOwn(fields, field)) continue;
      if (all === NONE) all = [];
      this.#add(all, EMPTY, field, '');
    }
    return all;
  }

  /** Returns the columns of names, which all records of a file share. */
  #nameColumnsOf(columns: readonly string[]): readonly string[] {
    if (columns !== this.#columns) {
      this.#columns = columns;
      this.#nameColumns = columns.filter((field) => NAME_FIELD.test(field));
    }
    return this.#nameColumns;
  }

  /** Inspects the target of a record. */
  inspectTarget(fields: Readonly<Record<string, unknown>>, heading?: Heading): SuspiciousValue[] {
    let found = NONE;
    let at = -1;
    for (const field in fields) {
      at += 1;
      const value = fields[field];
      if (typeof value !== 'string') continue;
      const kind = this.#kindAt(at, field);
      const isHeading =
        field === heading?.field && (isSameText(value, field) || isSameText(value, heading.text));
      if (!isHeading) {
        if (kind.isEmail ? PLAIN_EMAIL.test(value) : isPlain(value)) continue;
      }
      const suspicion = isHeading
        ? REPEATED_HEADER
        : SUSPICIONS.find((one) => one.isSuspicious(value, kind));
      if (!suspicion) continue;
      if (found === NONE) found = [];
      this.#add(found, suspicion, field, value);
    }
    return found;
  }

  #add(found: SuspiciousValue[], suspicion: Suspicion, field: string, text: string): void {
    const { isId } = this.#kindOf(field);
    if (this.#count(field, suspicion, isId)) found.push(describe(suspicion, field, text, isId));
  }

  /** Remembers which fields contain only decimals, and forgets them at another value. */
  #trackDecimals(fields: Readonly<Record<string, unknown>>): void {
    if (this.#decimals === undefined) {
      const values = Object.entries(fields).filter(
        (entry): entry is [string, string] =>
          typeof entry[1] === 'string' && DECIMAL.test(entry[1]),
      );
      this.#decimals = new Map(values);
      return;
    }
    if (this.#decimals.size === 0) return;
    for (const field of this.#decimals.keys()) {
      const value = fields[field];
      if (typeof value === 'string' && !DECIMAL.test(value)) this.#decimals.delete(field);
    }
  }

  /** Returns the kind of a field. Most records have the same fields in the same order. */
  #kindAt(at: number, field: string): FieldKind {
    const known = this.#order[at];
    if (known?.field === field) return known.kind;
    const kind = this.#kindOf(field);
    if (at < MAX_GROUPS) this.#order[at] = { field, kind };
    return kind;
  }

  #kindOf(field: string): FieldKind {
    const known = this.#kinds.get(field);
    if (known) return known;
    const kind = {
      isId: this.#idFields.has(field),
      isEmail: EMAIL_FIELD.test(field),
      isName: NAME_FIELD.test(field),
    };
    if (this.#kinds.size < MAX_GROUPS) this.#kinds.set(field, kind);
    return kind;
  }

  #count(field: string, suspicion: Suspicion, isId: boolean): boolean {
    const key = `${suspicion.plural} ${field}`;
    const group = this.#groups.get(key) ?? { count: 0, field, suspicion, isId };
    if (group.count === 0 && this.#groups.size === MAX_GROUPS) return isId;
    group.count += 1;
    this.#groups.set(key, group);
    return group.count <= MAX_SHOWN;
  }

  /**
   * Ends a file: returns the numbers of values that were not shown, and fields of decimals.
   * @param isTable whether the file has columns, where even a single decimal is a script's
   */
  takeSummary(isTable: boolean): readonly SuspiciousValueCount[] {
    const hidden = [...this.#groups.values()].filter(({ count }) => count > MAX_SHOWN);
    this.#groups.clear();
    const decimals = isTable || this.#records > 1 ? [...(this.#decimals ?? [])] : [];
    this.#decimals = undefined;
    this.#records = 0;
    return [
      ...hidden.map(({ count, field, isId, suspicion }) => {
        const more = count - MAX_SHOWN;
        const message =
          more === 1
            ? '1 more value like this'
            : `${groupDigits(more)} more values ${suspicion.plural}`;
        const isLost = suspicion.isLost === true;
        return { line: null, field, message, count: more, isId, isLost };
      }),
      ...decimals.map(([field, text]) => {
        const { isId } = this.#kindOf(field);
        return { ...describe(DECIMALS, field, text, isId), line: null, count: 1 };
      }),
    ];
  }
}

/** Whether two texts are equal except for case. */
function isSameText(first: string, second: string | undefined): boolean {
  if (first.length !== second?.length) return false;
  return first === second || first.toLowerCase() === second.toLowerCase();
}

function describe(
  { describe: toMessage, isLost }: Suspicion,
  field: string,
  text: string,
  isId: boolean,
): SuspiciousValue {
  return { field, message: toMessage(text), isId, isLost: isLost === true };
}

function quote(text: string): string {
  if (text.length <= MAX_QUOTED_CHARACTERS) return `'${text}'`;
  return `'${text.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed()}...'`;
}

/** Quotes a text with its invisible characters as escapes. */
function showInvisible(text: string): string {
  return quote(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]|[^\S ]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `<U+${code}>`;
  });
}

function repaired(text: string): string {
  return quote(findMojibake(text) ?? text);
}
