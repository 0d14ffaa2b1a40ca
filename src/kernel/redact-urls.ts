const HIDDEN = '****';

/** The slashes behind a scheme, which JSON may escape, be it inside other JSON. */
const SLASHES = String.raw`:(?:\\*\/){2}`;
/** What no URL holds unescaped ends it in a text. */
const PART = String.raw`[^\s"'<>\\/?#]`;

/** The user information of a URL, up to the last `@` before the path: who does not escape a password may have more of them. */
const USER = new RegExp(String.raw`\b([a-z][a-z0-9+.-]{0,30})(${SLASHES})(${PART}+)@`, 'gi');

/** Schemes in which a user name alone may be a token. */
const WEB = /^(?:https?|wss?)$/i;

/** How the names of query parameters that carry secrets end: `access_token`, `apiKey`, `X-Amz-Signature`. */
const SECRET_NAME =
  '(?:token|key|secret|signature|sig|hmac|jwt|password|passwd|passphrase|pwd|auth|authorization|credentials?|session|sessionid)';

/** `&` and `=` as JSON and HTML may escape them. */
const JOINT = String.raw`(?:[?&;]|\\+u0026|\\+u003f)`;
const EQUALS = String.raw`(?:=|\\+u003d)`;

const PARAMETER = new RegExp(
  String.raw`(${JOINT}[\w.~%[\]-]*${SECRET_NAME}(?:\[\]|%5B%5D)?${EQUALS})((?:(?!\\+u0026)[^\s"'<>&#])+)`,
  'gi',
);

/** A text whose URLs show neither user information nor the values of query parameters that carry secrets. */
export function redactUrls(text: string): string {
  const anonymous = text.includes('@') ? text.replace(USER, withoutUser) : text;
  return anonymous.replace(PARAMETER, `$1${HIDDEN}`);
}

/** Of a database's address the user stays, and the password goes. */
function withoutUser(found: string, scheme: string, slashes: string, user: string): string {
  if (WEB.test(scheme)) return `${scheme}${slashes}${HIDDEN}@`;
  const colon = user.indexOf(':');
  return colon < 0 ? found : `${scheme}${slashes}${user.slice(0, colon)}:${HIDDEN}@`;
}
