import type { CreatedParents, Operation, Parent } from '../../catalog/define.ts';
import { SvcError } from '../../kernel/errors.ts';
import { upperFirst } from '../../kernel/first-letter.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { findSimilar } from '../../kernel/nearest.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { MissingParent } from '../../service/records/parent-ids.ts';
import type { Context } from '../context.ts';
import { getFlagValue } from '../options.ts';
import { canAsk } from '../terminal/terminal.ts';
import { findMissingInStore } from './missing-parents.ts';

/**
 * Checks for organizations and users that a write would create, possibly because of a typo in an
 * ID. Prompts on a terminal. In scripts, warns if a known ID is similar, and about each new
 * organization of an import into several. A flag such as `--create-organization` skips the check.
 * Looks IDs up in the embedded service's store, or in the IDs cached for the profile. Sends no
 * requests.
 * @throws SvcError `usage` if the user declines
 */
export async function confirmNewParents(
  context: Context,
  { createsParents }: Operation,
  { inputs, flags, replaceable, isImport = false }: ParentCheck,
): Promise<NewParents> {
  if (!createsParents) return { created: [] };
  const { local, dryRun } = context.options;
  const parents = [...distinctParents(createsParents, inputs)];
  const isMixed = isImport && parents.filter(({ kind }) => kind === 'organization').length > 1;
  const missing = await (local
    ? findMissingInStore(context, parents)
    : findUnknown(context, createsParents, parents, isMixed));
  // The users of a new organization need no confirmation of their own.
  const newOrganizations = new Set(
    missing.filter(({ kind }) => kind === 'organization').map(({ id }) => id),
  );
  const doubtful = missing.filter((parent) => {
    const isImplied =
      parent.kind === 'user' && newOrganizations.has(parent.organizationId) && local;
    // Without other IDs, a typo is unlikely, except in one cell of many.
    const isLikelyTypo = parent.others.length > 0 || (isMixed && parent.kind === 'organization');
    return getFlagValue(flags, `create-${parent.kind}`) !== true && !isImplied && isLikelyTypo;
  });
  for (const group of Map.groupBy(doubtful, ({ kind }) => kind).values()) {
    if (canAsk(context) && !dryRun) {
      const replacement = await askAbout(context, group, replaceable);
      if (replacement) return { created: [], replacement };
    } else if (isMixed && group[0]?.kind === 'organization') await warnAboutAll(context, group);
    else if (!local) await warnIfSimilar(context, group);
  }
  return { created: local ? missing : [] };
}

/** Inputs of a write, and the answers that its flags give in advance. */
interface ParentCheck {
  readonly inputs: Iterable<Readonly<Record<string, unknown>>>;
  readonly flags: object;
  /**
   * Fields of the data that the user can replace by a similar ID. Absent if the command cannot
   * start again with other data.
   */
  readonly replaceable: Readonly<Record<string, unknown>> | undefined;
  /** Whether the inputs are the targets of a file, of which one may be a typo. */
  readonly isImport?: boolean;
}

/** Records that a write creates, or the ID that the user chose in place of an unknown one. */
export interface NewParents {
  /** Parents that the write will create; empty for a remote service, where they are unknown. */
  readonly created: readonly Parent[];
  /** Fields to replace in the data before the command starts again. */
  readonly replacement?: Readonly<Record<string, string>>;
}

/**
 * Asks whether to create parents. If a known ID is similar to the only one, the user can use that
 * instead: a typo would create something that cannot be deleted.
 * @returns the fields to replace, if the user chose the similar ID
 * @throws SvcError `usage` if the user declines
 */
async function askAbout(
  context: Context,
  group: readonly MissingParent[],
  replaceable: Readonly<Record<string, unknown>> = {},
): Promise<Readonly<Record<string, string>> | undefined> {
  const [parent, ...others] = group;
  const { local, yes } = context.options;
  const similar = parent && others.length === 0 ? findSimilar(parent.id, parent.others) : undefined;
  const fields = Object.keys(replaceable).filter((field) => replaceable[field] === parent?.id);
  if (yes || !parent || similar === undefined || fields.length === 0) {
    await context.confirm(question(group, local));
    return undefined;
  }
  const { serviceLabel } = await import('../connection/protected-profile.ts');
  const [use, create, cancel] = [
    `use ${quoteId(similar)}`,
    `create ${quoteId(parent.id)}`,
    'cancel',
  ];
  const chosen = await (await context.prompter()).pick({
    message: `${describeMissing(group, local)} (${await serviceLabel(context)})`,
    choices: [use, create, cancel].map((value) => ({ value })),
    defaultValue: use,
  });
  if (chosen === use) return Object.fromEntries(fields.map((field) => [field, similar]));
  if (chosen === create) return undefined;
  throw new SvcError('usage', 'canceled; nothing was changed');
}

