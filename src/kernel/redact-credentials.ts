import { maskSecret, redactJsonText, redactRemembered } from './redact.ts';

/** Names of values that are secrets, in any naming style. */
const NAME = String.raw`(?<![\w.-])[\w.-]{0,40}?(?:authorization|passw(?:or)?d|passphrase|secret|token|api[-_]?key|private[-_]?key|access[-_]?key|credential)[\w.-]{0,40}`;

/** Matches `"password": "…"`, also with single quotes or escaped by JSON. */
const QUOTED_FIELD = new RegExp(
  String.raw`(${NAME}\\{0,8}["']?\s{0,8}[:=]\s{0,8}\\{0,8}(["']))((?:(?!\2|\\)[^\n]|\\.){1,2000})`,
  'gi',
);
/** Matches `PASSWORD=…` and `x-api-key: …`, whose value cannot be an ordinary word. */
const PLAIN_FIELD = new RegExp(
  String.raw`(${NAME}\s{0,8}(?:=>?|:)\s{0,8}(?:(?:Bearer|Basic|Token)\s{1,8})?)(?=[^\s"',;&<>]{0,200}\d)([^\s"',;&<>(){}]{6,2000})`,
  'gi',
);
const AUTHORIZATION = /(authorization\W{1,12}(?:[A-Za-z]{1,20}\s{1,8})?)([^\s"',;&<>]{4,2000})/gi;
/** Matches an HTTP credential that is not an ordinary word. */
const SCHEME = /(\b(?:Bearer|Basic)\s{1,8})(?=[\w.~+/-]{0,200}[\d=])([\w.~+/=-]{8,2000})/g;
/** Secrets that are recognized by their form, such as signing secrets and web tokens. */
const KNOWN_FORM =
  /\b(?:whsec_[\w+/=-]{8,200}|(?:[spr]k|gh[a-z]|github_pat|glpat|npm|pat|xox[a-z])[-_][\w-]{16,255}|[A-Z]{4}(?=[A-Z]{0,16}\d)[A-Z0-9]{16}\b|eyJ[\w-]{8,2000}\.[\w-]{4,2000}(?:\.[\w-]{0,2000})?)/g;
const PRIVATE_KEY =
  /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)(?:(?!-----END)[\s\S]){0,8000}(-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g;

/**
 * Masks what is a credential in text of unknown origin, such as the response of a webhook receiver:
 * the given secrets, the values of fields with the name of a secret, HTTP credentials, and tokens,
 * keys, and signing secrets in common forms. Also masks a credential whose end is cut off.
 */
export function redactCredentials(text: string, secrets: Iterable<string>): string {
  const known = redactRemembered(redactJsonText(text, secrets));
  const mask = (_: string, opening: string, value: string) => opening + maskSecret(value);
  return known
    .replace(PRIVATE_KEY, '$1****$2')
    .replace(
      QUOTED_FIELD,
      (_, opening: string, _quote, value: string) => opening + maskSecret(value),
    )
    .replace(AUTHORIZATION, mask)
    .replace(PLAIN_FIELD, mask)
    .replace(SCHEME, mask)
    .replace(KNOWN_FORM, maskSecret);
}
