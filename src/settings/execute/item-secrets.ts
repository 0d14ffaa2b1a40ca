import { isObject } from '../../kernel/is-object.ts';
import { isMasked, rememberSecret } from '../../kernel/redact.ts';
import type { PlannedItem, PlannedWrite } from '../plan.ts';
import { formatReference, type SecretReference, type SecretValue } from '../secret-value.ts';

export type SecretsByReference = ReadonlyMap<string, SecretValue>;

const MARKER = '$secret';
/** In place of a reference: the secret that the service has, which a write must repeat. */
const LIVE = 'live';

/** Reads every secret that the writes refer to. @throws SvcError like `read`, for a secret that is missing */
export async function readSecrets(
  writes: readonly PlannedWrite[],
  read: (reference: SecretReference) => Promise<SecretValue>,
): Promise<SecretsByReference> {
  const secrets = new Map<string, SecretValue>();
  for (const reference of writes.flatMap(({ items }) => items.flatMap(({ data }) => [...referencesIn(data)]))) {
    if (reference === LIVE) continue;
    const name = formatReference(reference as SecretReference);
    if (!secrets.has(name)) secrets.set(name, await read(reference as SecretReference));
  }
  return secrets;
}

/** Whether the data of an item repeats a secret that only the service has. */
export function needsLiveSecrets({ data }: PlannedItem): boolean {
  return [...referencesIn(data)].includes(LIVE);
}

/** Returns the data of an item with its secrets. A live secret that the service masks is left out. */
export function revealSecrets(data: unknown, secrets: SecretsByReference, live: unknown): unknown {
  return replaceMarkers(data, live, (reference, liveSecret) => {
    if (reference !== LIVE) return rememberSecret(secrets.get(formatReference(reference as SecretReference))?.reveal());
    return isMasked(liveSecret) || typeof liveSecret !== 'string' ? undefined : rememberSecret(liveSecret);
  });
}

/** Returns the data of an item for comparisons, without the secrets that only the service has. */
export function withSecretValues(data: unknown, secrets: SecretsByReference): unknown {
  return replaceMarkers(data, undefined, (reference) =>
    reference === LIVE ? undefined : secrets.get(formatReference(reference as SecretReference)),
  );
}

/** Returns the data of an item for a simulation, which needs no secrets. */
export function withPlaceholders(data: PlannedItem['data']): PlannedItem['data'] {
  return Object(replaceMarkers(data, undefined, () => 'secret'));
}

function replaceMarkers(data: unknown, live: unknown, replace: (reference: unknown, live: unknown) => unknown): unknown {
  if (Array.isArray(data)) return data.map((inner, at) => replaceMarkers(inner, Object(live)[at], replace));
  if (!isObject(data)) return data;
  if (Object.hasOwn(data, MARKER)) return replace(data[MARKER], live);
  const fields = Object.entries(data).map(([name, inner]) => [name, replaceMarkers(inner, Object(live)[name], replace)]);
  return Object.fromEntries(fields.filter(([, inner]) => inner !== undefined));
}

function* referencesIn(data: unknown): Generator<unknown> {
  if (typeof data !== 'object' || data === null) return;
  if (Object.hasOwn(data, MARKER)) yield (data as { readonly [MARKER]: unknown })[MARKER];
  else for (const inner of Object.values(data)) yield* referencesIn(inner);
}
