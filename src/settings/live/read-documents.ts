import { documents } from '../../catalog/documents.ts';
import type { Client } from '../../client/client.ts';
import { fetchPages } from '../../client/pages.ts';
import { requireIds } from '../../client/response-data.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { DocumentQuery, LiveRecord } from '../live-records.ts';

type Documents = Map<string, LiveRecord>;
const LIST = documents['documents.list'];
const { max: BATCH_SIZE } = LIST.splitIds ?? { max: 1 };

export async function readDocuments(client: Client, query: DocumentQuery): Promise<Documents> {
  const { organizationId, ids, folders } = query;
  const found: Documents = new Map();
  const missing: string[] = [];
  await Promise.all(
    folders.map(async ({ folderId, ids: wanted }) => {
      const inFolder = await readFolder(client, organizationId, folderId, wanted).catch(
        emptyIfMissing,
      );
      for (const id of wanted) {
        const record = inFolder.get(id);
        if (record) found.set(id, { ...record, folderId });
        else missing.push(id);
      }
    }),
  );
  const rest = ids === 'all' ? ids : [...ids, ...missing];
  const byId = await readByIds(client, organizationId, rest);
  for (const [id, record] of found) byId.set(id, record);
  return byId;
}

function emptyIfMissing(error: unknown): Documents {
  if (error instanceof SvcError && error.failure === 'not_found') return new Map();
  throw error;
}

/** Reads all documents of a folder. A missing folder has none. */
export async function readFolderDocuments(
  client: Client,
  organizationId: string,
  folderId: string,
): Promise<readonly LiveRecord[]> {
  const found: LiveRecord[] = [];
  for await (const { data } of fetchPages(client, LIST, { organizationId, folderId }))
    found.push(...requireIds(LIST, data ?? [], 'id'));
  return found;
}

/** Reads the documents of a folder, page by page until all wanted ones are found. */
async function readFolder(
  client: Client,
  organizationId: string,
  folderId: string,
  wanted: readonly string[],
): Promise<Documents> {
  const left = new Set(wanted);
  const found: Documents = new Map();
  for await (const { data } of fetchPages(client, LIST, { organizationId, folderId })) {
    for (const record of requireIds(LIST, data ?? [], 'id'))
      if (left.delete(record.id)) found.set(record.id, record);
    if (left.size === 0) break;
  }
  return found;
}

/**
 * Reads documents by ID in batches, or all documents in pages. The number of documents of the
 * organization is unknown, so pages are read until batches for the remaining documents take fewer
 * requests than the pages so far, and than the pages that the rest probably needs.
 */
async function readByIds(
  client: Client,
  organizationId: string,
  ids: readonly string[] | 'all',
): Promise<Documents> {
  const found: Documents = new Map();
  if (ids.length === 0) return found;
  const left = new Set(ids === 'all' ? [] : ids);
  const countBatches = () =>
    ids === 'all' ? Number.POSITIVE_INFINITY : Math.ceil(left.size / BATCH_SIZE);
  let pages = 0;
  let isComplete = false;
  if (countBatches() > 1) {
    isComplete = true;
    for await (const { data } of fetchPages(client, LIST, { organizationId })) {
      for (const record of requireIds(LIST, data ?? [], 'id'))
        if (left.delete(record.id) || ids === 'all') found.set(record.id, record);
      pages += 1;
      const pagesLeft = (left.size * pages) / found.size;
      isComplete = pages < countBatches() || pagesLeft < countBatches();
      if (!isComplete) break;
    }
  }
  if (isComplete) return found;
  const remaining = [...left];
  const batches = Array.from({ length: countBatches() }, (_, at) =>
    remaining.slice(at * BATCH_SIZE, (at + 1) * BATCH_SIZE),
  );
  await Promise.all(
    batches.map(async (documentIds) => {
      const outcome = await client.call(LIST, { organizationId, documentIds });
      for (const record of requireIds(LIST, (outcome.sent && outcome.data) || [], 'id'))
        found.set(record.id, record);
    }),
  );
  return found;
}
