import { createHash } from 'node:crypto';
import { users } from '../../catalog/users.ts';
import type { CallResult, Client } from '../../client/client.ts';
import { followPages, type PageFields, requireCursor } from '../../client/pages.ts';
import { SvcError } from '../../kernel/errors.ts';
import { type Fields, isObject } from '../../kernel/json.ts';
import { formatNounCount, groupDigits } from '../../kernel/plural.ts';
import { removeSecrets } from '../../kernel/remove-secrets.ts';
import { createPause, type Pause } from '../../kernel/run-in-slices.ts';
import type { Context } from '../context.ts';

const { 'users.data': USER_DATA } = users;
const CURSOR = 'nextPageToken';
/** The lists that each page contains, also if they are empty. */
export const USER_DATA_LISTS = Object.keys(USER_DATA.output.shape);
const TOTALS = ['total', 'totals', 'totalCount', 'totalItems', 'totalRecords'];

/** Counts of the data of a user in an organization. */
export interface ReadCounts {
  /** Records by the name of their list. */
  readonly counts: Readonly<Record<string, number>>;
  readonly records: number;
  readonly pages: number;
  /** Number of texts in which a secret was replaced. */
  readonly removed: number;
  /** Documents that the records name. */
  readonly documentIds: readonly string[];
}

export interface OrganizationReading {
  readonly client: Client;
  readonly organizationId: string;
  readonly userId: string;
  readonly signal: AbortSignal;
  readonly write: (text: string) => Promise<void>;
  readonly onPage: (page: CallResult<unknown>) => void;
}

/** Maximum number of documents to remember for the report. */
const MAX_DOCUMENTS = 20;

/**
 * Reads all pages of a user's data in an organization, and writes each record as a line of JSON
 * with the name of its list.
 * @throws SvcError unless every page was read to its end: `invalid_response` for a page without its
 * lists, a repeated page or cursor, or a total that differs, and like `Client.call`
 */
export async function readOrganization({
  client,
  organizationId,
  userId,
  signal,
  write,
  onPage,
}: OrganizationReading): Promise<ReadCounts> {
  const output = createOutput();
  const checkPage = createPageCheck();
  let pages = 0;
  let totals: Totals = {};
  const pause = createPause(signal);
  const responses = followPages<unknown>({
    path: USER_DATA.path,
    call: (fields) => client.send(USER_DATA, { organizationId, userId, ...fields }),
    nextPage: ({ result, data }) => nextPageOf(cursorOf(result, data)),
  });
  for await (const page of responses) {
    pages += 1;
    const { data, result } = page;
    requireLists(data, pages);
    checkPage(data, cursorOf(result, data), pages);
    onPage(page);
    totals = { ...totals, ...readTotals(result), ...readTotals(data) };
    for (const [name, value] of Object.entries(data))
      if (name !== CURSOR && !TOTALS.includes(name))
        await writeLines(output.lines(name, value), write, pause);
  }
  output.checkTotals(totals);
  return { ...output.counts(), pages };
}

/** Length of the text that is written at once. */
const CHUNK_LENGTH = 65_536;

/** Writes lines in chunks. Lets signals and timers run, because a page can have many records. */
async function writeLines(
  lines: Iterable<string>,
  write: OrganizationReading['write'],
  pause: Pause,
): Promise<void> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length >= CHUNK_LENGTH) {
      await write(chunk);
      chunk = '';
    }
    const pausing = pause();
    if (pausing) await pausing;
  }
  if (chunk !== '') await write(chunk);
}

/** A cursor may also be beside the lists. Without it, the rest of the data would be missing. */
function cursorOf(result: Fields, data: unknown): unknown {
  return result[CURSOR] || (isObject(data) ? data[CURSOR] : undefined);
}

function nextPageOf(cursor: unknown): PageFields | undefined {
  return cursor ? { pageToken: requireCursor(USER_DATA.path, cursor) } : undefined;
}

type PageData = Readonly<Record<string, unknown>>;

function requireLists(data: unknown, page: number): asserts data is PageData {
  const missing = isObject(data)
    ? USER_DATA_LISTS.filter((name) => !Array.isArray(data[name]))
    : USER_DATA_LISTS;
  if (missing.length > 0)
    throw new SvcError('invalid_response', `page ${page} has no list ${missing.join(', ')}`);
}

/** Maximum number of pages without records in a row. */
const MAX_EMPTY_PAGES = 100;

