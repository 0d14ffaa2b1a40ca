import type { CalledOperation, Client } from '../client/client.ts';
import { isObject } from '../kernel/json.ts';

const MAX_IDS = 20;
const MAX_ID_LENGTH = 100;
const ID_FIELD = /^(?:id|uid|apiKey|\w+Ids?)$/;
const GRANT_FIELD = /^(?:user|permissions|resources)$/;

export interface JobCounts {
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly unknown: number;
  readonly skipped: number;
}

/** The service that a command wrote to. */
export interface WrittenTarget {
  readonly profile: string | null;
  readonly host: string;
  /** Name of the `.svc.json` that chose the profile. */
  readonly folderFile?: string;
}

export class Activity {
  /** Number of calls that are not reads. */
  calls = 0;
  counts: JobCounts | undefined;
  /** The service that was written to, or read from if the history records the read. */
  target: WrittenTarget | undefined;
  /** Whether the history records the command although it only reads: it saves personal data. */
  isRecordedRead = false;
  /** Whether a message about the writes has named their profile. */
  isTargetNamed = false;
  undo: string | null = null;
  /** Names of the people who approved the plan that was applied. */
  approvedBy: readonly string[] = [];
  readonly #ids = new Set<string>();
  readonly #onFirstCall: () => void;

  /** @param onFirstCall is called before the first call that is not a read */
  constructor(onFirstCall: () => void = () => undefined) {
    this.#onFirstCall = onFirstCall;
  }

  recordCall(): void {
    if (this.calls === 0) this.#onFirstCall();
    this.calls += 1;
  }

  get ids(): readonly string[] {
    return [...this.#ids];
  }

  /** Records that the command saves personal data of a service. */
  recordRead(target: WrittenTarget, ids: readonly string[]): void {
    this.isRecordedRead = true;
    this.target ??= target;
    this.recordIds(ids);
  }

  recordFields(data: unknown): void {
    if (!isObject(data) || this.#isFull) return;
    for (const [name, value] of Object.entries(data)) {
      const values = Array.isArray(value) ? value.slice(0, MAX_IDS) : [value];
      if (ID_FIELD.test(name)) for (const id of values) this.#note(id);
      if (GRANT_FIELD.test(name)) for (const part of values) this.recordFields(part);
    }
  }

  recordIds(ids: readonly unknown[]): void {
    for (const id of ids.slice(0, MAX_IDS)) this.#note(id);
  }

  get #isFull(): boolean {
    return this.#ids.size >= MAX_IDS;
  }

  #note(id: unknown): void {
    if (typeof id === 'string' && id !== '' && !this.#isFull)
      this.#ids.add(id.slice(0, MAX_ID_LENGTH));
  }
}

/**
 * Wraps a client to record each write, and the service that it goes to, before sending it. Failed and
 * interrupted writes are recorded as well.
 */
export function trackActivity(client: Client, activity: Activity, target: WrittenTarget): Client {
  const record = async <Reply extends Awaited<ReturnType<Client['send']>>>(
    operation: CalledOperation,
    data: unknown,
    call: () => Promise<Reply>,
  ): Promise<Reply> => {
    if (operation.effect === 'read' && !operation.issuesCredential) return call();
    activity.recordCall();
    activity.target = target;
    activity.recordFields(data);
    const records = firstRecordIds(operation, data);
    activity.recordIds(records);
    const reply = await call();
    // A bulk response contains no new IDs and is expensive to search.
    if (reply.sent && !operation.bulk) activity.recordFields(reply.data);
    return reply;
  };
  return {
    ...client,
    call: (operation, input) => record(operation, input, () => client.call(operation, input)),
    send: (operation, data) => record(operation, data, () => client.send(operation, data)),
    sendText: (operation, dataText, ids) => {
      activity.recordIds(ids ?? []);
      return record(operation, undefined, () => client.sendText(operation, dataText, ids));
    },
  };
}

function firstRecordIds({ bulk }: CalledOperation, data: unknown): readonly unknown[] {
  const { field, id } = Object(bulk) as { readonly field?: unknown; readonly id?: unknown };
  const records = isObject(data) && typeof field === 'string' ? data[field] : undefined;
  if (!Array.isArray(records) || typeof id !== 'string') return [];
  return records
    .slice(0, MAX_IDS)
    .map((record: unknown) => (isObject(record) ? record[id] : record));
}
