import { randomBytes } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hint, SvcError, step, systemErrorCode } from '../kernel/errors.ts';
import {
  createFolder,
  createLocalFileError,
  listFolder,
  readTextIfExists,
} from '../kernel/files.ts';
import { isObject, tryParseJson } from '../kernel/json.ts';
import { readNamedFile } from '../kernel/named-file.ts';
import { WEBHOOK_FORMS, type WebhookForm } from './form.ts';
import { type HeaderList, withoutCredentials } from './headers.ts';

export interface DeliveryHead {
  readonly id: string;
  readonly event: string;
  readonly form: WebhookForm;
  readonly verified: boolean;
  readonly receivedAt: string;
}

/**
 * A delivery as received, without headers that may carry a credential. The body is the original
 * text.
 */
export interface RecordedDelivery extends DeliveryHead {
  readonly path: string;
  readonly headers: HeaderList;
  readonly body: string;
}

/** A folder that deliveries are recorded in. */
export interface Recording {
  /** @throws SvcError `local` if the file cannot be written */
  readonly add: (delivery: RecordedDelivery) => Promise<void>;
}

export interface RecordingLimits {
  readonly deliveries: number;
  readonly bytes: number;
}

const DEFAULT_LIMITS: RecordingLimits = { deliveries: 10_000, bytes: 500 * 1024 * 1024 };
const MAX_RECORD_BYTES = 64 * 1024 * 1024;
/** Matches the names of record files, which start with a timestamp, so that they sort by time. */
const FILE_NAME = /^\d{8}T\d{9}Z-[0-9a-f]{8}-[\w-]*\.json$/;

interface RecordFile {
  readonly name: string;
  readonly bytes: number;
  readonly id?: string | undefined;
}

/**
 * Opens a folder for recording.
 * @throws SvcError `local` if the folder cannot be created or read
 */
export async function openRecording(
  folder: string,
  limits: RecordingLimits = DEFAULT_LIMITS,
): Promise<Recording> {
  const files = await listRecordFiles(folder);
  const byId = new Map<string, RecordFile>();
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);

  const deleteAt = async (index: number) => {
    for (const file of files.splice(index, 1)) {
      bytes -= file.bytes;
      if (file.id !== undefined) byId.delete(file.id);
      await rm(join(folder, file.name), { force: true });
    }
  };

  return {
    async add(delivery: RecordedDelivery): Promise<void> {
      const headers = withoutCredentials(delivery.headers);
      const text = Buffer.from(`${JSON.stringify({ ...delivery, headers }, null, 2)}\n`);
      const id = delivery.form === 'advanced' ? delivery.id : undefined;
      const file: RecordFile = { name: createFileName(delivery), bytes: text.length, id };
      await writeNewFile(join(folder, file.name), text);
      files.push(file);
      bytes += file.bytes;
      if (file.id !== undefined) {
        const earlier = byId.get(file.id);
        if (earlier) await deleteAt(files.indexOf(earlier));
        byId.set(file.id, file);
      }
      while (files.length > limits.deliveries || (bytes > limits.bytes && files.length > 1))
        await deleteAt(0);
    },
  };
}

async function listRecordFiles(folder: string): Promise<RecordFile[]> {
  try {
    await createFolder(folder, 0o700);
    const names = await listRecordNames(folder);
    return await Promise.all(
      names.map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })),
    );
  } catch (error) {
    if (['EEXIST', 'ENOTDIR'].includes(systemErrorCode(error) ?? ''))
      throw new SvcError('local', `${folder} is not a folder`, { cause: error });
    throw createLocalFileError('open', folder, error);
  }
}

function createFileName({ receivedAt, id }: RecordedDelivery): string {
  return `${receivedAt.replaceAll(/[^\dTZ]/g, '')}-${randomBytes(4).toString('hex')}-${toFileNamePart(id)}.json`;
}

function toFileNamePart(id: string): string {
  return id.replaceAll(/[^\w-]/g, '_').slice(0, 80);
}

async function writeNewFile(path: string, text: Uint8Array): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    await rm(path, { force: true });
    throw createLocalFileError('write', path, error);
  }
}

/**
 * Reads the recorded deliveries in order of receipt. Calls `onDamaged` with the name of each
 * invalid file.
 */
export async function* readRecordedDeliveries(
  folder: string,
  {
    ids,
    since = 0,
  }: { readonly ids?: readonly string[] | undefined; readonly since?: number | undefined },
  onDamaged: (name: string) => Promise<void>,
): AsyncGenerator<RecordedDelivery> {
  const nameParts = ids?.map(toFileNamePart);
  for (const name of await listRecordNames(folder)) {
    if (nameParts && !nameParts.includes(name.slice(name.indexOf('-') + 10, -'.json'.length)))
      continue;
    const text = await readTextIfExists(join(folder, name), MAX_RECORD_BYTES);
    if (text === undefined) continue; // deleted by a running listener
    const delivery = parseRecordedDelivery(text);
    if (!delivery) await onDamaged(name);
    else if (Date.parse(delivery.receivedAt) >= since && (ids?.includes(delivery.id) ?? true))
      yield delivery;
  }
}

async function listRecordNames(folder: string): Promise<readonly string[]> {
  return (await listFolder(folder)).filter((name) => FILE_NAME.test(name)).sort();
}

/** Returns `undefined` for invalid text. Drops credentials that an earlier version recorded. */
function parseRecordedDelivery(text: string): RecordedDelivery | undefined {
  const record = tryParseJson(text);
  if (!isObject(record)) return undefined;
  const { id, event, form: formName, verified, receivedAt, path, headers, body } = record;
  const form = WEBHOOK_FORMS.find((known) => known === formName);
  const texts = [id, event, receivedAt, path, body].every((value) => typeof value === 'string');
  if (!texts || !form || typeof verified !== 'boolean' || !isHeaderList(headers)) return undefined;
  const delivery = {
    id,
    event,
    form,
    verified,
    receivedAt,
    path,
    headers: withoutCredentials(headers),
    body,
  };
  return delivery as RecordedDelivery;
}

function isHeaderList(value: unknown): value is HeaderList {
  const isHeader = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string');
  return Array.isArray(value) && value.every(isHeader);
}

/** Reads a file that a listener recorded. @throws SvcError `invalid_input` if the content is invalid */
export async function readRecordFile(
  file: string,
  cwd: string,
  signal: AbortSignal,
): Promise<RecordedDelivery> {
  const delivery = parseRecordedDelivery((await readNamedFile(file, cwd, { signal })).toString());
  if (delivery) return delivery;
  throw new SvcError('invalid_input', `${file} is not a recorded delivery`, {
    hint: hint`to record deliveries, run ${step('resume', 'webhooks', 'listen')}; to pass the body and headers separately, use --body and --headers`,
  });
}
