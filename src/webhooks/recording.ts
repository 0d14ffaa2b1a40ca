import { randomBytes } from 'node:crypto';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError, systemErrorCode } from '../kernel/errors.ts';
import { localFileError, makeFolder, readTextIfExists } from '../kernel/files.ts';
import { hint, step } from '../kernel/hint.ts';
import { isObject } from '../kernel/is-object.ts';
import { jsonValue } from '../kernel/json-value.ts';
import { readNamedFile } from '../kernel/named-file.ts';
import { FORMS, type Form } from './form.ts';
import { type HeaderList, withoutCredentials } from './headers.ts';

/** A delivery as it came in, without headers that may carry a credential. The body is the text that was sent. */
export interface RecordedDelivery {
  readonly id: string;
  readonly event: string;
  readonly form: Form;
  readonly verified: boolean;
  /** RFC 3339, in UTC. */
  readonly receivedAt: string;
  readonly path: string;
  readonly headers: HeaderList;
  readonly body: string;
}

/** A folder of deliveries, a private file each; the oldest go when it is full. */
export interface Recording {
  /** @throws SvcError `local` when it cannot be written */
  add(delivery: RecordedDelivery): Promise<void>;
}

export interface RecordingLimits {
  readonly deliveries: number;
  readonly bytes: number;
}

const LIMITS: RecordingLimits = { deliveries: 10_000, bytes: 500 * 1024 * 1024 };

/** Upper bound in bytes on a file that is read as a record. */
const MOST_RECORD = 64 * 1024 * 1024;

/** The time first, so that names in order are deliveries in order. Nothing else in a folder is touched. */
const FILE_NAME = /^\d{8}T\d{9}Z-[0-9a-f]{8}-[\w-]*\.json$/;

interface Recorded {
  readonly name: string;
  readonly bytes: number;
  /** Of a signed delivery of this run: when it comes again, the file before goes. */
  readonly id?: string;
}

/** @throws SvcError `local` when the folder cannot be had */
export async function openRecording(folder: string, limits: RecordingLimits = LIMITS): Promise<Recording> {
  const kept = await existing(folder);
  const byId = new Map<string, Recorded>();
  let bytes = kept.reduce((sum, file) => sum + file.bytes, 0);

  const drop = async (place: number) => {
    for (const file of kept.splice(place, 1)) {
      bytes -= file.bytes;
      if (file.id !== undefined) byId.delete(file.id);
      await rm(join(folder, file.name), { force: true });
    }
  };

  return {
    async add(delivery) {
      const headers = withoutCredentials(delivery.headers);
      const text = Buffer.from(`${JSON.stringify({ ...delivery, headers }, null, 2)}\n`);
      const id = delivery.form === 'advanced' ? { id: delivery.id } : {};
      const file: Recorded = { name: nameOf(delivery), bytes: text.length, ...id };
      await writeNew(join(folder, file.name), text);
      kept.push(file);
      bytes += file.bytes;
      if (file.id !== undefined) {
        const earlier = byId.get(file.id);
        if (earlier) await drop(kept.indexOf(earlier));
        byId.set(file.id, file);
      }
      while (kept.length > limits.deliveries || (bytes > limits.bytes && kept.length > 1)) await drop(0);
    },
  };
}

async function existing(folder: string): Promise<Recorded[]> {
  try {
    await makeFolder(folder, 0o700);
    const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name)).sort();
    return await Promise.all(names.map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })));
  } catch (error) {
    if (['EEXIST', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) {
      throw new SvcError('local', `${folder} is no folder`, { cause: error });
    }
    throw localFileError('open', folder, error);
  }
}

/** A name of its own for each delivery, with what can be shown of the id. */
function nameOf({ receivedAt, id }: RecordedDelivery): string {
  const time = receivedAt.replaceAll(/[^\dTZ]/g, '');
  return `${time}-${randomBytes(4).toString('hex')}-${shownOf(id)}.json`;
}

function shownOf(id: string): string {
  return id.replaceAll(/[^\w-]/g, '_').slice(0, 80);
}

async function writeNew(path: string, text: Uint8Array): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    await rm(path, { force: true });
    throw localFileError('write', path, error);
  }
}

export interface Wanted {
  /** Only these; all when left out. */
  readonly ids?: readonly string[];
  /** Milliseconds since the epoch: only what came at that time or later. */
  readonly since?: number;
}

/** The recorded deliveries in the order they came in, read one by one; `damaged` is told the name of what is none. */
export async function* recordedDeliveries(
  folder: string,
  { ids, since = 0 }: Wanted,
  damaged: (name: string) => Promise<void>,
): AsyncGenerator<RecordedDelivery> {
  const shown = ids?.map(shownOf);
  for (const name of await recordNames(folder)) {
    if (shown && !shown.includes(name.slice(name.indexOf('-') + 10, -'.json'.length))) continue;
    const text = await readTextIfExists(join(folder, name), MOST_RECORD);
    if (text === undefined) continue; // a running listener dropped it meanwhile
    const delivery = recordOf(text);
    if (!delivery) await damaged(name);
    else if (Date.parse(delivery.receivedAt) >= since && (ids?.includes(delivery.id) ?? true)) yield delivery;
  }
}

async function recordNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => FILE_NAME.test(name)).sort();
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw localFileError('read', folder, error);
  }
}

/**
 * A recorded delivery from a file's text; `undefined` for anything else. Credentials that an earlier version recorded
 * are dropped, so that no replay passes them on.
 */
function recordOf(text: string): RecordedDelivery | undefined {
  const record = jsonValue(text);
  if (!isObject(record)) return undefined;
  const { id, event, form: named, verified, receivedAt, path, headers, body } = record;
  const form = FORMS.find((known) => known === named);
  const texts = [id, event, receivedAt, path, body].every((value) => typeof value === 'string');
  if (!texts || !form || typeof verified !== 'boolean' || !isHeaderList(headers)) return undefined;
  return {
    id,
    event,
    form,
    verified,
    receivedAt,
    path,
    headers: withoutCredentials(headers),
    body,
  } as RecordedDelivery;
}

function isHeaderList(value: unknown): value is HeaderList {
  const isHeader = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string');
  return Array.isArray(value) && value.every(isHeader);
}

/** The delivery in a file that a listener wrote. @throws SvcError `bad_data` when it is none */
export async function readRecordFile(
  file: string,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<RecordedDelivery> {
  const delivery = recordOf((await readNamedFile(file, cwd, { signal })).toString());
  if (delivery) return delivery;
  throw new SvcError('bad_data', `${file} is not a recorded delivery`, {
    hint: hint`${step('resume', 'webhooks', 'listen')} records deliveries; for a separate body and headers, use --body and --headers`,
  });
}
