import { isObject, mapInner } from './json.ts';
import { isSecretName, maskSecret, replaceRemembered } from './redact.ts';

/** Text in place of a secret in data that leaves the machine. */
export const REMOVED = '<removed>';

/**
 * Match secrets in ordinary text by their form: signed tokens, signing secrets, private keys, keys
 * with the prefixes of well-known issuers, and values after the name of a secret. The first group
 * stays. Repetitions before the end of a match are bounded, so that a long text takes linear time.
 */
const SECRET_FORMS: readonly RegExp[] = [
  /(?<![\w-])()eyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g,
  /\b()whsec_[\w+/=-]{8,}/g,
  /()-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
  /\b()(?:gh[opsur]_\w{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[A-Z\d]{16}|[rs]k[-_](?:live[-_]|test[-_])?[A-Za-z\d]{16,})/g,
  /(\bbearer\s{1,10})(?=\S{0,99}\d)[\w.~+/-]{12,}=*/gi,
  /((?:authorization|credential|password|passwd|passphrase|secret|token|api[-_ ]?key)\\{0,8}["']?\s{0,10}[:=]\s{0,10}(?:(?:bearer|basic)\s{1,10})?\\{0,8}["']?)(?=[^\s"'\\,;<>]{0,99}\d)[^\s"'\\,;<>]{6,}/gi,
];

/** A value without its secrets, and the number of texts that contained any. */
export interface CleanedValue {
  readonly value: unknown;
  readonly removed: number;
}

/**
 * Replaces secrets in JSON data with `<removed>`: all texts in fields whose names say that they are
 * secret, the secrets that svc knows, and texts that have the form of a secret. The structure of the
 * data stays.
 */
export function removeSecrets(value: unknown): CleanedValue {
  let removed = 0;
  const replace = (before: string, after: string) => {
    if (after !== before) removed += 1;
    return after;
  };
  const clean = (inner: unknown, isSecret: boolean): unknown => {
    if (typeof inner === 'string')
      return replace(inner, isSecret && inner !== '' ? REMOVED : removeFromText(inner));
    if (Array.isArray(inner)) return inner.map((item) => clean(item, isSecret));
    if (!isObject(inner)) return inner;
    const fields = Object.entries(inner).map(([name, field]) => [
      replace(name, removeFromText(name)),
      clean(field, isSecret || isSecretName(name)),
    ]);
    return Object.fromEntries(fields);
  };
  return { value: clean(value, false), removed };
}

function removeFromText(text: string): string {
  return SECRET_FORMS.reduce(
    (cleaned, form) => cleaned.replace(form, `$1${REMOVED}`),
    replaceRemembered(text, REMOVED),
  );
}

/**
 * Copies a value with the values at the given paths masked; `*` is any key. Absent, null, and empty
 * values stay unchanged.
 */
export function maskSecrets(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.length === 0 || value === undefined || value === null) return value;
  if (paths.some((path) => path.length === 0))
    return typeof value === 'string' ? maskSecret(value) : maskSecret('?');
  return mapInner(value, (inner, key) => maskSecrets(inner, pathsBelow(paths, key)));
}

function pathsBelow(
  paths: readonly (readonly string[])[],
  key: string,
): readonly (readonly string[])[] {
  return paths.filter(([head]) => head === key || head === '*').map(([, ...rest]) => rest);
}
