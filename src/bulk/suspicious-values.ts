import { isEmailAddress } from '../kernel/email-address.ts';
import { groupDigits } from '../kernel/plural.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { RecordProblem } from './record-problem.ts';

interface Suspicion {
  readonly isSuspicious: (text: string, field: string) => boolean;
  readonly describe: (text: string) => string;
  readonly plural: string;
}

const EMAIL_FIELD = /^e-?mail$|Email$/i;
const NAME_FIELD = /^name$|Name$/;
/** Matches `#N/A`, `#REF!`, `#DIV/0!`, `#NAME?`, and their translations. */
const SPREADSHEET_ERROR = /^#(?:N\/[AD]|NV|[\p{Lu}\d/]+[!?])$/u;
/** Matches a long number as Excel displays and exports it: `1.23E+11`. */
const SHORTENED_NUMBER = /^-?\d(?:[.,]\d+)?E\+\d{2,3}$/;

const EMPTY: Suspicion = {
  isSuspicious: (text, field) => NAME_FIELD.test(field) && text.trim() === '',
  describe: () => 'is empty',
  plural: 'are empty',
};

/** In order of precedence: a value has at most one warning. */
const SUSPICIONS: readonly Suspicion[] = [
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
  EMPTY,
  {
    isSuspicious: (text) => text.trim() !== text && !/[\r\n]/.test(text),
    describe: (text) => `${quote(text)} begins or ends with a space`,
    plural: 'begin or end with a space',
  },
  {
    isSuspicious: (text, field) => EMAIL_FIELD.test(field) && !isEmailAddress(text),
    describe: (text) => `${quote(text)} is not a valid email address`,
    plural: 'are not valid email addresses',
  },
];

/**
 * Limits on values shown per field and kind (others are counted), and on combinations (others are
 * ignored).
 */
const MAX_SHOWN = 10;
const MAX_GROUPS = 50;
const MAX_QUOTED_CHARACTERS = 60;

/**
 * Whether a text can be suspicious only as an email address: it begins with an ASCII letter and
 * ends with a visible ASCII character, as most texts do.
 */
function isPlain(text: string): boolean {
  const first = text.charCodeAt(0) | 0x20;
  const last = text.charCodeAt(text.length - 1);
  return first >= 0x61 && first <= 0x7a && last > 0x20 && last < 0x7f;
}

export class SuspiciousValues {
  readonly #emailFields = new Map<string, boolean>();
  readonly #groups = new Map<
    string,
    { count: number; readonly field: string; readonly suspicion: Suspicion }
  >();

  /** @param columns fields of the file's header, where an empty cell is an absent field */
  inspect(
    fields: Readonly<Record<string, unknown>>,
    columns: readonly string[] = [],
  ): readonly RecordProblem[] {
    const problems: RecordProblem[] = [];
    for (const field in fields) {
      const value = fields[field];
      if (typeof value !== 'string') continue;
      if (isPlain(value) && (!this.#isEmailField(field) || isEmailAddress(value))) continue;
      const suspicion = SUSPICIONS.find((candidate) => candidate.isSuspicious(value, field));
      if (suspicion && this.#count(field, suspicion))
        problems.push({ field, message: suspicion.describe(value) });
    }
    for (const field of columns)
      if (NAME_FIELD.test(field) && !Object.hasOwn(fields, field) && this.#count(field, EMPTY))
        problems.push({ field, message: EMPTY.describe('') });
    return problems;
  }

  #isEmailField(field: string): boolean {
    let isEmail = this.#emailFields.get(field);
    if (isEmail === undefined) {
      isEmail = EMAIL_FIELD.test(field);
      if (this.#emailFields.size < MAX_GROUPS) this.#emailFields.set(field, isEmail);
    }
    return isEmail;
  }

  #count(field: string, suspicion: Suspicion): boolean {
    const key = `${suspicion.plural} ${field}`;
    const group = this.#groups.get(key) ?? { count: 0, field, suspicion };
    if (group.count === 0 && this.#groups.size === MAX_GROUPS) return false;
    group.count += 1;
    this.#groups.set(key, group);
    return group.count <= MAX_SHOWN;
  }

  takeSummary(): readonly (Diagnostic & { readonly count: number })[] {
    const hidden = [...this.#groups.values()].filter(({ count }) => count > MAX_SHOWN);
    this.#groups.clear();
    return hidden.map(({ count, field, suspicion: { plural } }) => {
      const more = count - MAX_SHOWN;
      const values =
        more === 1 ? '1 more value like this' : `${groupDigits(more)} more values ${plural}`;
      return { line: null, field, message: values, count: more };
    });
  }
}

function quote(text: string): string {
  if (text.length <= MAX_QUOTED_CHARACTERS) return `'${text}'`;
  return `'${text.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed()}...'`;
}
