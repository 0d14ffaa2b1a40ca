import { valueAt, withValue } from '../../kernel/field-path.ts';
import { NOT_CLEARABLE } from '../build/endpoints.ts';
import { createChange, joinParts, type PlanPart } from '../build/part.ts';
import { buildPlan, summarize } from '../build-plan.ts';
import { diffRecords, isUnset } from '../differ.ts';
import { queryKeys } from '../live/declared-query.ts';
import { findLiveRecord, type LiveRecord, type LiveRecords } from '../live/live-records.ts';
import type { Plan, PlannedItem, PlanTarget } from '../plan.ts';
import { parseRecordKey } from '../record-key.ts';
import type { DeclaredRecord } from '../settings.ts';
import type { BeforeImage } from './before-images.ts';

/**
 * Plans to restore the values that a job replaced. A field that was changed after the job is left as it is, and listed under
 * `notRestored`.
 */
export function planUndo(target: PlanTarget, images: readonly BeforeImage[], live: LiveRecords): Plan {
  const undo = new UndoPlan(live);
  for (const image of images) undo.add(image);
  const { declared, notRestored, editors } = undo;
  const query = queryKeys(images.map(({ key }) => key));
  const plan = buildPlan({ target, declared, live, query, isSent: () => false });
  const { changes, writes, read } = joinParts([plan, ...editors]);
  return { ...plan, changes, writes, read: new Map(read), summary: summarize(changes), notRestored };
}

class UndoPlan {
  readonly #live: LiveRecords;
  readonly declared = {
    folders: [] as DeclaredRecord[],
    endpoints: [] as DeclaredRecord[],
    config: {} as Record<string, DeclaredRecord>,
  };
  readonly editors: PlanPart[] = [];
  readonly notRestored: string[] = [];

  constructor(live: LiveRecords) {
    this.#live = live;
  }

  add(image: BeforeImage): void {
    const { kind, id, org } = parseRecordKey(image.key);
    const name = `${kind === 'crdt' ? 'editor' : kind} ${id}${org === '' ? '' : ` (${org})`}`;
    const live = findLiveRecord(this.#live, image.key);
    for (const field of image.secrets) this.#skip(name, field, 'svc does not store replaced secrets');
    if (image.isDeleted) this.#addDeleted(image, name);
    else if (!live) this.#skip(name, undefined, 'it no longer exists');
    else {
      const restored = this.#restoredFields(image, live, name);
      if (Object.keys(restored).length === 0) return;
      if (image.input) this.#addEditor(image, image.input, live);
      else if (kind === 'folders') this.declared.folders.push({ organizationId: org, folderId: id, ...restored });
      else if (kind === 'endpoints') this.declared.endpoints.push({ id: live['id'], uid: live['uid'], ...restored });
      else this.declared.config[id] = restored;
    }
  }

  #addEditor({ key }: BeforeImage, data: PlannedItem['data'], live: LiveRecord): void {
    const { kind, org, id } = parseRecordKey(key);
    const values = { field: 'data', before: live['data'], after: data['data'] };
    this.editors.push({
      changes: [createChange({ sign: '~', kind, org, id, ...values })],
      writes: [{ operation: 'crdt.update', shared: {}, items: [{ key, data, requires: [] }] }],
      read: [[key, live]],
    });
  }

  /** Plans a new endpoint in place of a deleted one, unless there is one with the same uid. */
  #addDeleted({ fields, secrets }: BeforeImage, name: string): void {
    const record = Object.fromEntries(fields.map(({ path, before }) => [path[0], before]));
    const { uid, id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...settings } = record;
    if (this.#live.endpoints?.records?.some((endpoint) => endpoint['uid'] === uid)) return;
    if (typeof uid !== 'string') this.#skip(name, undefined, 'it has no uid, and its ID cannot be restored');
    else if (!secrets.includes('url')) {
      this.declared.endpoints.push({ uid, ...settings });
      this.notRestored.push(`endpoint ${uid} returns with a new ID and signing secret, and without its metadata`);
    }
  }

  /** Returns the fields that still have the value that the job wrote, with their values before. */
  #restoredFields({ fields }: BeforeImage, live: LiveRecord, name: string): DeclaredRecord {
    let restored: DeclaredRecord = {};
    for (const { path, before, after } of fields) {
      const now = valueAt(live, path);
      const field = path.join('.');
      if (isSame(now, before)) continue;
      if (!isSame(now, after)) this.#skip(name, field, `it was changed later, to ${JSON.stringify(now ?? null)}`);
      else if (isUnset(before) && NOT_CLEARABLE.includes(path[0] ?? '')) this.#skip(name, field, 'the API cannot clear it');
      else restored = withValue(restored, path, before ?? (typeof after === 'boolean' ? false : ''));
    }
    return restored;
  }

  #skip(name: string, field: string | undefined, reason: string): void {
    this.notRestored.push(`${name}${field === undefined ? '' : ` ${field}`}: ${reason}`);
  }
}

function isSame(left: unknown, right: unknown): boolean {
  return diffRecords({ value: left }, { value: right }, { fieldsOf: 'both' }).length === 0;
}
