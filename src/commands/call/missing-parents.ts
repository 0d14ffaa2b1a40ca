import type { Operation, Parent } from '../../catalog/define.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { findNearest } from '../../kernel/nearest.ts';
import type { MissingParent } from '../../service/records/parent-ids.ts';
import type { Context } from '../context.ts';

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
