import type { CreatedParents, Operation, Parent, ParentKind } from '../../catalog/define.ts';
import { loadResource } from '../../catalog/index.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { findNearest } from '../../kernel/nearest.ts';
import type { MissingParent } from '../../service/records/parent-ids.ts';
import type { Context } from '../context.ts';
import type { IdKind } from '../ids/id-cache.ts';

/** Finds the parents that do not exist in the embedded service's store. Sends no requests. */
export async function findMissingInStore(
  context: Context,
  parents: readonly Parent[],
): Promise<readonly MissingParent[]> {
  const { explainRefusals } = await import('../connection/embedded-store.ts');
  return explainRefusals(
    'read',
    async () => (await (await context.embedded())?.findMissingParents(parents)) ?? [],
  );
}

/** The organizations of an import that are missing or unknown, and those that are known. */
export interface MissingOrganizations {
  readonly missing: readonly string[];
  readonly known: readonly string[];
}

/**
 * Finds the organizations that do not exist in the embedded service's store, or that this machine
 * does not know. Sends no requests.
 */
export async function findMissingOrganizations(
  context: Context,
  ids: readonly string[],
): Promise<MissingOrganizations> {
  const { local } = context.options;
  const parents = ids.map((id) => ({ kind: 'organization' as const, id, organizationId: id }));
  if (local) {
    const found = await findMissingInStore(context, parents);
    const missing = found.map(({ id }) => id);
    const isMissing = new Set(missing);
    const existing = ids.filter((id) => !isMissing.has(id));
    return { missing, known: [...new Set([...existing, ...(found[0]?.others ?? [])])] };
  }
  const readIds = await openIdCache(context);
  const known = await readIds('organization');
  const isKnown = new Set(known);
  return { missing: ids.filter((id) => !isKnown.has(id)), known };
}

async function openIdCache(
  context: Context,
): Promise<(kind: IdKind) => Promise<readonly string[]>> {
  const { idScopeOf, readCachedIds } = await import('../ids/id-cache.ts');
  const scope = idScopeOf(await context.target());
  return (kind) => readCachedIds(context, scope, kind);
}

/** @param isUnknownAlone whether parents of a kind are unknown, not new, if none of the kind is known */
export async function findUnknown(
  context: Context,
  { kinds }: CreatedParents,
  parents: Iterable<Parent>,
  isUnknownAlone: (kind: ParentKind) => boolean,
): Promise<readonly MissingParent[]> {
  const readIds = await openIdCache(context);
  const known = new Map<Parent['kind'], readonly string[]>();
  for (const kind of kinds) {
    const ids = await readIds(kind);
    if (ids.length > 0 || isUnknownAlone(kind)) known.set(kind, ids);
  }
  if (known.size === 0) return [];
  const unknown: MissingParent[] = [];
  for (const parent of parents) {
    const others = known.get(parent.kind);
    if (others && !others.includes(parent.id)) unknown.push({ ...parent, others });
  }
  return unknown;
}

/**
 * Whether an organization has folders or documents. A dry run, which does not read, assumes so. The
 * service has no other answer for an empty organization than for one that does not exist.
 */
export async function mayExist(context: Context, organizationId: string): Promise<boolean> {
  const [client, folders, documents] = await Promise.all([
    context.client(),
    loadResource('folders'),
    loadResource('documents'),
  ]);
  const found = await client.call(folders['folders.list'], { organizationId, maxDepth: 1 });
  if (!found.sent || (found.data ?? []).length > 0) return true;
  const listed = await client
    .call(documents['documents.list'], { organizationId, pageSize: 1 })
    .catch((error: unknown) => {
      if (error instanceof SvcError && error.failure === 'failed_precondition') return undefined;
      throw error;
    });
  return listed?.sent === true && (listed.data ?? []).length > 0;
}

/**
 * Checks that the organizations of a read exist, if it reads from the embedded service. A service
 * returns an empty list for an unknown organization.
 * @throws SvcError `not_found`, with the nearest ID
 */
export async function requireOrganizationsToRead(
  context: Context,
  { effect }: Pick<Operation, 'effect'>,
  inputs: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  if (effect !== 'read' || !context.options.local || context.options.dryRun) return;
  const ids = new Set(inputs.map((input) => input['organizationId']));
  const parents = [...ids]
    .filter((id) => typeof id === 'string')
    .map((id) => ({ kind: 'organization' as const, id, organizationId: id }));
  if (parents.length === 0) return;
  const [missing] = await findMissingInStore(context, parents);
  if (!missing) return;
  const nearest = findNearest(missing.id, missing.others);
  throw new SvcError('not_found', `organization ${quoteId(missing.id)} does not exist`, {
    hint: nearest
      ? `did you mean '${nearest}'?`
      : hint`to list the organizations, run ${step('inspect', 'local', 'list', 'organizations')}`,
  });
}
