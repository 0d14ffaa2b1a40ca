import { isSecretName } from '../kernel/redact.ts';

/** Headers by name, in any case; a repeated one has a list of values. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Headers one after the other, each as it was written. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Every value of a header, as often as it was sent. */
export function headerValues(headers: Headers, name: string): readonly string[] {
  return Object.entries(headers).flatMap(([given, value]) =>
    given.toLowerCase() === name && value !== undefined ? value : [],
  );
}

/** Headers by their names in lower case. A name such as `__proto__` is one like any other. */
export function headersByName(list: HeaderList): Headers {
  const byName = Map.groupBy(list, ([name]) => name.toLowerCase());
  return Object.fromEntries([...byName].map(([name, lines]) => [name, lines.map(([, value]) => value)]));
}

/** The pairs of Node's flat list of names and values. */
export function headerList(rawHeaders: readonly string[]): HeaderList {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [name, rawHeaders[index * 2 + 1] ?? '']);
}

/** What belongs to one connection or one message, and is made anew for the next. */
const OF_ONE_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
];

/** The headers that go along when a request is passed on. */
export function passedOn(list: HeaderList): HeaderList {
  const named = headerValues(headersByName(list), 'connection').flatMap((value) =>
    value.toLowerCase().split(/\s*,\s*/),
  );
  return without(list, [...OF_ONE_HOP, ...named]);
}

/** Without the headers of these names. */
export function without(list: HeaderList, names: readonly string[]): HeaderList {
  return list.filter(([name]) => !names.includes(name.toLowerCase()));
}

/** Names of headers that carry a credential, beside the names of secrets of any kind. */
const CREDENTIAL_HEADER = /cookie|session|jwt|bearer|(?:^|[-_])auth(?:entication)?(?:[-_]|$)|key$/;

/** Keys that identify something and open nothing. */
const IDENTIFYING_KEY = /(?:cache|event|idempotency|message|partition|public|routing|surrogate|websocket)[-_]?key$/;

/**
 * Without the headers that may carry a credential, by their names. The headers of a signature stay: a signature proves
 * one body at one moment, and a delivery is verified with it.
 */
export function withoutCredentials(list: HeaderList): HeaderList {
  return list.filter(([name]) => !isCredentialHeader(name.toLowerCase()));
}

function isCredentialHeader(name: string): boolean {
  return isSecretName(name) || (CREDENTIAL_HEADER.test(name) && !IDENTIFYING_KEY.test(name));
}
