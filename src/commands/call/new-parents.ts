import type { Operation, Parent } from '../../catalog/define.ts';
import { findSimilar } from '../../kernel/nearest.ts';
import type { MissingParent } from '../../service/records/parent-ids.ts';
import type { Context } from '../context.ts';
import { getFlagValue } from '../options.ts';
import { canAsk } from '../terminal/terminal.ts';

/**
 * Checks for organizations and users that a write would create, possibly because of a typo in an ID. Prompts on a
 * terminal. In scripts, warns if a known ID is similar. A flag such as `--create-organization` skips the check. Looks
 * IDs up in the embedded service's store, or in the IDs cached for the profile. Sends no requests.
 * @returns the parents that the write will create; empty for a remote service, where they are unknown
 * @throws SvcError `usage` if the user declines
 */
export async function confirmNewParents(
  context: Context,
  { createsParents }: Operation,
  inputs: readonly Readonly<Record<string, unknown>>[],
  flags: object,
): Promise<readonly Parent[]> {
  if (!createsParents) return [];
  const named = inputs.flatMap((input) => createsParents.of(input));
  const parents = [...new Map(named.map((parent) => [JSON.stringify(parent), parent])).values()];
  const { local, dryRun } = context.options;
  const missing = await (local ? findMissingInStore(context, parents) : findUnknown(context, parents));
  // The users of a new organization need no confirmation of their own.
  const newOrganizations = new Set(missing.filter(({ kind }) => kind === 'organization').map(({ id }) => id));
  for (const parent of missing) {
    const isImplied = parent.kind === 'user' && newOrganizations.has(parent.organizationId) && local;
    // Without other IDs, a typo is unlikely.
    const isFirst = parent.others.length === 0;
    if (getFlagValue(flags, `create-${parent.kind}`) === true || isImplied || isFirst) continue;
    if (canAsk(context) && !dryRun) await context.confirm(question(parent, local));
    else if (!local) await warnIfSimilar(context, parent);
  }
  return local ? missing : [];
}

export async function printNewParents(context: Context, created: readonly Parent[]): Promise<void> {
  for (const { kind, id, organizationId } of created)
    await context.note(kind === 'organization' ? `Created organization ${id}` : `Created user ${id} in ${organizationId}`);
}

async function findMissingInStore(context: Context, parents: readonly Parent[]): Promise<readonly MissingParent[]> {
  const { explainRefusals } = await import('../embedded/store.ts');
  return explainRefusals('read', async () => (await (await context.embedded())?.findMissingParents(parents)) ?? []);
}

async function findUnknown(context: Context, parents: readonly Parent[]): Promise<readonly MissingParent[]> {
  const { readCachedIds } = await import('../ids/id-cache.ts');
  const profile = (await context.openSettings()).profile?.value;
  const unknown: MissingParent[] = [];
  for (const parent of parents) {
    const others = await readCachedIds(context, { local: false, profile }, parent.kind);
    if (others.length > 0 && !others.includes(parent.id)) unknown.push({ ...parent, others });
  }
  return unknown;
}

function question({ kind, id, organizationId, others }: MissingParent, isCertain: boolean): string {
  const similar = findSimilar(id, others);
  const suggestion = similar === undefined ? '' : ` Did you mean ${similar}?`;
  const subject = kind === 'organization' ? `Organization ${id}` : `User ${id}`;
  if (!isCertain) return `${subject} is not known on this machine.${suggestion} Create it if it does not exist?`;
  return `${subject} does not exist${kind === 'user' ? ` in ${organizationId}` : ''}.${suggestion} Create it?`;
}

async function warnIfSimilar(context: Context, { kind, id, others }: MissingParent): Promise<void> {
  const similar = findSimilar(id, others);
  if (similar === undefined) return;
  await context.warn(
    `${kind} ${id} is not known on this machine and will be created if it does not exist; did you mean ${similar}? (--create-${kind} suppresses this warning)`,
  );
}
