import type { CalledOperation, Client } from '../client/client.ts';
import { isObject } from '../kernel/is-object.ts';

/** How many ids are kept, and how many of their characters. */
const MOST_IDS = 20;
const LONGEST_ID = 100;

/** Fields that name what a call is about. */
const ID_FIELD = /^(?:id|uid|apiKey|\w+Ids?)$/;

/** How many records of a job came to what. */
export interface Counts {
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly unknown: number;
  readonly skipped: number;
}

/** What a run asks the service to write, as its line in the history tells it: how many calls, and about what. */
export class Activity {
  /** Calls that are no reads. */
  calls = 0;
  /** What became of the records of a job. */
  counts: Counts | undefined;
  /** Where the calls went, if not to where the settings say. */
  elsewhere: { readonly profile: string | null; readonly host: string } | undefined;
  readonly #ids = new Set<string>();

  /** The first few ids that the calls named, in order. */
  get ids(): readonly string[] {
    return [...this.#ids];
  }

  /** Notes the ids in the fields of a call's data or of its reply. */
  noteFields(data: unknown): void {
    if (!isObject(data) || this.#isFull) return;
    for (const [name, value] of Object.entries(data)) {
      if (ID_FIELD.test(name))
        for (const id of Array.isArray(value) ? value.slice(0, MOST_IDS) : [value]) this.#note(id);
    }
  }

  /** Notes the ids of records. */
  noteIds(ids: readonly unknown[]): void {
    for (const id of ids.slice(0, MOST_IDS)) this.#note(id);
  }

  get #isFull(): boolean {
    return this.#ids.size >= MOST_IDS;
  }

  #note(id: unknown): void {
    if (typeof id === 'string' && id !== '' && !this.#isFull) this.#ids.add(id.slice(0, LONGEST_ID));
  }
}

/** A client whose writes are noted before they are sent: what fails, or is stopped, has been tried. */
export function watched(client: Client, activity: Activity): Client {
  const noted = async <Reply extends Awaited<ReturnType<Client['send']>>>(
    operation: CalledOperation,
    data: unknown,
    call: () => Promise<Reply>,
  ): Promise<Reply> => {
    if (operation.effect === 'read') return call();
    activity.calls += 1;
    activity.noteFields(data);
    const records = recordsOf(operation, data);
    activity.noteIds(records);
    const reply = await call();
    // A reply about many records says nothing new of them, and is costly to look at.
    if (reply.sent && !operation.bulk) activity.noteFields(reply.data);
    return reply;
  };
  return {
    ...client,
    call: (operation, input) => noted(operation, input, () => client.call(operation, input)),
    send: (operation, data) => noted(operation, data, () => client.send(operation, data)),
    sendText: (operation, dataText, ids) => {
      activity.noteIds(ids ?? []);
      return noted(operation, undefined, () => client.sendText(operation, dataText, ids));
    },
  };
}

/** The ids of the first records of a batch. */
function recordsOf({ bulk }: CalledOperation, data: unknown): readonly unknown[] {
  const { field, id } = Object(bulk) as { readonly field?: unknown; readonly id?: unknown };
  const records = isObject(data) && typeof field === 'string' ? data[field] : undefined;
  if (!Array.isArray(records) || typeof id !== 'string') return [];
  return records.slice(0, MOST_IDS).map((record: unknown) => (isObject(record) ? record[id] : record));
}
