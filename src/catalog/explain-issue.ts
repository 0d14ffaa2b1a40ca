import type * as z from 'zod/mini';
import { findNearest } from '../kernel/nearest.ts';
import { formatNounCount } from '../kernel/plural.ts';
import { formatIssueMessage, type NameField } from './field-message.ts';

type Issue = z.core.$ZodIssue;

/**
 * Explains an issue, without the name of the value: `expected text, got a number`. `nameField`
 * names other fields.
 */
export function explainIssue(issue: Issue, value: unknown, nameField?: NameField): string {
  if (value === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return describeTypeIssue([issue.expected], value);
    case 'too_small':
      if (issue.minimum === 1 && issue.origin !== 'number') return 'is empty';
      return describeSizeIssue('at least', issue.minimum, issue.origin, value);
    case 'too_big':
      return describeSizeIssue('at most', issue.maximum, issue.origin, value);
    case 'invalid_value':
      return `expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}, got ${typeof value === 'object' ? describeType(value) : `'${String(value)}'`}`;
    case 'invalid_union': {
      const types = issue.errors.flatMap(([first]) =>
        first?.code === 'invalid_type' ? [first.expected] : [],
      );
      return types.length > 0 && types.length === issue.errors.length
        ? describeTypeIssue(types, value)
        : issue.message;
    }
    default:
      return formatIssueMessage(issue, nameField);
  }
}

export function suggestValue(issue: Issue, value: unknown): string | undefined {
  if (issue.code !== 'invalid_value' || typeof value !== 'string') return undefined;
  return findNearest(value, issue.values.map(String));
}

function describeTypeIssue(expected: readonly string[], value: unknown): string {
  const types = expected.map((type) => TYPE_NAMES.get(type) ?? type).join(' or ');
  const quote =
    expected.includes('string') && typeof value === 'number' ? ': put it in quotes' : '';
  const actual =
    expected.includes('int') && typeof value === 'number' ? String(value) : describeType(value);
  return `expected ${types}, got ${actual}${quote}`;
}

function describeSizeIssue(
  bound: string,
  limit: number | bigint,
  origin: string,
  value: unknown,
): string {
  const unit = UNITS.get(origin);
  const size = typeof value === 'string' || Array.isArray(value) ? value.length : String(value);
  return `expected ${bound} ${unit ? formatNounCount(Number(limit), unit) : limit}, got ${size}`;
}

const UNITS = new Map(Object.entries({ string: 'character', array: 'item' }));

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['array', 'a list'],
]);

function describeType(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  const type = Array.isArray(value) ? 'array' : typeof value;
  return TYPE_NAMES.get(type) ?? `a ${type}`;
}
