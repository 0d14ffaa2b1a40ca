import type { JobDescription } from '../../bulk/journal/job-description.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';

/** Finds the operation of a job. @throws SvcError `local` if this version of svc does not have the operation */
export function findJobOperation({ operation }: JobDescription): OperationEntry {
  const entry = manifest.find(({ name }) => name === operation);
  if (!entry) throw new SvcError('local', `this version of svc does not support the operation ${operation}`);
  return entry;
}
