const HIDDEN = '****';
/** Matches the slashes after a scheme, optionally escaped by one or more levels of JSON. */
const SLASHES = String.raw`:(?:\\{0,8}\/){2}`;
const AUTHORITY_CHARACTER = String.raw`[^\s"'<>\\/?#]`;
/**
 * Matches the user information of a URL, up to the last `@` before the path: an unescaped password
 * may contain `@`.
 */
const USER_INFO = new RegExp(
  String.raw`\b([a-z][a-z0-9+.-]{0,30})(${SLASHES})(${AUTHORITY_CHARACTER}+)@`,
  'gi',
);
const WEB = /^(?:https?|wss?)$/i;

/**
 * Matches the end of a query parameter name that carries a secret: `access_token`, `apiKey`,
 * `X-Amz-Signature`.
 */
const SECRET_NAME =
  '(?:token|key|secret|signature|sig|hmac|jwt|password|passwd|passphrase|pwd|auth|authorization|credentials?|session|sessionid)';

/** Match `?`, `&`, and `=`, optionally escaped by JSON or HTML. */
const SEPARATOR = String.raw`(?:[?&;]|\\{1,8}u0026|\\{1,8}u003f)`;
const EQUALS = String.raw`(?:=|\\{1,8}u003d)`;

const PARAMETER = new RegExp(
  String.raw`(${SEPARATOR}[\w.~%[\]-]*${SECRET_NAME}(?:\[\]|%5B%5D)?${EQUALS})((?:(?!\\{1,8}u0026)[^\s"'<>&#])+)`,
  'gi',
);

/** @param hidden text in place of each secret */
export function redactUrls(text: string, hidden = HIDDEN): string {
  // Masks the whole user information of a web URL, but only the password of a database URL.
  const maskUser = (found: string, scheme: string, slashes: string, user: string) => {
    if (WEB.test(scheme)) return `${scheme}${slashes}${hidden}@`;
    const colon = user.indexOf(':');
    return colon < 0 ? found : `${scheme}${slashes}${user.slice(0, colon)}:${hidden}@`;
  };
  const anonymous = text.includes('@') ? text.replace(USER_INFO, maskUser) : text;
  return anonymous.replace(PARAMETER, (_, name: string) => name + hidden);
}
