import type { RecordTargets } from '../../bulk/record-targets.ts';
import type { Operation } from '../../catalog/define.ts';
import { SvcError } from '../../kernel/errors.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { findMissingOrganizations } from '../call/missing-parents.ts';
import type { Context } from '../context.ts';

/** Maximum number of organizations in a summary. */
const MAX_ORGANIZATIONS = 100;

/** Returns the organizations that the records name, or the one of the command. */
export function organizationsOf(
  targets: RecordTargets,
  data: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (!targets.fields.includes('organizationId')) return [];
  const named = targets.all.map(
    (target) => target.data['organizationId'] ?? data['organizationId'],
  );
  const ids = new Set(named.filter((id) => typeof id === 'string').take(MAX_ORGANIZATIONS));
  if (ids.size === 0 && typeof data['organizationId'] === 'string') ids.add(data['organizationId']);
  return [...ids];
}

/**
 * Finds the organizations that do not exist in the embedded service, or that were not seen before
 * on this machine. Sends no requests.
 */
export async function findNewOrganizations(
  context: Context,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set(ids.length === 0 ? [] : (await findMissingOrganizations(context, ids)).missing);
}

/** Counts the records of each organization that the records name. */
export function countByOrganization(targets: RecordTargets): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { data, records } of targets.all) {
    const id = data['organizationId'];
    if (typeof id === 'string') counts.set(id, (counts.get(id) ?? 0) + records);
  }
  return counts;
}

/**
 * Checks that the organizations of an operation exist, if the operation only creates them on
 * request, or must not create them, and uses the embedded service.
 * @throws SvcError `invalid_argument`, with the flag that creates them unless it is forbidden
 */
export async function requireOrganizations(
  context: Context,
  { createsParents, input }: Pick<Operation, 'createsParents' | 'input'>,
  data: Readonly<Record<string, unknown>>,
  ids: readonly string[],
  isForbidden = false,
): Promise<void> {
  const isOnRequest = !createsParents && 'createOrganization' in input.shape;
  if (
    !(isOnRequest || isForbidden) ||
    data['createOrganization'] === true ||
    !context.options.local
  )
    return;
  const [missing, ...others] = await findNewOrganizations(context, ids);
  if (missing === undefined) return;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  throw new SvcError('invalid_argument', `organization ${quoteId(missing)} not found${more}`, {
    ...(!isForbidden && { hint: 'add --create-organization to create it' }),
    status: 'INVALID_ARGUMENT',
  });
}
