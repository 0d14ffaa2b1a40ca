import { quoteId } from '../../kernel/id-text.ts';
import { formatNounCount, groupDigits, joinAndCount } from '../../kernel/plural.ts';
import { escapeMarkdown, formatMarkdownTable } from '../../output/markdown.ts';
import type {
  Access,
  AccessGrant,
  AccessPreview,
  AccessRow,
  ChangedResource,
  ExpiringGrant,
} from '../../settings/access-preview.ts';
import type { Plan } from '../../settings/plan.ts';
import type { Kind } from '../../settings/settings.ts';
import type { Layout } from './render-changes.ts';

const ACCESS_KINDS: readonly (Kind | 'apiKeys')[] = [
  'organizations',
  'folders',
  'documents',
  'groups',
  'users',
];

/** Returns the access changes of a plan as data, for JSON. */
export function toAccessData({ rows, total, counts, unknown, members }: AccessPreview) {
  return {
    access: rows.map(({ resource: { folderId: _folder, ...resource }, ...row }) => ({
      user: row.user,
      resource,
      before: row.before,
      after: row.after,
      through: row.through,
    })),
    accessTruncated: total > rows.length,
    accessCounts: counts,
    accessUnknown: unknown,
    ...(members && { accessMembers: members }),
  };
}

/** Whether a reader may expect a plan to change access. */
export function isAboutAccess({ changes }: Pick<Plan, 'changes'>): boolean {
  return changes.some(({ kind, sign }) => '+~>'.includes(sign) && ACCESS_KINDS.includes(kind));
}

/** Formats the number of people: `Access: 3 people gain, 1 loses`. */
function countPeople({ counts, unknown }: AccessPreview): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  const [first] = parts;
  const texts = parts.map((part) => {
    const [verb, count] = part;
    const subject =
      part === first
        ? count === 1
          ? '1 person'
          : `${groupDigits(count)} people`
        : groupDigits(count);
    return `${subject} ${count === 1 ? `${verb}s` : verb}`;
  });
  const isUnknown = unknown.documents + unknown.people > 0;
  return `Access: ${texts.join(', ') || (isUnknown ? 'no known change' : 'no change')}`;
}

/** Describes the unknown access, as sentences. */
function describeUnknown({
  unknown: { documents, people },
  unknownPeople,
}: AccessPreview): readonly string[] {
  const named =
    unknownPeople.map(quoteId).join(', ') + (people > unknownPeople.length ? ', …' : '');
  const subject = people === 1 ? '1 person' : `${groupDigits(people)} people`;
  const pronoun = documents === 1 ? 'its' : 'their';
  return [
    ...(documents > 0
      ? [
          `unknown for ${formatNounCount(documents, 'document')}: ${pronoun} members cannot be read from this service`,
        ]
      : []),
    ...(people > 0
      ? [`unknown for ${subject} (${named}): their present access cannot be read from this service`]
      : []),
  ];
}

/** Names the file that declares the members, and its age when the plan was made. */
function describeMembers({ members }: AccessPreview): readonly string[] {
  return members ? [`members: ${members.path}, ${formatAge(members.ageSeconds)} old`] : [];
}

const AGES = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const;

function formatAge(seconds: number): string {
  const [size, unit] = AGES.find(([length]) => seconds >= length) ?? [1, 'second'];
  return formatNounCount(Math.floor(seconds / size), unit);
}

/** Renders the counts, the unknown access, and the rows by folder. */
export function renderAccess(
  preview: AccessPreview,
  layout: Layout,
  maxLines: number,
): readonly string[] {
  const { rows, total } = preview;
  const texts = layoutRows(rows, layout.arrow);
  const shown = texts.slice(0, maxLines);
  const shownRows = shown.reduce((sum, { rows: count }) => sum + count, 0);
  const more = total - shownRows;
  return [
    ...layout.wrap(countPeople(preview), ''),
    ...[...describeMembers(preview), ...describeUnknown(preview)].flatMap((text) =>
      layout.wrap(text, '    ', '  '),
    ),
    ...shown.flatMap(({ heading, text }) => [
      ...(heading === undefined ? [] : layout.wrap(heading, '    ', '  ')),
      ...layout.wrap(text, '      ', '    '),
    ]),
    ...(more > 0 ? layout.wrap(`… ${formatNounCount(more, 'more row')}`, '  ') : []),
  ];
}

