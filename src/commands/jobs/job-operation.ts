import type { JobDescription } from '../../bulk/journal/job-description.ts';
import { type BulkFields, bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { APPLY, CHANGE } from '../plan/apply-operation.ts';

export interface JobRecords {
  readonly noun: string;
  /** The operation of a bulk job. A job that applies a plan has several. */
  readonly bulk?: BulkOperation;
}

export interface BulkOperation {
  readonly entry: OperationEntry;
  readonly fields: BulkFields;
}

/** @throws SvcError `local` if this version of svc does not have the operation */
export async function findJobRecords(description: JobDescription): Promise<JobRecords> {
  if (description.operation === APPLY) return { noun: CHANGE };
  const entry = findJobOperation(description);
  const fields = bulkFieldsOf(await loadOperation(entry.resource, entry.name));
  return { noun: fields.noun, bulk: { entry, fields } };
}

/** Finds the operation of a bulk job. @throws SvcError `local` if this version of svc does not have the operation */
export function findJobOperation({ operation }: JobDescription): OperationEntry {
  const entry = manifest.find(({ name }) => name === operation);
  if (!entry) throw new SvcError('local', `this version of svc does not support the operation ${operation}`);
  return entry;
}
