import type { CreatedParents, Operation, Parent, ParentKind } from '../../catalog/define.ts';
import { SvcError } from '../../kernel/errors.ts';
import { upperFirst } from '../../kernel/first-letter.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { findSimilar } from '../../kernel/nearest.ts';
import { formatNounCount, groupDigits, joinFirst } from '../../kernel/plural.ts';
import type { MissingParent } from '../../service/records/parent-ids.ts';
import { serviceLabel } from '../connection/protected-profile.ts';
import type { Context } from '../context.ts';
import { getFlagValue } from '../options.ts';
import { canAsk } from '../terminal/terminal.ts';
import { findMissingInStore, findUnknown, mayExist } from './missing-parents.ts';

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
  { inputs, flags, replaceable, isImport = false, counts = new Map() }: ParentCheck,
): Promise<NewParents> {
  if (!createsParents) return { created: [] };
  const { local, dryRun } = context.options;
  const parents = [...distinctParents(createsParents, inputs)];
  const isForbidden = (kind: ParentKind) => getFlagValue(flags, `create-${kind}`) === false;
  const isMixed = isImport && parents.filter(({ kind }) => kind === 'organization').length > 1;
  const isAlwaysNamed = isMixed || context.inputNaming === 'fields';
  const found = await (local
    ? findMissingInStore(context, parents)
    : findUnknown(
        context,
        createsParents,
        parents,
        (kind) => isForbidden(kind) || (isAlwaysNamed && kind === 'organization'),
      ));
  const missing = orderByDoubt(found, counts);
  for (const parent of missing) if (isForbidden(parent.kind)) await refuseMissing(context, parent);
  // The users of a new organization need no confirmation of their own.
  const newOrganizations = new Set(
    missing.filter(({ kind }) => kind === 'organization').map(({ id }) => id),
  );
  const doubtful = missing.filter((parent) => {
    const isImplied =
      parent.kind === 'user' && newOrganizations.has(parent.organizationId) && local;
    // Without other IDs, a typo is unlikely, except in one cell of many.
    const isLikelyTypo =
      parent.others.length > 0 || (isAlwaysNamed && parent.kind === 'organization');
    return getFlagValue(flags, `create-${parent.kind}`) !== true && !isImplied && isLikelyTypo;
  });
  for (const group of Map.groupBy(doubtful, ({ kind }) => kind).values()) {
    if (canAsk(context) && !dryRun) {
      const replacement = await askAbout(context, group, { replaceable, counts });
      if (replacement) return { created: [], replacement };
    } else if (isAlwaysNamed && group[0]?.kind === 'organization')
      await warnAboutAll(context, group, counts);
    else if (!local || group[0]?.kind === 'organization') await warnIfSimilar(context, group);
  }
  return { created: local ? found : [] };
}

type Counts = ReadonlyMap<string, number>;

/** Orders parents: those that are similar to known ones first, then those with the fewest records. */
function orderByDoubt(parents: readonly MissingParent[], counts: Counts): readonly MissingParent[] {
  if (counts.size === 0) return parents;
  const rank = ({ id, others }: MissingParent) => (findSimilar(id, others) === undefined ? 1 : 0);
  const count = ({ id }: MissingParent) => counts.get(id) ?? 0;
  const ranked = parents.map((parent) => ({ parent, rank: rank(parent), count: count(parent) }));
  return ranked
    .toSorted((a, b) => a.rank - b.rank || a.count - b.count)
    .map(({ parent }) => parent);
}

/**
 * Refuses a parent that a flag such as `--no-create-organization` forbids to create, unless the
 * service shows that it exists.
 * @throws SvcError
 */
async function refuseMissing(context: Context, { kind, id, others }: MissingParent): Promise<void> {
  const { local } = context.options;
  if (!local && kind === 'organization' && (await mayExist(context, id))) return;
  const similar = findSimilar(id, others);
  const advice = similar === undefined ? {} : { hint: `did you mean ${quoteId(similar)}?` };
  if (local)
    throw new SvcError('invalid_argument', `${kind} ${quoteId(id)} does not exist`, advice);
  throw new SvcError(
    'usage',
    `${kind} ${quoteId(id)} is not known on this machine, and the service would create it if it does not exist`,
    advice,
  );
}

/**
 * Returns the question whether a write may create its organizations, if this machine does not know
 * all of them. Sends no requests.
 */
