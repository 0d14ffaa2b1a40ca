import { loadOperation, type OperationName } from '../../catalog/index.ts';
import { getEntry } from '../../catalog/manifest.ts';
import { findSecretPaths } from '../../catalog/secrets.ts';
import type { Client } from '../../client/client.ts';
import { createReadOnlyClient } from '../../client/read-only.ts';
import { type Clock, monotonicNow } from '../../kernel/clock.ts';
import { type Failure, SIGNAL_FAILURES, SvcError } from '../../kernel/errors.ts';
import { appendToRegularFile, useIfMissing } from '../../kernel/files.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { readRegularFile } from '../../kernel/read-file.ts';
import { redactRemembered } from '../../kernel/redact.ts';
import { diffRecords } from '../differ.ts';
import { CONFIG_NAMES, CONFIGS } from '../kinds.ts';
import { queryKeys } from '../live/declared-query.ts';
import { readLive } from '../live/read-live.ts';
import {
  findLiveRecord,
  type LiveQuery,
  type LiveRecord,
  type LiveRecords,
} from '../live-records.ts';
import type { RecordKey } from '../plan.ts';
import { createRecordKey } from '../settings.ts';

/** A record before a write: one line of a file in the job's folder. Contains no secrets. */
export interface BeforeImage {
  readonly key: RecordKey;
  /** Fields that the write changes; for a deletion, all fields. */
  readonly fields: readonly {
    readonly path: readonly string[];
    readonly before: unknown;
    readonly after: unknown;
  }[];
  /** Paths of changed secrets, whose values are not stored. */
  readonly secrets: readonly string[];
  readonly isDeleted?: true;
}

/** Operations that overwrite or delete records that can be read, and the key of the record. */
const OVERWRITES: Partial<Record<OperationName, (data: LiveRecord) => RecordKey>> = {
  'folders.update': ({ organizationId, folderId }) =>
    createRecordKey('folders', String(organizationId), String(folderId)),
  'webhooks.endpoints.update': ({ endpointId }) =>
    createRecordKey('endpoints', null, String(endpointId)),
  'webhooks.endpoints.delete': ({ endpointId }) =>
    createRecordKey('endpoints', null, String(endpointId)),
  ...Object.fromEntries(
    CONFIG_NAMES.map((name) => [CONFIGS[name].update, () => createRecordKey('config', null, name)]),
  ),
};

const IDENTITY = ['organizationId', 'folderId', 'endpointId'];
/**
 * A listing of folders is reused for this many times as long as it took to read, so that reading
 * takes little of a job.
 */
const REUSE_FACTOR = 10;
const STOPPED: readonly Failure[] = Object.values(SIGNAL_FAILURES);

interface BeforeImageOptions {
  readonly append: (images: readonly BeforeImage[]) => Promise<void>;
  readonly client: Client;
  readonly clock: Clock;
  readonly warn: (text: string) => Promise<void>;
}

type SaveImages = (operation: OperationName, inputs: readonly LiveRecord[]) => Promise<void>;

/**
 * Creates a function that saves the values that a request replaces, given an input of its operation
 * for each record. Only warns if they cannot be read, and throws like `append`.
 */
export function createImageSaver({ append, client, clock, warn }: BeforeImageOptions): SaveImages {
  const saved = new Set<RecordKey>();
  let listing:
    | { readonly query: string; readonly live: LiveRecords; readonly until: number }
    | undefined;
  let hasFailed = false;
  const read = async (query: LiveQuery) => {
    const name = JSON.stringify(query);
    const started = monotonicNow(clock);
    if (listing?.query === name && started < listing.until) return listing.live;
    const live = await readLive(createReadOnlyClient(client), query);
    const now = monotonicNow(clock);
    if (query.folders.length > 0)
      listing = { query: name, live, until: now + REUSE_FACTOR * (now - started) };
    return live;
  };
  const warnOnce = async (error: unknown) => {
    if (!(error instanceof SvcError) || STOPPED.includes(error.failure)) throw error;
    if (!hasFailed) await warn(`the job cannot be undone completely: ${error.message}`);
    hasFailed = true;
  };
  return async (operation, inputs) => {
    const keyOf = OVERWRITES[operation];
    if (!keyOf) return;
    const unsaved = inputs
      .map((data) => ({ data, key: keyOf(data) }))
      .filter(({ key }) => !saved.has(key));
    if (unsaved.length === 0) return;
    const live = await read(queryKeys(unsaved.slice(0, 1).map(({ key }) => key))).catch(warnOnce);
    if (!live) return;
    const { resource, name } = getEntry(operation);
    const secrets = findSecretPaths((await loadOperation(resource, name)).input).map((path) =>
      path.join('.'),
    );
    const images = unsaved.flatMap(({ data, key }) => {
      const record = findLiveRecord(live, key);
      return record
        ? [createImage(key, record, operation.endsWith('.delete') ? undefined : data, secrets)]
        : [];
    });
    if (images.length > 0) await append(images);
    for (const { key } of unsaved) saved.add(key);
  };
}

/** Adds lines to a private file. @throws SvcError `local` */
export async function appendImages(path: string, lines: readonly object[]): Promise<void> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  await appendToRegularFile(path, text);
}

const isImage = (line: unknown): line is BeforeImage => isObject(line) && 'key' in line;

/** Reads the images of a job: for each record, the first. Returns none if the job saved none. */
export async function readBeforeImages(path: string): Promise<readonly BeforeImage[]> {
  const read = readRegularFile(path, Number.POSITIVE_INFINITY);
  const text = String(await read.catch(useIfMissing('', path)));
  // A killed process may leave an incomplete line, for a batch that it did not send.
  const images = text.split('\n').map(tryParseJson).filter(isImage);
  const byKey = new Map<RecordKey, BeforeImage>();
  for (const image of images) if (!byKey.has(image.key)) byKey.set(image.key, image);
  return [...byKey.values()];
}

/** @param written the data of the write; absent for a deletion */
function createImage(
  key: RecordKey,
  live: LiveRecord,
  written: LiveRecord | undefined,
  secrets: readonly string[],
): BeforeImage {
  const isSecret = (path: readonly string[]) => secrets.includes(path.join('.'));
  const after = written
    ? Object.entries(written).filter(([field]) => !IDENTITY.includes(field))
    : [];
  const differences = diffRecords(live, Object.fromEntries(after), {
    fieldsOf: written ? 'after' : 'both',
    isSecret,
  });
  const isHidden = ({ path, before, after: value }: (typeof differences)[number]) => {
    const text = JSON.stringify([before, value]);
    return isSecret(path) || text !== redactRemembered(text);
  };
  const { hidden = [], shown = [] } = Object.groupBy(differences, (each) =>
    isHidden(each) ? 'hidden' : 'shown',
  );
  return {
    key,
    fields: shown.map(({ path, before, after: value }) => ({ path, before, after: value })),
    secrets: hidden.map(({ field }) => field),
    ...(!written && { isDeleted: true }),
  };
}
