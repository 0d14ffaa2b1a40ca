import { isSameName, normalizeName } from '../catalog/intended-field.ts';
import type { Fields } from '../kernel/json.ts';
import { groupDigits } from '../kernel/plural.ts';
import type { RecordProblem } from './record-problem.ts';
import {
  DECIMALS,
  EMPTY,
  FIELD_NAME,
  type FieldKind,
  findSuspicion,
  isUnsuspicious,
  REPEATED_HEADER,
  type Suspicion,
} from './suspicions.ts';

/** Whether a field contains the ID of a record or of its target. */
export function isIdField(name: string): boolean {
  return /Id$/.test(name);
}

/** A suspicious value. In an ID, it is a problem. */
export interface SuspiciousValue extends RecordProblem {
  readonly isId: boolean;
  /** Whether a value like this is rejected in every field, and even with `--allow-suspicious`. */
  readonly isAlwaysWrong: boolean;
}

export interface SuspiciousValueCount extends SuspiciousValue {
  readonly line: null;
  readonly count: number;
}

const EMAIL_FIELD = /^e-?mail$|Email$/i;
const NAME_FIELD = /^name$|Name$/;
/** Matches a whole number that a script turned into a decimal one. */
const DECIMAL = /^-?\d+(?:\.0+|,00?)$/;

/**
 * Limits on values shown per field and kind (others are counted), and on combinations (others are
 * ignored).
 */
const MAX_SHOWN = 10;
const MAX_GROUPS = 50;
/** Spaces, dashes, underscores, and dots in which two names of one field may differ. */
const MAX_MARKS = 3;
/** Most records have no suspicious value. */
const NONE: SuspiciousValue[] = [];

/** A field of the current file. */
interface Field extends FieldKind {
  readonly name: string;
  /** The name of its column, if it is an ID and the file has a header. */
  readonly heading: string | undefined;
  /** The first value if all values so far are decimals, or null if one is not. */
  decimal: string | null | undefined;
}

/** The header of a file. */
interface Header {
  /** Fields whose names must not be empty. */
  readonly required: readonly string[];
  /** Returns the name of a field's column, if there is a header. */
  readonly headingOf: (field: string) => string | undefined;
  /** Fields whose names are no IDs, because the columns seem to be records. */
  readonly fieldNames: readonly string[];
}

interface Group {
  count: number;
  readonly field: string;
  readonly isId: boolean;
  readonly suspicion: Suspicion;
}

export class SuspiciousValues {
  readonly #idFields: ReadonlySet<string>;
  readonly #fields = new Map<string, Field>();
  /** The fields of the last record, in its order, and those of the last target. */
  #order: Field[] = [];
  #targetOrder: Field[] = [];
  readonly #groups = new Map<string, Group>();
  #readHeader: (() => Header) | undefined;
  #headingOf: Header['headingOf'] = () => undefined;
  #names: readonly string[] = [];
  #fieldNames: ReadonlySet<string> = new Set();
  /** Number of records of the current file. */
  #records = 0;
  /** Whether the last record may have fields that no earlier one of the file has. */
  hasNewFields = false;

  /** @param idFields fields whose suspicious values are problems */
  constructor(idFields: Iterable<string>) {
    this.#idFields = new Set(idFields);
  }

  /** @param readHeader returns the header, which is known from the first record on */
  startFile(readHeader: () => Header): void {
    this.#readHeader = readHeader;
  }

  /**
   * Inspects a record.
   * @param isPlain whether its texts are known to consist of ordinary characters
   */
  inspect(fields: Fields, isPlain: boolean): readonly SuspiciousValue[] {
    this.#records += 1;
    if (this.#readHeader) this.#setHeader(this.#readHeader());
    this.hasNewFields = false;
    let found = this.#inspectFields(fields, this.#order, isPlain);
    for (const name of this.#names) {
      if (Object.hasOwn(fields, name)) continue;
      if (found === NONE) found = [];
      this.#add(found, EMPTY, this.#fieldOf(name), '');
    }
    return found;
  }

  #setHeader({ required, headingOf, fieldNames }: Header): void {
    this.#readHeader = undefined;
    this.#fieldNames = new Set(fieldNames.map(normalizeName));
    this.#headingOf = headingOf;
    this.#names = required.filter((name) => NAME_FIELD.test(name));
  }