interface RowText {
  readonly heading: string | undefined;
  readonly text: string;
  /** Number of rows that the text describes. */
  readonly rows: number;
}

/** Rows about a folder with the same change. */
interface AlikeRows {
  readonly rows: readonly AccessRow[];
  /** Whether a row is about the folder itself, and not only about documents in it. */
  readonly isWhole: boolean;
  /** The common fields of the rows, as text. */
  readonly key: string;
}

/** Describes rows by folder, and once for all folders in which the same people have the same access. */
function layoutRows(rows: readonly AccessRow[], arrow: string): readonly RowText[] {
  const folders = Map.groupBy(rows, ({ resource }) => nameFolder(resource));
  const parts = Array.from(folders.values()).flatMap((own) => {
    const alike = groupAlike(own);
    return [alike.filter(({ isWhole }) => isWhole), alike.filter(({ isWhole }) => !isWhole)];
  });
  const blocks = Map.groupBy(
    parts.filter(({ length }) => length > 0),
    (part) =>
      JSON.stringify(part.map(({ key, isWhole, rows: own }) => [key, isWhole || own[0]?.resource])),
  );
  let heading: string | undefined;
  return Array.from(blocks.values()).flatMap((block) => {
    const places = block.flatMap(([part]) => part?.rows[0]?.resource ?? []);
    const repeated = heading;
    heading = nameFolders(places);
    const isNew = heading !== repeated;
    return (block[0] ?? []).map(({ key }, at) => {
      const group = block.flatMap((part) => part.find((one) => one.key === key)?.rows ?? []);
      return {
        heading: at === 0 && isNew ? heading : undefined,
        text: describeGroup(group, arrow),
        rows: group.length,
      };
    });
  });
}

function groupAlike(rows: readonly AccessRow[]): readonly AlikeRows[] {
  const alike = Map.groupBy(rows, ({ resource: _resource, ...row }) => JSON.stringify(row));
  return Array.from(alike, ([key, group]) => ({
    key,
    rows: group,
    isWhole: group.some(({ resource }) => resource.type !== 'document'),
  }));
}

const MAX_DOCUMENTS = 3;

function describeGroup(rows: readonly AccessRow[], arrow: string): string {
  const [first] = rows as readonly [AccessRow];
  const change = `${quoteId(first.user)}: ${describeChange(first, arrow)} through ${nameGrant(first.through)}`;
  const documents = rows.flatMap(({ resource }) =>
    resource.type === 'document' ? [quoteId(resource.id)] : [],
  );
  if (documents.length === 0) return change;
  if (documents.length < rows.length)
    return `${change} (with ${formatNounCount(documents.length, 'document')})`;
  return `${documents.length === 1 ? 'document' : 'documents'} ${joinAndCount(documents, MAX_DOCUMENTS)}: ${change}`;
}

function describeChange({ before, after }: AccessRow, arrow: string): string {
  return `${formatAccess(before)} ${arrow} ${formatAccess(after)}`;
}

/** Names the folder of a resource, or the organization at the top level. */
function nameFolder({ type, id, organizationId, folderId }: ChangedResource): string {
  const folder = type === 'folder' ? id : folderId;
  return folder === undefined || folder === 'root'
    ? `organization ${quoteId(organizationId)}`
    : `folder ${quoteId(folder)} (${quoteId(organizationId)})`;
}

