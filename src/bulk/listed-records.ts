import type { BulkFields } from '../catalog/bulk-fields.ts';
import { isObject } from '../kernel/json.ts';
import type { RecordProblem } from './record-problem.ts';
import { PlainScalar } from './source/plain-scalar.ts';

/**
 * Converts the records of a list command to records to send.
 * @param omitted receives the names of omitted fields
 */
export function createListedConverter(
  { listed, id }: Pick<BulkFields, 'listed' | 'id'>,
  omitted: Set<string>,
): (value: unknown, problems: RecordProblem[]) => unknown {
  if (!listed) return (value) => value;
  const { id: listedId = id, readOnly, inherited, nested } = listed;
  const droppedFields = new Set(nested === undefined ? readOnly : [...readOnly, nested]);
  return (value, problems) => {
    if (!isObject(value) || value instanceof PlainScalar || !Object.hasOwn(value, listedId))
      return value;
    if (listedId !== id && Object.hasOwn(value, id)) return value;
    const names = Object.keys(value);
    if (listedId === id && !names.some((name) => droppedFields.has(name))) return value;
    const children = nested === undefined ? undefined : value[nested];
    if (nested !== undefined && Array.isArray(children) && children.length > 0)
      problems.push({
        field: nested,
        message: 'nested records are not sent; pass each one as a separate record',
      });
    for (const name of names) if (droppedFields.has(name)) omitted.add(name);
    const unset = inherited && isTrue(value[inherited.flag]) ? inherited.field : undefined;
    const kept = names.filter((name) => !droppedFields.has(name) && name !== unset);
    return Object.fromEntries(kept.map((name) => [name === listedId ? id : name, value[name]]));
  };
}

function isTrue(value: unknown): boolean {
  return value instanceof PlainScalar ? value.value === true : value === true || value === 'true';
}
