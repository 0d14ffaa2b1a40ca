import { isObject } from '../../kernel/json.ts';
import type { IdKind } from './id-cache.ts';

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

export function kindOfField(field: string): IdKind | undefined {
  return KIND_OF_FIELD.get(field);
}

const KIND_OF_RESOURCE: ReadonlyMap<string, IdKind> = new Map([
  ['documents', 'document'],
  ['agents', 'agent'],
  ['webhook-endpoints', 'endpoint'],
]);

const NESTED_RECORD_FIELDS = ['subFolders', 'folders', 'endpoints', 'agents', 'agent'];
/** Limits on the search, which fit a page of records and the deepest folders. */
const MAX_OBJECTS = 1000;
const MAX_DEPTH = 20;

export class IdCollector {
  readonly ids = new Map<IdKind, Set<string>>();
  readonly #kindOfId: IdKind | undefined;
  #remaining = MAX_OBJECTS;

  constructor(resource: string) {
    this.#kindOfId = KIND_OF_RESOURCE.get(resource);
  }

  get ownIds(): ReadonlyMap<IdKind, ReadonlySet<string>> {
    return new Map([...this.ids].filter(([kind]) => kind === this.#kindOfId));
  }

  collect(value: unknown): void {
    this.#search(value, this.#kindOfId, 0);
  }

  add(kind: IdKind, id: unknown): void {
    if (typeof id !== 'string') return;
    const ids = this.ids.get(kind) ?? new Set();
    this.ids.set(kind, ids.add(id));
  }

  /** @param kindOfId kind of ID in `id` fields; undefined if unknown */
  #search(value: unknown, kindOfId: IdKind | undefined, depth: number): void {
    if (this.#remaining <= 0 || depth > MAX_DEPTH) return;
    if (Array.isArray(value)) for (const item of value) this.#search(item, kindOfId, depth + 1);
    if (!isObject(value)) return;
    this.#remaining -= 1;
    for (const [field, inner] of Object.entries(value)) {
      const kind = field === 'id' ? kindOfId : KIND_OF_FIELD.get(field.replace(/Ids$/, 'Id'));
      if (kind) for (const id of [inner].flat()) this.add(kind, id);
      else
        this.#search(inner, NESTED_RECORD_FIELDS.includes(field) ? kindOfId : undefined, depth + 1);
    }
  }
}
