import { quoteId } from '../../kernel/id-text.ts';
import { formatNounCount, groupDigits } from '../../kernel/plural.ts';
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

/** Describes what is not known, as sentences. */
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

/** Renders the counts, what is not known, and the rows by folder. */
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

/** Describes rows: by folder, and once for all documents in it that change alike. */
function layoutRows(rows: readonly AccessRow[], arrow: string): readonly RowText[] {
  const folders = Map.groupBy(rows, ({ resource }) => nameFolder(resource));
  return Array.from(folders, ([folder, own]) => {
    const alike = Map.groupBy(own, ({ resource: _resource, ...row }) => JSON.stringify(row));
    return Array.from(alike.values(), (group, at) => ({
      heading: at === 0 ? folder : undefined,
      text: describeGroup(group, arrow),
      rows: group.length,
    }));
  }).flat();
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
  const named = documents.slice(0, MAX_DOCUMENTS).join(', ');
  const more = documents.length - MAX_DOCUMENTS;
  return `${documents.length === 1 ? 'document' : 'documents'} ${named}${more > 0 ? `, and ${groupDigits(more)} more` : ''}: ${change}`;
}

function describeChange({ before, after }: AccessRow, arrow: string): string {
  return `${formatAccess(before)} ${arrow} ${formatAccess(after)}`;
}

function nameFolder({ type, id, organizationId, folderId }: ChangedResource): string {
  const folder = type === 'folder' ? id : folderId;
  return folder === undefined || folder === 'root'
    ? `organization ${quoteId(organizationId)}`
    : `folder ${quoteId(folder)} (${quoteId(organizationId)})`;
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
