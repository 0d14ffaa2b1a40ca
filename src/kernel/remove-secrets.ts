import { isObject } from './json.ts';
import { isSecretName, replaceRemembered } from './redact.ts';

/** Text in place of a secret in data that leaves the machine. */
export const REMOVED = '<removed>';

/**
 * Match secrets in ordinary text by their form: signed tokens, signing secrets, private keys,
 * keys with the prefixes of well-known issuers, and values after the name of a secret.
 */
const SECRET_FORMS: readonly RegExp[] = [
  /\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g,
  /\bwhsec_[\w+/=-]{8,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:gh[opsur]_\w{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[A-Z\d]{16}|[rs]k[-_](?:live[-_]|test[-_])?[A-Za-z\d]{16,})/g,
  /(?<=\bbearer\s+)(?=\S*\d)[\w.~+/-]{12,}=*/gi,
  /(?<=(?:authorization|credential|password|passwd|passphrase|secret|token|api[-_ ]?key)\\*["']?\s*[:=]\s*(?:bearer\s+|basic\s+)?\\*["']?)(?=[^\s"'\\,;<>]*\d)[^\s"'\\,;<>]{6,}/gi,
];

/** A value without its secrets, and the number of texts that contained any. */
export interface CleanedValue {
  readonly value: unknown;
  readonly removed: number;
}

/**
 * Replaces secrets in JSON data by `<removed>`: all texts in fields whose names say that they are
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
    (cleaned, form) => cleaned.replace(form, REMOVED),
    replaceRemembered(text, REMOVED),
  );
}