function* distinctParents(
  { of }: CreatedParents,
  inputs: Iterable<Readonly<Record<string, unknown>>>,
): Generator<Parent> {
  const seen = new Set<string>();
  for (const input of inputs) {
    for (const parent of of(input)) {
      const key = JSON.stringify(parent);
      if (!seen.has(key)) yield parent;
      seen.add(key);
    }
  }
}

export async function printNewParents(context: Context, created: readonly Parent[]): Promise<void> {
  for (const group of Map.groupBy(created, ({ kind }) => kind).values()) {
    const [{ kind, organizationId }] = group as [Parent, ...Parent[]];
    const place =
      kind === 'user' && new Set(group.map((parent) => parent.organizationId)).size === 1
        ? ` in ${quoteId(organizationId)}`
        : '';
    await context.note(`Created ${nameParents(group)}${place}`);
  }
}

const MAX_NAMED = 3;

/** Names records of one kind: `organization a`, or `300 organizations (a, b, c, …)`. */
function nameParents(parents: readonly Parent[]): string {
  const [first] = parents;
  if (!first || parents.length === 1) return `${first?.kind} ${quoteId(first?.id ?? '')}`;
  const named = parents.slice(0, MAX_NAMED).map(({ id }) => quoteId(id));
  return `${formatNounCount(parents.length, first.kind)} (${named.join(', ')}${parents.length > named.length ? ', …' : ''})`;
}

async function findUnknown(
  context: Context,
  { kinds }: CreatedParents,
  parents: Iterable<Parent>,
  isMixed: boolean,
): Promise<readonly MissingParent[]> {
  const { idScopeOf, readCachedIds } = await import('../ids/id-cache.ts');
  const scope = idScopeOf(await context.target());
  const known = new Map<Parent['kind'], readonly string[]>();
  for (const kind of kinds) {
    const ids = await readCachedIds(context, scope, kind);
    if (ids.length > 0 || (isMixed && kind === 'organization')) known.set(kind, ids);
  }
  if (known.size === 0) return [];
  const unknown: MissingParent[] = [];
  for (const parent of parents) {
    const others = known.get(parent.kind);
    if (others && !others.includes(parent.id)) unknown.push({ ...parent, others });
  }
  return unknown;
}

function question(parents: readonly MissingParent[], isCertain: boolean): string {
  const [{ id, others }] = parents as [MissingParent, ...MissingParent[]];
  const isOne = parents.length === 1;
  const similar = isOne ? findSimilar(id, others) : undefined;
  const suggestion = similar === undefined ? '' : ` (similar to ${quoteId(similar)})`;
  const them = isOne ? 'it' : 'them';
  const unless = isCertain ? '' : ` if ${isOne ? 'it does' : 'they do'} not exist`;
  return `${describeMissing(parents, isCertain)}${suggestion}. Create ${them}${unless}?`;
}

function describeMissing(parents: readonly MissingParent[], isCertain: boolean): string {
  const [{ kind, organizationId }] = parents as [MissingParent, ...MissingParent[]];
  const isOne = parents.length === 1;
  const subject = upperFirst(nameParents(parents));
  if (!isCertain) return `${subject} ${isOne ? 'is' : 'are'} not known on this machine`;
  const place = isOne && kind === 'user' ? ` in ${quoteId(organizationId)}` : '';
  return `${subject} ${isOne ? 'does' : 'do'} not exist${place}`;
}

/** Warns once, about all parents with an ID that is similar to a known one. */
async function warnIfSimilar(context: Context, parents: readonly MissingParent[]): Promise<void> {
  const similar = parents.filter(({ id, others }) => findSimilar(id, others) !== undefined);
  if (similar.length > 0) await warnAboutAll(context, similar);
}

/** Warns once about parents that a write may create, with the first similar ID. */
async function warnAboutAll(context: Context, parents: readonly MissingParent[]): Promise<void> {
  const { local } = context.options;
  const [are, verb, they] = parents.length === 1 ? ['is', 'does', 'it'] : ['are', 'do', 'they'];
  const state = local
    ? `${verb} not exist and will be created`
    : `${are} not known on this machine and will be created if ${they} ${verb} not exist`;
  const [first] = parents.flatMap(({ id, others }) => {
    const known = findSimilar(id, others);
    return known === undefined ? [] : [{ id: quoteId(id), known: quoteId(known) }];
  });
  const meant = parents.length === 1 ? first?.known : `${first?.known} instead of ${first?.id}`;
  const suggestion = first ? `; did you mean ${meant}?` : '';
  await context.warn(
    `${nameParents(parents)} ${state}${suggestion} (--create-${parents[0]?.kind} suppresses this warning)`,
  );
}
