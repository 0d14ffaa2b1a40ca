import { isObject } from '../kernel/json.ts';
import { isMasked } from '../kernel/redact.ts';
import { SecretValue } from './secret-value.ts';

/** A field with different values. The values of secrets are `differ`. */
export interface Difference {
  readonly path: readonly string[];
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
  /** The service masks the secret, so it may be equal. */
  readonly isMasked?: true;
}

export interface DifferOptions {
  /** Whose fields to compare (default: those of `after`). */
  readonly fieldsOf?: 'before' | 'after' | 'both';
  /** Whether a plain text at a path is a secret. Values of class `SecretValue` always are. */
  readonly isSecret?: (path: readonly string[]) => boolean;
}

const UNORDERED = new Set(['filterTypes', 'channels']);

/**
 * Compares two records field by field: a declared record with a live one, two live records, or two
 * declared ones. Lists are compared as a whole. A missing field equals null, false, and an empty
 * text, because services omit unset fields.
 */
export function diffRecords(
  before: unknown,
  after: unknown,
  options: DifferOptions = {},
): readonly Difference[] {
  const differences: Difference[] = [];
  collect(before, after, [], options, differences);
  return differences;
}

function collect(
  before: unknown,
  after: unknown,
  path: readonly string[],
  options: DifferOptions,
  into: Difference[],
): void {
  if (isFields(before) || isFields(after)) {
    if (isFields(before) ? isFields(after) || isUnset(after) : isUnset(before)) {
      const [left, right] = [fieldsOf(before), fieldsOf(after)];
      const { fieldsOf: side = 'after' } = options;
      const names = [
        ...(side === 'before' ? [] : Object.keys(right)),
        ...(side === 'after' ? [] : Object.keys(left)),
      ];
      for (const name of new Set(names))
        collect(ownValue(left, name), ownValue(right, name), [...path, name], options, into);
      return;
    }
  }
  if (before instanceof SecretValue || after instanceof SecretValue || options.isSecret?.(path)) {
    const [left, right] = [reveal(before), reveal(after)];
    if (isEqual(left, right)) return;
    const masked = isMasked(left) || isMasked(right);
    into.push({
      path,
      field: path.join('.'),
      before: 'differ',
      after: 'differ',
      ...(masked && { isMasked: true }),
    });
  } else if (!isEqual(before, after, UNORDERED.has(path.at(-1) ?? ''))) {
    into.push({ path, field: path.join('.'), before: before ?? null, after: after ?? null });
  }
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !(value instanceof SecretValue);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isFields(value) ? value : {};
}

function ownValue(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function reveal(value: unknown): unknown {
  return value instanceof SecretValue ? value.reveal() : value;
}

export function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === false;
}

function isEqual(left: unknown, right: unknown, isUnordered = false): boolean {
  if (Object.is(left, right) || (isUnset(left) && isUnset(right))) return true;
  if (!Array.isArray(left) || !Array.isArray(right)) return false;
  const text = (list: readonly unknown[]) => {
    const items = list.map((item) => JSON.stringify(item));
    return JSON.stringify(isUnordered ? items.sort() : items);
  };
  return left.length === right.length && text(left) === text(right);
}