  /** Inspects the target of a record. */
  inspectTarget(fields: Fields): SuspiciousValue[] {
    return this.#inspectFields(fields, this.#targetOrder, false);
  }

  #inspectFields(fields: Fields, order: Field[], isPlain: boolean): SuspiciousValue[] {
    let found = NONE;
    let at = -1;
    for (const name in fields) {
      at += 1;
      const value = fields[name];
      const known = order[at];
      const field = known?.name === name ? known : this.#replaceField(order, at, name);
      if (typeof value !== 'string') continue;
      if (field.decimal !== null) trackDecimals(field, value);
      const isHeading = field.isId && isHeadingOf(field, value);
      const isFieldName =
        field.isId && this.#fieldNames.size > 0 && this.#fieldNames.has(normalizeName(value));
      if (!isHeading && !isFieldName && isUnsuspicious(value, field, isPlain)) continue;
      const suspicion = isHeading
        ? REPEATED_HEADER
        : isFieldName
          ? FIELD_NAME
          : findSuspicion(value, field);
      if (!suspicion) continue;
      if (found === NONE) found = [];
      this.#add(found, suspicion, field, value);
    }
    return found;
  }

  #add(found: SuspiciousValue[], suspicion: Suspicion, { name, isId }: Field, text: string): void {
    if (this.#count(name, suspicion, isId)) found.push(describe(suspicion, name, text, isId));
  }

  /** Notes a field in the order. Most records have the same fields in the same order. */
  #replaceField(order: Field[], at: number, name: string): Field {
    this.hasNewFields = true;
    const field = this.#fieldOf(name);
    if (at < MAX_GROUPS) order[at] = field;
    return field;
  }

  #fieldOf(name: string): Field {
    const known = this.#fields.get(name);
    if (known) return known;
    const isId = this.#idFields.has(name);
    const heading = isId ? this.#headingOf(name) : undefined;
    const field = {
      name,
      isId,
      isIdColumn: heading !== undefined,
      isEmail: EMAIL_FIELD.test(name),
      isName: NAME_FIELD.test(name),
      heading,
      decimal: undefined,
    };
    if (this.#fields.size < MAX_GROUPS) this.#fields.set(name, field);
    return field;
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
    const decimals = isTable || this.#records > 1 ? [...this.#fields.values()] : [];
    this.#fields.clear();
    this.#order = [];
    this.#targetOrder = [];
    this.#records = 0;
    return [
      ...hidden.map(({ count, field, isId, suspicion }) => {
        const more = count - MAX_SHOWN;
        const message =
          more === 1
            ? '1 more value like this'
            : `${groupDigits(more)} more values ${suspicion.plural}`;
        const isAlwaysWrong = suspicion.isAlwaysWrong === true;
        return { line: null, field, message, count: more, isId, isAlwaysWrong };
      }),
      ...decimals.flatMap(({ name, decimal, isId }) =>
        typeof decimal === 'string'
          ? [{ ...describe(DECIMALS, name, decimal, isId), line: null, count: 1 }]
          : [],
      ),
    ];
  }
}

/** Notes whether all values of a field are decimals. */
function trackDecimals(field: Field, value: string): void {
  field.decimal = DECIMAL.test(value) ? (field.decimal ?? value) : null;
}

function isHeadingOf({ name, heading }: Field, value: string): boolean {
  return isNameLike(value, name) || isNameLike(value, heading);
}

/** Whether two texts are names of one field. Most values differ in the first or last letter. */
function isNameLike(value: string, name: string | undefined): boolean {
  if (name === undefined || Math.abs(value.length - name.length) > MAX_MARKS) return false;
  const isSameLetter = (at: number, other: number) =>
    (value.charCodeAt(at) | 0x20) === (name.charCodeAt(other) | 0x20);
  return (
    isSameLetter(0, 0) && isSameLetter(value.length - 1, name.length - 1) && isSameName(value, name)
  );
}

function describe(
  { describe: toMessage, isAlwaysWrong }: Suspicion,
  field: string,
  text: string,
  isId: boolean,
): SuspiciousValue {
  return { field, message: toMessage(text), isId, isAlwaysWrong: isAlwaysWrong === true };
}
