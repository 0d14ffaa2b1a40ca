import { isSecretName } from '../kernel/redact.ts';

/** Headers by name, in any letter case. Repeated headers have a list of values. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Returns all values of a header, including duplicates. The name must be lower case. */
export function headerValuesOf(headers: Headers, name: string): readonly string[] {
  return Object.entries(headers).flatMap(([headerName, value]) =>
    headerName.toLowerCase() === name && value !== undefined ? value : [],
  );
}

/** Groups headers by lower-case name. Names such as `__proto__` are ordinary keys. */
export function groupHeaders(list: HeaderList): Headers {
  const byName = Map.groupBy(list, ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...byName].map(([name, lines]) => [name, lines.map(([, value]) => value)]),
  );
}

export function parseRawHeaders(rawHeaders: readonly string[]): HeaderList {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [name, rawHeaders[index * 2 + 1] ?? '']);
}

/** Headers of a single connection or message, which must not be forwarded. */
const CONNECTION_HEADERS = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'te',
  'upgrade',
];
const MESSAGE_HEADERS = ['trailer', 'transfer-encoding', 'expect', 'host', 'content-length'];

export function selectForwardedHeaders(list: HeaderList): HeaderList {
  const values = headerValuesOf(groupHeaders(list), 'connection');
  const named = values.flatMap((value) => value.toLowerCase().split(/\s*,\s*/));
  return withoutHeaders(list, [...CONNECTION_HEADERS, ...MESSAGE_HEADERS, ...named]);
}

export function withoutHeaders(list: HeaderList, names: readonly string[]): HeaderList {
  return list.filter(([name]) => !names.includes(name.toLowerCase()));
}

const CREDENTIAL_HEADER = /cookie|session|jwt|bearer|(?:^|[-_])auth(?:entication)?(?:[-_]|$)|key$/;
const IDENTIFYING_KEY =
  /(?:cache|event|idempotency|message|partition|public|routing|surrogate|websocket)[-_]?key$/;

/**
 * Removes headers whose names suggest a credential. Keeps signatures, which are needed to verify
 * the delivery.
 */
export function withoutCredentials(list: HeaderList): HeaderList {
  const isCredential = (name: string) =>
    isSecretName(name) || (CREDENTIAL_HEADER.test(name) && !IDENTIFYING_KEY.test(name));
  return list.filter(([name]) => !isCredential(name.toLowerCase()));
}
