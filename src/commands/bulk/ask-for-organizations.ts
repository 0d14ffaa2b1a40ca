import type { Operation } from '../../catalog/define.ts';
import { SvcError } from '../../kernel/errors.ts';
import { findIdProblem, quoteId, quoteUnclearId, suggestId } from '../../kernel/id-text.ts';
import { findSimilar } from '../../kernel/nearest.ts';
import { formatNounCount, groupDigits, joinFirst } from '../../kernel/plural.ts';
import { ASCII_GLYPHS } from '../../output/glyphs.ts';
import { findMissingOrganizations } from '../call/missing-parents.ts';
import { serviceLabel } from '../connection/protected-profile.ts';
import type { Context } from '../context.ts';
import { getFlagValue } from '../options.ts';
import { selectGlyphs } from '../terminal/terminal.ts';
import type { ColumnMap } from './input-flags.ts';

/** The organizations that the records of an import name. */
interface NamedOrganizations {
  /** Name of the input. */
  readonly file: string;
  readonly operation: Operation;
  readonly flags: object;
  /** Number of records of each organization. */
  readonly counts: ReadonlyMap<string, number>;
  /** Organizations whose IDs svc does not accept, with the reason. */
  readonly unclear: ReadonlyMap<string, string>;
  /** Whether the user has answered such a question, so that stopping loses the answer. */
  readonly hasAnswers: boolean;
}

/** Organizations to use in place of others, or the permission to create all. */
export type OrganizationAnswer =
  | { readonly replaced: ColumnMap }
  | { readonly createsAll: boolean };

interface DoubtfulOrganization {
  readonly id: string;
  readonly count: number;
  /** The known organization, or the more frequent one of the file, that was probably meant. */
  readonly like: string | undefined;
}

/**
 * Asks about organizations that are unknown or have an unclear ID, the likely typos first.
 * @throws SvcError `usage` if the user wants to fix the file
 */
export async function askForOrganizations(
  context: Context,
  named: NamedOrganizations,
): Promise<OrganizationAnswer> {
  const { counts, unclear, operation, flags } = named;
  const { missing, known } = await findMissingOrganizations(context, [...counts.keys()]);
  const isCreated = getFlagValue(flags, 'create-organization') === true || context.options.yes;
  const isLikelyTypo = known.length > 0 || counts.size > 1;
  const unknown = isCreated || !isLikelyTypo || !operation.createsParents ? [] : missing;
  const ids = [...new Set([...unclear.keys(), ...unknown])];
  if (ids.length === 0) return { createsAll: false };
  const doubtful = orderByDoubt(ids, counts, known);
  const mayCreate =
    operation.createsParents !== undefined &&
    getFlagValue(flags, 'create-organization') !== false &&
    unknown.length > 0;
  return askAbout(context, named, { doubtful, known, mayCreate });
}

/** Orders organizations: those that are similar to others first, then those with the fewest records. */
function orderByDoubt(
  ids: readonly string[],
  counts: NamedOrganizations['counts'],
  known: readonly string[],
): readonly DoubtfulOrganization[] {
  const positions = new Map([...counts.keys()].map((id, at) => [id, at]));
  const positionOf = (id: string) => positions.get(id) ?? -1;
  const valid = [...counts.keys()].filter((id) => findIdProblem(id) === undefined);
  const doubtful = ids.map((id) => {
    const count = counts.get(id) ?? 0;
    const isMoreFrequent = (other: string) => {
      const others = counts.get(other) ?? 0;
      return others > count || (others === count && positionOf(other) < positionOf(id));
    };
    const candidates = new Set([...known, ...valid.filter(isMoreFrequent)]);
    const meant = suggestId(id);
    const like =
      meant !== undefined && meant !== id && candidates.has(meant)
        ? meant
        : findSimilar(id, candidates);
    return { id, count, like };
  });
  return doubtful.toSorted(
    (a, b) => Number(a.like === undefined) - Number(b.like === undefined) || a.count - b.count,
  );
}

interface Doubt {
  readonly doubtful: readonly DoubtfulOrganization[];
  readonly known: readonly string[];
  /** Whether the import may create organizations. */
  readonly mayCreate: boolean;
}

/** Maximum numbers of organizations in the question, and of answers that replace one. */
const MAX_SHOWN = 8;
const MAX_REPLACEMENTS = 4;

const [CREATE_ALL, USE_OTHER, FIX_FILE] = [
  'create all',
  'use another organization',
  'fix the file',
] as const;