/** Detects a service whose pages never end, or that returns the same page again. */
function createPageCheck() {
  const cursors = new Set<unknown>();
  const contents = new Set<string>();
  let emptyPages = 0;
  return (data: PageData, cursor: unknown, page: number): void => {
    if (cursor && cursors.has(cursor))
      throw new SvcError('invalid_response', `page ${page} repeats the cursor of an earlier page`);
    cursors.add(cursor);
    const { [CURSOR]: _, ...content } = data;
    const isEmpty = USER_DATA_LISTS.every(
      (name) => (content[name] as readonly unknown[]).length === 0,
    );
    emptyPages = isEmpty ? emptyPages + 1 : 0;
    if (emptyPages > MAX_EMPTY_PAGES)
      throw new SvcError('invalid_response', `${MAX_EMPTY_PAGES} pages in a row have no records`);
    if (isEmpty) return;
    const hash = createHash('sha256').update(JSON.stringify(content)).digest('base64');
    if (contents.has(hash))
      throw new SvcError('invalid_response', `page ${page} repeats the records of an earlier page`);
    contents.add(hash);
  };
}

/** Totals that a page announces: of all lists under the empty name, or of each list. */
type Totals = Readonly<Record<string, number>>;

function readTotals(container: unknown): Totals {
  if (!isObject(container)) return {};
  const found = TOTALS.flatMap((name): (readonly [string, unknown])[] => {
    const total = container[name];
    return isObject(total) ? Object.entries(total) : [['', total]];
  });
  return Object.fromEntries(
    found.filter((entry): entry is readonly [string, number] => typeof entry[1] === 'number'),
  );
}

function createOutput() {
  const counts = new Map<string, number>(USER_DATA_LISTS.map((name) => [name, 0]));
  const documentIds = new Set<string>();
  /** Values beside the lists, which a service may repeat on each page. */
  const values = new Map<string, string>();
  let removed = 0;
  const toLine = (list: string, record: unknown): string => {
    const cleaned = removeSecrets(record);
    removed += cleaned.removed;
    counts.set(list, (counts.get(list) ?? 0) + 1);
    const documentId = documentOf(record);
    if (documentId !== undefined && documentIds.size < MAX_DOCUMENTS) documentIds.add(documentId);
    return `${JSON.stringify({ list, record: cleaned.value })}\n`;
  };
  return {
    /** Yields the lines for the records of a list, or for a value beside the lists. */
    *lines(name: string, value: unknown): Generator<string> {
      if (Array.isArray(value)) {
        if (!counts.has(name)) counts.set(name, 0);
        for (const record of value) yield toLine(name, record);
        return;
      }
      const text = JSON.stringify(value);
      if (values.get(name) === text || value === null) return;
      values.set(name, text);
      yield toLine(name, value);
    },
    checkTotals(totals: Totals): void {
      const ofLists = USER_DATA_LISTS.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
      for (const [name, total] of Object.entries(totals)) {
        const read = name === '' ? ofLists : (counts.get(name) ?? 0);
        if (read !== total)
          throw new SvcError(
            'invalid_response',
            `the service announced ${formatNounCount(total, 'record')}${name && ` in ${name}`}, but returned ${groupDigits(read)}`,
          );
      }
    },
    counts: () => ({
      counts: Object.fromEntries(counts),
      records: counts.values().reduce((sum, count) => sum + count, 0),
      removed,
      documentIds: [...documentIds],
    }),
  };
}

function documentOf(record: unknown): string | undefined {
  if (!isObject(record)) return undefined;
  const { documentId, metadata } = record;
  const found = documentId ?? (isObject(metadata) ? metadata['documentId'] : undefined);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

const NOTHING = { lines: [], counts: {}, removed: 0 };

/**
 * Reads the profile, memberships, groups, and presence of a user from the store of the embedded
 * service. No operation of the API returns them, so a dossier of another service has none.
 * @returns the lines for the file of the organization, and their number by list
 */
export async function readStoredMemberships(
  context: Context,
  organizationId: string,
  userId: string,
) {
  if (!context.options.local) return NOTHING;
  const [{ readMembershipsOf }, { withStore }] = await Promise.all([
    import('../../service/local/reading/reader.ts'),
    import('../connection/embedded-store.ts'),
  ]);
  const lists = await withStore(context, 'read', (store, apiKey, { time }) =>
    readMembershipsOf(store, { apiKey, now: time.now(), organizationId, userId }),
  );
  const counts = Object.entries(lists).map(([list, records]) => [list, records.length]);
  let removed = 0;
  const lines = Object.entries(lists).flatMap(([list, records]) =>
    records.map((record) => {
      const cleaned = removeSecrets(record);
      removed += cleaned.removed;
      return `${JSON.stringify({ list, record: cleaned.value })}\n`;
    }),
  );
  const byList: Readonly<Record<string, number>> = Object.fromEntries(counts);
  return { lines, counts: byList, removed };
}
