import { RECORD_KINDS } from '../../catalog/record-kinds.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { diffRecords } from '../differ.ts';
import { groupByOrganization } from '../live/declared-query.ts';
import type { LiveRecord } from '../live-records.ts';
import type { Change, PlannedItem, PlannedWrite, ReadRecord } from '../plan.ts';
import { createRecordKey, type DeclaredRecord } from '../settings.ts';
import {
  createChange,
  createRefusedReading,
  iterate,
  joinParts,
  type NewChange,
  omitFields,
  type PlanPart,
  type PlanSource,
  pickFields,
} from './part.ts';

const ROOT = 'root';
const COMPARED = ['folderName', 'parentFolderId', 'accessType', 'inheritAccessFromParent'];

/** Plans folders: parents before their children, renames and moves among them. */
export function planFolders({ declared, live }: PlanSource): PlanPart {
  const parts = Array.from(
    groupByOrganization(declared.folders ?? []),
    ([org, records]): PlanPart => {
      const reading = live.folders.get(org);
      if (reading?.problem)
        return createRefusedReading({ kind: 'folders', org, id: null }, reading.problem);
      return new FolderPlan(org, records, reading?.records ?? new Map()).build();
    },
  );
  return joinParts(parts);
}

class FolderPlan {
  readonly #org: string;
  readonly #declared: ReadonlyMap<string, DeclaredRecord>;
  readonly #live: ReadonlyMap<string, LiveRecord>;
  readonly #depths = new Map<string, number>();
  readonly #changes: Change[] = [];
  readonly #created = new Set<string>();

  constructor(
    org: string,
    records: readonly DeclaredRecord[],
    live: ReadonlyMap<string, LiveRecord>,
  ) {
    this.#org = org;
    this.#declared = new Map(records.map((record) => [String(record['folderId']), record]));
    this.#live = live;
  }

  build(): PlanPart {
    const writes: PlannedWrite[] = [];
    const levels = Map.groupBy(this.#declared.keys(), (id) => this.#depthOf(id));
    for (const [, ids] of [...levels].sort(([a], [b]) => a - b)) {
      const items = ids.map((id) => this.#plan(id));
      const select = (operation: string) =>
        items.flatMap((planned) => (planned?.operation === operation ? [planned.item] : []));
      const [added, updated] = [select('folders.add'), select('folders.update')];
      const shared = { organizationId: this.#org };
      if (added.length > 0)
        writes.push({
          operation: 'folders.add',
          shared: { ...shared, createOrganization: true },
          items: added,
        });
      if (updated.length > 0) writes.push({ operation: 'folders.update', shared, items: updated });
    }
    const read = iterate(() =>
      this.#declared.keys().map((id): ReadRecord => [this.#keyOf(id), this.#live.get(id)]),
    );
    return { changes: this.#changes, writes, read };
  }

  #keyOf(id: string): string {
    return createRecordKey('folders', this.#org, id);
  }

  #parentOf(id: string): string {
    return String(
      this.#declared.get(id)?.['parentFolderId'] ?? this.#live.get(id)?.['parentFolderId'] ?? ROOT,
    );
  }

  /** Returns the depth of a folder after all changes; infinite if it would contain itself. */
  #depthOf(id: string): number {
    const chain = new Set<string>();
    let at = id;
    for (; at !== ROOT && !this.#depths.has(at) && !chain.has(at); at = this.#parentOf(at))
      chain.add(at);
    let depth = at === ROOT ? -1 : (this.#depths.get(at) ?? Number.POSITIVE_INFINITY);
    for (const folder of [...chain].reverse()) this.#depths.set(folder, ++depth);
    return this.#depths.get(id) ?? depth;
  }

  #plan(
    id: string,
  ):
    | { readonly operation: 'folders.add' | 'folders.update'; readonly item: PlannedItem }
    | undefined {
    const record = this.#declared.get(id) ?? {};
    const live = this.#live.get(id);
    const parent = this.#parentOf(id);
    const problem = this.#findProblem(id, parent);
    const data = live
      ? this.#planUpdate(id, live, record, problem)
      : this.#planCreation(id, record, parent, problem);
    if (!data) return undefined;
    const requires = parent === ROOT ? [] : [this.#keyOf(parent)];
    const item = { key: this.#keyOf(id), data: { folderId: id, ...data }, requires };
    return { operation: live ? 'folders.update' : 'folders.add', item };
  }

  #planCreation(id: string, record: DeclaredRecord, parent: string, reason: string | undefined) {
    const value = reason ? undefined : record;
    const after = omitFields(record, RECORD_KINDS.folders.serviceFields);
    this.#note({ sign: reason ? '!' : '+', id, after, reason, value });
    if (reason) return undefined;
    this.#created.add(id);
    const fields = pickFields(record, fieldsOf(record, ['folderName', 'accessType']));
    return { ...fields, ...(parent !== ROOT && { parentFolderId: parent }) };
  }

  #planUpdate(id: string, live: LiveRecord, record: DeclaredRecord, problem: string | undefined) {
    const changed: Record<string, unknown> = {};
    for (const found of diffRecords(live, pickFields(record, fieldsOf(record, COMPARED)))) {
      const isMove = found.field === 'parentFolderId';
      const isMutable = isMove || found.field === 'folderName';
      const reason = isMutable
        ? isMove
          ? problem
          : undefined
        : 'the access of an existing folder cannot be changed';
      const value = reason ? undefined : record;
      if (!reason) changed[found.field] = found.after;
      this.#note({ sign: reason ? '!' : '~', id, ...found, reason, value });
    }
    return Object.keys(changed).length > 0 ? changed : undefined;
  }

  #findProblem(id: string, parent: string): string | undefined {
    if (this.#depthOf(id) === Number.POSITIVE_INFINITY) return 'the folder would contain itself';
    const exists = parent === ROOT || this.#live.has(parent) || this.#created.has(parent);
    return exists ? undefined : `the parent folder ${quoteId(parent)} does not exist`;
  }

  #note(change: Omit<NewChange, 'kind' | 'org'>): void {
    this.#changes.push(createChange({ ...change, kind: 'folders', org: this.#org }));
  }
}

/** Omits the access type of a folder that inherits it: it depends on the parent folder. */
function fieldsOf(
  { inheritAccessFromParent }: DeclaredRecord,
  names: readonly string[],
): readonly string[] {
  return inheritAccessFromParent === true ? names.filter((name) => name !== 'accessType') : names;
}