async function askAbout(
  context: Context,
  named: NamedOrganizations,
  { doubtful, known, mayCreate }: Doubt,
): Promise<OrganizationAnswer> {
  const prompter = await context.prompter();
  const { unclear, counts, hasAnswers } = named;
  const replacements = new Map<string, readonly [from: string, to: string]>();
  for (const { id, like } of doubtful) {
    const to = like ?? (unclear.has(id) ? suggestId(id) : undefined);
    // The flag that repeats the answer splits at the last equals sign.
    if (to === undefined || to.includes('=') || replacements.size === MAX_REPLACEMENTS) continue;
    replacements.set(`use ${quoteId(to)} for ${quoteId(id)}`, [id, to]);
  }
  const others = [...new Set([...known, ...counts.keys()])].filter(
    (id) => findIdProblem(id) === undefined && !id.includes('='),
  );
  const canUseOther = doubtful.some(({ id }) => others.some((other) => other !== id));
  const message = await describe(context, named, doubtful);
  const [first] = replacements.keys();
  let canCreate = mayCreate;
  for (;;) {
    const choices = [
      ...(canCreate ? [CREATE_ALL] : []),
      ...replacements.keys(),
      ...(canUseOther ? [USE_OTHER] : []),
      FIX_FILE,
    ];
    const chosen = await prompter.pick({
      message,
      choices: choices.map((value) => ({ value })),
      defaultValue: first ?? FIX_FILE,
    });
    const replacement = replacements.get(chosen);
    if (replacement) return { replaced: [replacement] };
    if (chosen === FIX_FILE) {
      if (hasAnswers && !(await prompter.confirm('Stop the import to fix the file?', false)))
        continue;
      throw createCanceledError(named, doubtful);
    }
    if (chosen === USE_OTHER) return { replaced: [await askForOther(context, doubtful, others)] };
    const [problem] = unclear.values();
    if (problem === undefined) return { createsAll: true };
    await context.warn(`a new organization ${problem}`);
    canCreate = false;
  }
}

/** Asks for an organization to replace, unless there is only one, and for the one to use. */
async function askForOther(
  context: Context,
  doubtful: readonly DoubtfulOrganization[],
  others: readonly string[],
): Promise<readonly [from: string, to: string]> {
  const prompter = await context.prompter();
  const replaceable = doubtful.filter(({ id }) => others.some((other) => other !== id));
  const [only, ...more] = replaceable;
  const labels = new Map(replaceable.map(({ id }) => [quoteId(id), id]));
  const from =
    only && more.length === 0
      ? only.id
      : (labels.get(
          await prompter.pick({
            message: 'Organization to replace',
            choices: replaceable.map(({ id, count }) => ({
              value: quoteId(id),
              label: `${quoteId(id)} (${formatNounCount(count, 'record')})`,
            })),
          }),
        ) ?? '');
  const to = await prompter.pick({
    message: `Organization to use for ${quoteId(from)}`,
    choices: others.filter((id) => id !== from).map((value) => ({ value })),
  });
  return [from, to];
}

/** Describes the organizations: `'acme ' 1 (like acme) · Acme Ltd 1 · acme 99`. */
async function describe(
  context: Context,
  { file }: NamedOrganizations,
  doubtful: readonly DoubtfulOrganization[],
): Promise<string> {
  const separator = selectGlyphs(context) === ASCII_GLYPHS ? ', ' : ' · ';
  const shown = doubtful
    .slice(0, MAX_SHOWN)
    .map(
      ({ id, count, like }) =>
        `${quoteUnclearId(id)} ${groupDigits(count)}${like === undefined ? '' : ` (like ${quoteId(like)})`}`,
    );
  const more = doubtful.length - shown.length;
  const list = [...shown, ...(more > 0 ? [`${groupDigits(more)} more`] : [])].join(separator);
  const isOne = doubtful.length === 1;
  const state = context.options.local
    ? `that ${isOne ? 'does' : 'do'} not exist`
    : `that ${isOne ? 'is' : 'are'} not known on this machine`;
  return `${file} names ${formatNounCount(doubtful.length, 'organization')} ${state} (${await serviceLabel(context)}): ${list}`;
}

function createCanceledError(
  { file, unclear }: NamedOrganizations,
  doubtful: readonly DoubtfulOrganization[],
): SvcError {
  const typos = doubtful.filter(({ id, like }) => like !== undefined || unclear.has(id));
  const wrong = typos.length > 0 ? typos : doubtful;
  const ids = wrong.map(({ id }) => quoteId(id));
  return new SvcError('usage', 'canceled; nothing was sent', {
    hint: `check the organizations in ${file}: ${joinFirst(ids, MAX_SHOWN)}`,
  });
}
