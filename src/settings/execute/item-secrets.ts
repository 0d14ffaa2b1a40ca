import { isObject } from '../../kernel/is-object.ts';
import { isMasked, rememberSecret } from '../../kernel/redact.ts';
import type { PlannedItem, PlannedWrite } from '../plan.ts';
import type { SecretReference, SecretValue } from '../secret-value.ts';

/** Secrets of a plan by reference. */
export type RevealedSecrets = ReadonlyMap<string, string>;

const MARKER = '$secret';
/** In place of a reference: the secret that the service has, which a write must repeat. */
const LIVE = 'live';

/** Reads every secret that the writes refer to. @throws SvcError `bad_data` if one is missing */
export async function readSecrets(
  writes: readonly PlannedWrite[],
  read: (reference: SecretReference) => Promise<SecretValue>,
): Promise<RevealedSecrets> {
  const secrets = new Map<string, string>();
  for (const reference of writes.flatMap(({ items }) => items.flatMap(({ data }) => [...referencesIn(data)]))) {
    const name = JSON.stringify(reference);
    if (reference === LIVE || secrets.has(name)) continue;
    secrets.set(name, rememberSecret((await read(reference as SecretReference)).reveal()));
  }
  return secrets;
}

/** Whether the data of an item repeats a secret that only the service has. */
export function needsLiveSecrets({ data }: PlannedItem): boolean {
  return [...referencesIn(data)].includes(LIVE);
}

/** Returns the data of an item with its secrets. A live secret that the service masks is left out. */
export function revealSecrets(data: unknown, secrets: RevealedSecrets, live: unknown): unknown {
  if (Array.isArray(data)) return data.map((inner, at) => revealSecrets(inner, secrets, Object(live)[at]));
  if (!isObject(data)) return data;
  if (!Object.hasOwn(data, MARKER)) {
    const fields = Object.entries(data).map(([name, inner]) => [
      name,
      revealSecrets(inner, secrets, Object(live)[name]),
    ]);
    return Object.fromEntries(fields.filter(([, inner]) => inner !== undefined));
  }
  if (data[MARKER] !== LIVE) return secrets.get(JSON.stringify(data[MARKER]));
  return isMasked(live) || typeof live !== 'string' ? undefined : rememberSecret(live);
}

function* referencesIn(data: unknown): Generator<unknown> {
  if (typeof data !== 'object' || data === null) return;
  if (Object.hasOwn(data, MARKER)) yield (data as { readonly [MARKER]: unknown })[MARKER];
  else for (const inner of Object.values(data)) yield* referencesIn(inner);
}
