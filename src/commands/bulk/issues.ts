import type { Block } from '../../bulk/batches.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/is-object.ts';

/** What is wrong with which record of a request, by its place there, as far as `details.issues` says: `users.3.email`. */
export function namedRecords(error: SvcError, batch: Block, { field }: BulkFields): ReadonlyMap<number, string> {
  const named = new Map<number, string>();
  if (field === undefined) return named;
  for (const issue of issuesOf(error)) {
    const path = isObject(issue) && Array.isArray(issue['path']) ? issue['path'] : [];
    const place = Number(path[path.indexOf(field) + 1] ?? Number.NaN);
    if (!path.includes(field) || !Number.isInteger(place) || place < 0 || place >= batch.length) continue;
    const said = isObject(issue) && typeof issue['message'] === 'string' ? issue['message'] : error.message;
    const inside = path.slice(path.indexOf(field) + 2).join('.');
    const text = inside ? `${inside}: ${said}` : said;
    named.set(place, named.has(place) ? `${named.get(place)}; ${text}` : text);
  }
  return named;
}

function issuesOf(error: SvcError): readonly unknown[] {
  const details = error instanceof ServiceError ? error.details : undefined;
  const issues = isObject(details) ? details['issues'] : details;
  return Array.isArray(issues) ? issues : [];
}