/** Names the folders of resources: `folders plans, q3, and 2 more (acme)`. */
function nameFolders(resources: readonly ChangedResource[]): string {
  const [first] = resources;
  if (!first || resources.length === 1) return first ? nameFolder(first) : '';
  const isTop = ({ type }: ChangedResource) => type === 'organization';
  const organizations = resources.filter(isTop).map(nameFolder);
  const byOrganization = Map.groupBy(
    resources.filter((resource) => !isTop(resource)),
    ({ organizationId }) => organizationId,
  );
  const folders = Array.from(byOrganization, ([organization, own]) => {
    if (own.length === 1) return own.map(nameFolder).join('');
    return `folders ${joinAndCount(
      own.map(({ id }) => quoteId(id)),
      MAX_DOCUMENTS,
    )} (${quoteId(organization)})`;
  });
  return [...organizations, ...folders].join(', ');
}

function nameGrant({ type, id }: AccessGrant): string {
  return `${type} ${quoteId(id)}`;
}

/** Formats access: `none`, `editor`, `editor until 2027-01-31`. */
function formatAccess(access: Access | null): string {
  if (access === null) return 'none';
  const { role, expiresAt, afterward } = access;
  const end = expiresAt === null ? '' : ` until ${formatEnd(expiresAt)}`;
  return `${role}${end}${afterward ? `, then ${formatAccess(afterward)}` : ''}`;
}

/** Shortens a time without losing anything: midnight becomes a date. */
function formatEnd(time: string): string {
  return time.replace(/T00:00:00\.000Z$/, '').replace(/\.000Z$/, 'Z');
}

/** Declared access that ends soon. */
export interface ExpiringAccess {
  /** The time from now, as given: `30d`. */
  readonly within: string;
  readonly grants: readonly ExpiringGrant[];
}

export function renderExpiring(expiring: ExpiringAccess, layout: Layout): readonly string[] {
  const sentences = describeExpiring(expiring);
  const title = `Expiring within ${expiring.within}:`;
  if (sentences.length === 0) return layout.wrap(`${title} none`, '');
  return [
    ...layout.wrap(title, ''),
    ...sentences.flatMap((sentence) => layout.wrap(sentence, '    ', '  ')),
  ];
}

/** Describes grants with the exact times at which they end. */
export function describeExpiring({ grants }: ExpiringAccess): readonly string[] {
  return grants.map(({ user, resource, role, expiresAt }) => {
    const { type, id, organizationId } = resource;
    const organization = type === 'organization' ? '' : ` (${quoteId(organizationId)})`;
    return `${quoteId(user)}: ${role} of ${type} ${quoteId(id)}${organization} until ${formatEnd(expiresAt)}`;
  });
}

const MAX_MARKDOWN_ROWS = 20;

/** Renders the access changes as sentences and a table of Markdown. */
export function renderAccessMarkdown(preview: AccessPreview): string {
  const { rows, total } = preview;
  const shown = rows.slice(0, MAX_MARKDOWN_ROWS);
  const sentences = [
    countPeople(preview),
    ...describeMembers(preview),
    ...describeUnknown(preview),
  ];
  const text = sentences.map((sentence) => `\n${escapeMarkdown(sentence)}\n`).join('');
  if (shown.length === 0) return text;
  const cells = shown.map((row) => {
    const { user, resource, before, after, through } = row;
    return [
      quoteId(user),
      `${resource.type} ${quoteId(resource.id)}${resource.type === 'organization' ? '' : ` (${quoteId(resource.organizationId)})`}`,
      formatAccess(before),
      formatAccess(after),
      nameGrant(through),
    ].map((cell) => escapeMarkdown(shorten(cell)));
  });
  const more = total - shown.length;
  const table = formatMarkdownTable(['USER', 'RESOURCE', 'BEFORE', 'AFTER', 'THROUGH'], cells);
  return `${text}\n${table}${more > 0 ? `\n… ${formatNounCount(more, 'more row')}\n` : ''}`;
}

/** Maximum length of a cell. All rows together stay far below the limit of a comment. */
const MAX_CELL = 200;

function shorten(text: string): string {
  const characters = Array.from(text);
  return characters.length <= MAX_CELL ? text : `${characters.slice(0, MAX_CELL).join('')}…`;
}
