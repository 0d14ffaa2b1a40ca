import { assertAllowed, createReadOnlyError, type ReadOnly } from '../../client/write-guard.ts';
import { findReadOnlySources } from '../../profiles/read-only.ts';
import type { Context } from '../context.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';

/**
 * Finds out why a command may only read: its profile, the environment, or a folder. A profile does
 * not apply to the embedded service.
 * @throws SvcError `usage` for an unknown value
 */
export async function findReadOnly(
  { environment, cwd, openSettings }: Pick<Context, 'environment' | 'cwd' | 'openSettings'>,
  isLocal: boolean,
): Promise<ReadOnly | undefined> {
  const { readOnly, profile, baseUrl } = isLocal ? {} : await openSettings();
  const sources = [
    ...(readOnly && profile ? [`profile '${profile.value}'`] : []),
    ...(await findReadOnlySources({ environment, cwd })),
  ];
  if (sources.length === 0) return undefined;
  const host = baseUrl && new URL(baseUrl.value).host;
  return { subject: isLocal ? `the ${EMBEDDED_SERVICE}` : (host ?? 'the service'), sources };
}

/**
 * Refuses an operation before anything is read, checked, or asked. The client checks each request
 * again.
 * @throws SvcError `read_only`
 */
export async function ensureAllowed(
  { options, readOnly }: Context,
  operation: Parameters<typeof assertAllowed>[1],
): Promise<void> {
  if (!options.dryRun) assertAllowed(await readOnly(), operation);
}

/** @throws SvcError `read_only` if the command would print secrets of a read-only target */
export async function ensureSecretsAllowed({ readOnly }: Pick<Context, 'readOnly'>): Promise<void> {
  const found = await readOnly();
  if (found) throw createReadOnlyError(found, 'this command hands out secrets');
}
