import { isObject } from '../../kernel/json.ts';
import { isMasked, rememberSecret } from '../../kernel/redact.ts';
import type { PlannedItem, PlannedWrite } from '../plan.ts';
import { formatReference, type SecretReference, type SecretValue } from '../secret-value.ts';

export type SecretsByReference = ReadonlyMap<string, SecretValue>;
const MARKER = '$secret';
/** In place of a reference: the secret that the service has, which a write must repeat. */
const LIVE = 'live';

/**
 * Reads every secret that the writes refer to.
 * @throws SvcError like `read`, for a secret that is missing
 */
export async function readSecrets(
  writes: readonly PlannedWrite[],
  read: (reference: SecretReference) => Promise<SecretValue>,
): Promise<SecretsByReference> {
  const references = new Map<string, SecretReference>();
  for (const { data } of writes.flatMap(({ items }) => items))
    replaceMarkers(data, (reference) => {
      if (reference !== LIVE) references.set(formatReference(reference), reference);
    });
  const secrets = new Map<string, SecretValue>();
  for (const [name, reference] of references) secrets.set(name, await read(reference));
  return secrets;
}

export function needsLiveSecrets({ data }: PlannedItem): boolean {
  let isNeeded = false;
  replaceMarkers(data, (reference) => {
    isNeeded ||= reference === LIVE;
  });
  return isNeeded;
}

/**
 * Returns the data of an item with its secrets. A live secret that the service masks is left out.
 */
export function revealSecrets(data: unknown, secrets: SecretsByReference, live: unknown): unknown {
  return replaceMarkers(
    data,
    (reference, liveSecret) => {
      if (reference !== LIVE)
        return rememberSecret(secrets.get(formatReference(reference))?.reveal());
      return isMasked(liveSecret) || typeof liveSecret !== 'string'
        ? undefined
        : rememberSecret(liveSecret);
    },
    live,
  );
}

/** Returns the data of an item for comparisons, without the secrets that only the service has. */
export function withSecretValues(data: unknown, secrets: SecretsByReference): unknown {
  return replaceMarkers(data, (reference) =>
    reference === LIVE ? undefined : secrets.get(formatReference(reference)),
  );
}

/** Returns the data of an item for a simulation, which needs no secrets. */
export function withPlaceholders(data: PlannedItem['data']): PlannedItem['data'] {
  return Object(replaceMarkers(data, () => 'secret'));
}

type ReplaceMarker = (reference: SecretReference | typeof LIVE, live: unknown) => unknown;

function replaceMarkers(data: unknown, replace: ReplaceMarker, live?: unknown): unknown {
  if (Array.isArray(data))
    return data.map((inner, at) => replaceMarkers(inner, replace, Object(live)[at]));
  if (!isObject(data)) return data;
  if (Object.hasOwn(data, MARKER))
    return replace(data[MARKER] as SecretReference | typeof LIVE, live);
  const fields = Object.entries(data).map(([name, inner]) => [
    name,
    replaceMarkers(inner, replace, Object(live)[name]),
  ]);
  return Object.fromEntries(fields.filter(([, inner]) => inner !== undefined));
}
