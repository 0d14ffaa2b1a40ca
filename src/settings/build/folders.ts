import { diffRecords } from '../differ.ts';
import { groupByOrganization } from '../live/declared-query.ts';
import type { LiveRecord } from '../live/live-records.ts';
import type { Change, PlannedItem, PlannedWrite } from '../plan.ts';
import { createRecordKey } from '../record-key.ts';
import type { DeclaredRecord } from '../settings.ts';
import { createRefusedReading, type PlanPart, type PlanSource, pickFields, toShown } from './part.ts';

const ROOT = 'root';
/** Fields of an existing folder that `folders.update` accepts. */
const MUTABLE = ['folderName', 'parentFolderId'];
const COMPARED = [...MUTABLE, 'accessType', 'inheritAccessFromParent'];

/** Plans folders: parents before their children, renames and moves among them. */
export function planFolders({ declared, live }: PlanSource): PlanPart {
  const parts = Array.from(groupByOrganization(declared.folders ?? []), ([org, records]): PlanPart => {
    const reading = live.folders.get(org);
    if (reading?.problem) return createRefusedReading('folders', org, reading.problem);
    return new FolderPlan(org, records, reading?.records ?? new Map()).build();
  });
  return {
    changes: parts.flatMap(({ changes }) => changes),
    writes: parts.flatMap(({ writes }) => writes),
    read: parts.flatMap(({ read }) => [...read]),
  };
}

/** The folders of one organization. */
class FolderPlan {
  readonly #org: string;
  readonly #declared: ReadonlyMap<string, DeclaredRecord>;
  readonly #live: ReadonlyMap<string, LiveRecord>;
  readonly #depths = new Map<string, number>();
  readonly #changes: Change[] = [];
  readonly #created = new Set<string>();

  constructor(org: string, records: readonly DeclaredRecord[], live: ReadonlyMap<string, LiveRecord>) {
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
        writes.push({ operation: 'folders.add', shared: { ...shared, createOrganization: true }, items: added });
      if (updated.length > 0) writes.push({ operation: 'folders.update', shared, items: updated });
    }
    const read = Array.from(this.#declared.keys(), (id) => [this.#keyOf(id), this.#live.get(id)] as const);
    return { changes: this.#changes, writes, read };
  }

  #keyOf(id: string): string {
    return createRecordKey('folders', this.#org, id);
  }

  /** Returns the parent of a folder after all changes. */
  #parentOf(id: string): string {
    return String(this.#declared.get(id)?.['parentFolderId'] ?? this.#live.get(id)?.['parentFolderId'] ?? ROOT);
  }

  /** Returns the depth of a folder after all changes; infinite if it would contain itself. */
  #depthOf(id: string): number {
    const chain: string[] = [];
    const seen = new Set<string>();
    let at = id;
    while (at !== ROOT && !this.#depths.has(at) && !seen.has(at)) {
      chain.push(at);
      seen.add(at);
      at = this.#parentOf(at);
    }
    let depth = at === ROOT ? -1 : (this.#depths.get(at) ?? Number.POSITIVE_INFINITY);
    for (const folder of chain.reverse()) {
      depth += 1;
      this.#depths.set(folder, depth);
    }
    return this.#depths.get(id) ?? Number.POSITIVE_INFINITY;
  }

  #plan(id: string): { readonly operation: 'folders.add' | 'folders.update'; readonly item: PlannedItem } | undefined {
    const record = this.#declared.get(id) ?? {};
    const live = this.#live.get(id);
    const parent = this.#parentOf(id);
    const problem = this.#findProblem(id, parent);
    const item = (data: PlannedItem['data']): PlannedItem => ({
      ...{ key: this.#keyOf(id), data: { folderId: id, ...data } },
      requires: parent === ROOT ? [] : [this.#keyOf(parent)],
    });
    if (live) return this.#planUpdate(id, live, record, problem, item);
    this.#note(problem ? '!' : '+', id, null, null, toShown(record), problem);
    if (problem) return undefined;
    this.#created.add(id);
    const isInherited = record['inheritAccessFromParent'] === true;
    const data = pickFields(record, ['folderName', ...(isInherited ? [] : ['accessType'])]);
    return { operation: 'folders.add', item: item({ ...data, ...(parent !== ROOT && { parentFolderId: parent }) }) };
  }

  #planUpdate(
    id: string,
    live: LiveRecord,
    record: DeclaredRecord,
    problem: string | undefined,
    item: (data: PlannedItem['data']) => PlannedItem,
  ) {
    const compared =
      record['inheritAccessFromParent'] === true ? COMPARED.filter((name) => name !== 'accessType') : COMPARED;
    const differences = diffRecords(live, pickFields(record, compared), { onlyDeclared: true });
    const changed: Record<string, unknown> = {};
    for (const { path, before, after } of differences) {
      const field = path.join('.');
      const isMove = field === 'parentFolderId';
      const reason = MUTABLE.includes(field) ? isMove && problem : 'the access of an existing folder cannot be changed';
      if (!reason) changed[field] = after;
      this.#note(reason ? '!' : '~', id, field, before, after, reason || undefined);
    }
    return Object.keys(changed).length > 0 ? { operation: 'folders.update' as const, item: item(changed) } : undefined;
  }

  #findProblem(id: string, parent: string): string | undefined {
    if (this.#depthOf(id) === Number.POSITIVE_INFINITY) return 'the folder would contain itself';
    const exists = parent === ROOT || this.#live.has(parent) || this.#created.has(parent);
    return exists ? undefined : `the parent folder ${parent} does not exist`;
  }

  #note(
    sign: Change['sign'],
    id: string,
    field: string | null,
    before: unknown,
    after: unknown,
    reason?: string,
  ): void {
    this.#changes.push({ sign, kind: 'folders', org: this.#org, id, field, before, after, ...(reason && { reason }) });
  }
}
