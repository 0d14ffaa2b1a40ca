import { isObject } from '../../kernel/is-object.ts';
import type { IdKind } from './id-cache.ts';

/** The fields that hold ids, in requests and in records. */
const KIND_OF_FIELD: ReadonlyMap<string, IdKind> = new Map([
  ['organizationId', 'organization'],
  ['folderId', 'folder'],
  ['documentId', 'document'],
  ['userId', 'user'],
  ['groupId', 'group'],
  ['organizationUserGroupId', 'group'],
  ['agentId', 'agent'],
  ['endpointId', 'endpoint'],
]);

/** What a bare `id` is, by the resource whose records have one. */
const KIND_OF_RESOURCE: ReadonlyMap<string, IdKind> = new Map([
  ['documents', 'document'],
  ['agents', 'agent'],
  ['webhook-endpoints', 'endpoint'],
]);

/** Objects below a record that are records of the same kind. */
const NESTED = ['subFolders', 'folders', 'endpoints', 'agents'];
/** A page is looked at, not an export. */
const MOST_RECORDS = 1000;

/** The ids that requests and answers name, by kind. */
export class FoundIds {
  readonly ids = new Map<IdKind, Set<string>>();
  readonly #kindOfId: IdKind | undefined;
  #left = MOST_RECORDS;

  constructor(resource: string) {
    this.#kindOfId = KIND_OF_RESOURCE.get(resource);
  }

  look(value: unknown): void {
    if (this.#left <= 0) return;
    if (Array.isArray(value)) for (const item of value) this.look(item);
    else if (isObject(value)) this.#lookAtFields(value);
  }

  #lookAtFields(record: Readonly<Record<string, unknown>>): void {
    this.#left -= 1;
    for (const [field, value] of Object.entries(record)) {
      if (NESTED.includes(field)) this.look(value);
      const kind = field === 'id' ? this.#kindOfId : KIND_OF_FIELD.get(field);
      if (kind && typeof value === 'string') this.#add(kind, value);
    }
  }

  #add(kind: IdKind, id: string): void {
    const ids = this.ids.get(kind) ?? new Set();
    this.ids.set(kind, ids.add(id));
  }
}
