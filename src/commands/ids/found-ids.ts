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

/** Objects below an answer or a record that are records of the same kind. */
const NESTED = ['subFolders', 'folders', 'endpoints', 'agents', 'agent'];
/** A page is looked at, not an export; records nest no deeper than folders do. */
const MOST_OBJECTS = 1000;
const DEEPEST = 20;

/** The ids that requests and answers name, by kind. */
export class FoundIds {
  readonly ids = new Map<IdKind, Set<string>>();
  readonly #kindOfId: IdKind | undefined;
  #left = MOST_OBJECTS;

  constructor(resource: string) {
    this.#kindOfId = KIND_OF_RESOURCE.get(resource);
  }

  /** Those that a bare `id` stands for: of the resource itself. */
  get ownIds(): ReadonlyMap<IdKind, ReadonlySet<string>> {
    return new Map([...this.ids].filter(([kind]) => kind === this.#kindOfId));
  }

  look(value: unknown): void {
    this.#look(value, this.#kindOfId, 0);
  }

  /** @param kindOfId what a bare `id` in it is: nothing known where it is part of a record */
  #look(value: unknown, kindOfId: IdKind | undefined, depth: number): void {
    if (this.#left <= 0 || depth > DEEPEST) return;
    if (Array.isArray(value)) for (const item of value) this.#look(item, kindOfId, depth + 1);
    else if (isObject(value)) this.#lookAtFields(value, kindOfId, depth);
  }

  #lookAtFields(record: Readonly<Record<string, unknown>>, kindOfId: IdKind | undefined, depth: number): void {
    this.#left -= 1;
    for (const [field, value] of Object.entries(record)) {
      const kind = field === 'id' ? kindOfId : KIND_OF_FIELD.get(field.replace(/Ids$/, 'Id'));
      if (kind) for (const id of [value].flat()) this.#add(kind, id);
      else this.#look(value, NESTED.includes(field) ? kindOfId : undefined, depth + 1);
    }
  }

  #add(kind: IdKind, id: unknown): void {
    if (typeof id !== 'string') return;
    const ids = this.ids.get(kind) ?? new Set();
    this.ids.set(kind, ids.add(id));
  }
}
