import { valueAt, withoutValue, withValue } from '../../kernel/field-path.ts';
import { isMasked, rememberSecret } from '../../kernel/redact.ts';
import { CONFIGS, type ConfigName, secretPathOf } from '../kinds.ts';
import type { PlannedItem, PlannedWrite } from '../plan.ts';
import {
  formatReference,
  SECRET_MARKER,
  type SecretReference,
  type SecretValue,
} from '../secret-value.ts';
import { parseRecordKey } from '../settings.ts';

export type SecretsByReference = ReadonlyMap<string, SecretValue>;

/** Stands for the secret that the service has, which a write must repeat. */
const LIVE = 'live';
type ItemData = Pick<PlannedItem, 'key' | 'data'>;

/**
 * Reads every secret that the writes refer to.
 * @throws SvcError like `read`, for a secret that is missing
 */
export async function readSecrets(
  writes: readonly PlannedWrite[],
  read: (reference: SecretReference) => Promise<SecretValue>,
): Promise<SecretsByReference> {
  const secrets = new Map<string, SecretValue>();
  for (const item of writes.flatMap(({ items }) => items)) {
    const reference = findSecret(item)?.reference;
    if (reference === undefined || reference === LIVE) continue;
    const name = formatReference(reference);
    if (!secrets.has(name)) secrets.set(name, await read(reference));
  }
  return secrets;
}

export function needsLiveSecrets(item: ItemData): boolean {
  return findSecret(item)?.reference === LIVE;
}

/**
 * Returns the data of an item with its secrets. A live secret that the service masks is left out.
 */
export function revealSecrets(
  item: ItemData,
  secrets: SecretsByReference,
  live: unknown,
): PlannedItem['data'] {
  return replaceSecret(item, (reference, path) => {
    if (reference !== LIVE)
      return rememberSecret(secrets.get(formatReference(reference))?.reveal());
    const secret = valueAt(live, path);
    return isMasked(secret) || typeof secret !== 'string' ? undefined : rememberSecret(secret);
  });
}

/** Returns the data of an item for comparisons, without the secrets that only the service has. */
export function withSecretValues(item: ItemData, secrets: SecretsByReference): PlannedItem['data'] {
  return replaceSecret(item, (reference) =>
    reference === LIVE ? undefined : secrets.get(formatReference(reference)),
  );
}

/** Returns the data of an item for a simulation, which needs no secrets. */
export function withPlaceholders(item: ItemData): PlannedItem['data'] {
  return replaceSecret(item, () => 'secret');
}

type Reference = SecretReference | typeof LIVE;

function replaceSecret(
  item: ItemData,
  replace: (reference: Reference, path: readonly string[]) => unknown,
): PlannedItem['data'] {
  const { data } = item;
  const found = findSecret(item);
  if (!found) return data;
  const secret = replace(found.reference, found.path);
  return secret === undefined
    ? withoutValue(data, found.path)
    : withValue(data, found.path, secret);
}

/** Finds the marker in place of a secret, which only configurations have. */
function findSecret({ key, data }: ItemData) {
  const { kind, id } = parseRecordKey(key);
  const isConfig = kind === 'config' && Object.hasOwn(CONFIGS, id);
  const path = isConfig ? secretPathOf(id as ConfigName) : undefined;
  const reference = path && valueAt(data, [...path, SECRET_MARKER]);
  return path && reference !== undefined ? { path, reference: reference as Reference } : undefined;
}
