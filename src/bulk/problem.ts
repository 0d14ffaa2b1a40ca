import type * as z from 'zod';

/** What is wrong with a value that has to be valid by a schema. */
export function problemsOf(schema: z.ZodType, value: unknown): readonly Problem[] {
  const { success, error } = schema.safeParse(value);
  return success ? NO_PROBLEMS : error.issues.map((issue) => inRecord(problemAt(issue, value)));
}

function inRecord({ field, message }: Problem): Problem {
  return field === undefined ? { message: `the record: ${message}` } : { field, message };
}

/** What is wrong, and with which field of a record. */
export interface Problem {
  /** Left out where it is the record as a whole. */
  readonly field?: string;
  readonly message: string;
}

const NO_PROBLEMS: readonly Problem[] = [];

function problemAt(issue: z.core.$ZodIssue, record: unknown): Problem {
  const value = issue.path.reduce<unknown>((inner, key) => Object(inner)[key], record);
  const message = wordsOf(issue, value);
  return issue.path.length > 0 ? { field: issue.path.join('.'), message } : { message };
}

/** What is wrong with a field, called by its path or by another name: `email: expected text, got a number`. */
export function problemOf(issue: z.core.$ZodIssue, record: unknown, name?: string): string {
  const { field, message } = problemAt(issue, record);
  const called = name ?? field;
  return called === undefined ? message : `${called}: ${message}`;
}

function wordsOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return 'is missing';
  switch (issue.code) {
    case 'invalid_type': {
      const quote = issue.expected === 'string' && typeof value === 'number' ? ': put it in quotes' : '';
      return `expected ${EXPECTED.get(issue.expected) ?? issue.expected}, got ${kindOf(value)}${quote}`;
    }
    case 'too_small':
      return value === '' ? 'is empty' : issue.message;
    case 'invalid_value':
      return `expected one of ${issue.values.map(String).join(', ')}, got '${String(value)}'`;
    default:
      return issue.message;
  }
}

const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['object', 'an object of fields'],
  ['array', 'a list'],
]);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  const type = typeof value;
  return type === 'string'
    ? 'text'
    : type === 'object'
      ? 'an object'
      : type === 'boolean'
        ? String(value)
        : `a ${type}`;
}
