import type { RecordList } from '../../bulk/batches.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/is-object.ts';

/** Groups the problems in an error's `details.issues` by the record's index in paths such as `users.3.email`. */
export function issuesByRecord(error: SvcError, batch: RecordList, { field }: BulkFields): ReadonlyMap<number, string> {
  const problems = new Map<number, string>();
  if (field === undefined) return problems;
  for (const issue of issuesOf(error)) {
    const path = isObject(issue) && Array.isArray(issue['path']) ? issue['path'] : [];
    const index = Number(path[path.indexOf(field) + 1] ?? Number.NaN);
    if (!path.includes(field) || !Number.isInteger(index) || index < 0 || index >= batch.length) continue;
    const message = isObject(issue) && typeof issue['message'] === 'string' ? issue['message'] : error.message;
    const fieldPath = path.slice(path.indexOf(field) + 2).join('.');
    const text = fieldPath ? `${fieldPath}: ${message}` : message;
    problems.set(index, problems.has(index) ? `${problems.get(index)}; ${text}` : text);
  }
  return problems;
}

function issuesOf(error: SvcError): readonly unknown[] {
  const details = error instanceof ServiceError ? error.details : undefined;
  const issues = isObject(details) ? details['issues'] : details;
  return Array.isArray(issues) ? issues : [];
}