export async function askForNewOrganizations(
  context: Context,
  { createsParents }: Operation,
  input: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  if (!createsParents || input['createOrganization'] !== undefined) return undefined;
  const parents = [...distinctParents(createsParents, [input])];
  const { local } = context.options;
  const missing = await (local
    ? findMissingInStore(context, parents)
    : findUnknown(context, createsParents, parents, (kind) => kind === 'organization'));
  const organizations = missing.filter(({ kind }) => kind === 'organization');
  return organizations.length === 0 ? undefined : question(organizations, local);
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
  /** Number of records of each organization that the records of a file name. */
  readonly counts?: Counts;
}

/** Records that a write creates, or the ID that the user chose in place of an unknown one. */
export interface NewParents {
  /** Parents that the write will create; empty for a remote service, where they are unknown. */
  readonly created: readonly Parent[];
  /** Fields to replace in the data before the command starts again. */
  readonly replacement?: Readonly<Record<string, string>>;
}

interface AskOptions extends Pick<ParentCheck, 'replaceable'> {
  readonly counts: Counts;
}

/** Maximum number of known IDs to choose from. */
const MAX_CHOICES = 8;

/**
 * Asks whether to create parents. In place of a single organization, the user can choose a known
 * one: a typo would create something that cannot be deleted.
 * @returns the fields to replace, if the user chose a known ID
 * @throws SvcError `usage` if the user declines
 */
async function askAbout(
  context: Context,
  group: readonly MissingParent[],
  { replaceable = {}, counts }: AskOptions,
): Promise<Readonly<Record<string, string>> | undefined> {
  const [parent, ...others] = group;
  const { local, yes } = context.options;
  const fields = Object.keys(replaceable).filter((field) => replaceable[field] === parent?.id);
  const canReplace = parent?.kind === 'organization' && others.length === 0 && fields.length > 0;
  if (yes || !parent || !canReplace) {
    await context.confirm(question(group, local, counts));
    return undefined;
  }
  const similar = findSimilar(parent.id, parent.others);
  const known = parent.others.filter((id) => id !== similar).slice(0, MAX_CHOICES);
  const use = new Map<string, string>(
    [similar, ...known].flatMap((id) =>
      id === undefined ? [] : [[`use ${quoteId(id)}`, id] as const],
    ),
  );
  const [create, cancel] = [`create ${quoteId(parent.id)}`, 'cancel'];
  const [first = cancel, ...more] = use.keys();
  const choices = similar === undefined ? [create, first, ...more] : [first, create, ...more];
  const chosen = await (await context.prompter()).pick({
    message: `${describeMissing(group, local)} (${await serviceLabel(context)})`,
    choices: [...choices, cancel].map((value) => ({ value })),
    defaultValue: similar === undefined ? cancel : first,
  });
  const replacement = use.get(chosen);
  if (replacement !== undefined)
    return Object.fromEntries(fields.map((field) => [field, replacement]));
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

const MAX_NAMED = 5;

/**
 * Names records of one kind: `organization a`, or `300 organizations (a, b, c, …)`.
 * @param counts number of records of each organization, which follow their IDs
 */
function nameParents(parents: readonly Parent[], counts: Counts = new Map()): string {
  const [first] = parents;
  if (!first || parents.length === 1) return `${first?.kind} ${quoteId(first?.id ?? '')}`;
  const named = parents.map(({ id }) => {
    const count = counts.get(id);
    return `${quoteId(id)}${count === undefined ? '' : ` ${groupDigits(count)}`}`;
  });
  return `${formatNounCount(parents.length, first.kind)} (${joinFirst(named, MAX_NAMED)})`;
}

function question(parents: readonly MissingParent[], isCertain: boolean, counts?: Counts): string {
  const [{ id, others }] = parents as [MissingParent, ...MissingParent[]];
  const isOne = parents.length === 1;
  const similar = isOne ? findSimilar(id, others) : undefined;
  const suggestion = similar === undefined ? '' : ` (similar to ${quoteId(similar)})`;
  const them = isOne ? 'it' : 'them';
  const unless = isCertain ? '' : ` if ${isOne ? 'it does' : 'they do'} not exist`;
  return `${describeMissing(parents, isCertain, counts)}${suggestion}. Create ${them}${unless}?`;
}

function describeMissing(
  parents: readonly MissingParent[],
  isCertain: boolean,
  counts?: Counts,
): string {
  const [{ kind, organizationId }] = parents as [MissingParent, ...MissingParent[]];
  const isOne = parents.length === 1;
  const subject = upperFirst(nameParents(parents, counts));
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
async function warnAboutAll(
  context: Context,
  parents: readonly MissingParent[],
  counts?: Counts,
): Promise<void> {
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
    `${nameParents(parents, counts)} ${state}${suggestion} (--create-${parents[0]?.kind} suppresses this warning)`,
  );
}
