import type * as z from 'zod';

/** What is wrong with a field of a record, in words: `email: expected text, got a number`. */
export function problemOf(issue: z.core.$ZodIssue, record: unknown, field = issue.path.join('.')): string {
  const value = issue.path.reduce<unknown>((inner, key) => Object(inner)[key], record);
  return field ? `${field}: ${wordsOf(issue, value)}` : `the record: ${wordsOf(issue, value)}`;
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
