import type * as z from 'zod/mini';
import type { Operation } from '../catalog/define.ts';
import { definitionOf } from '../catalog/introspect.ts';

/**
 * The declared form of a value. Only names that it declares, and further fields of a declared
 * object, are names that the service chose. Keys of maps are IDs, and the content of anything else
 * belongs to users.
 */
export type ResponseGuide =
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, ResponseGuide> }
  | { readonly kind: 'map'; readonly of: ResponseGuide }
  | { readonly kind: 'list'; readonly of: ResponseGuide }
  | { readonly kind: 'leaf' };

const LEAF: ResponseGuide = { kind: 'leaf' };

function createObjectGuide(fields: Readonly<Record<string, ResponseGuide>>): ResponseGuide {
  return { kind: 'object', fields: new Map(Object.entries(fields)) };
}

/** Guide of the content of `result`. */
export function createResultGuide({ output }: Pick<Operation, 'output'>): ResponseGuide {
  return createObjectGuide({
    status: LEAF,
    message: LEAF,
    data: createGuide(output, new Map()),
    pageToken: LEAF,
    nextPageToken: LEAF,
  });
}

const ITEM = createObjectGuide({ success: LEAF, message: LEAF, code: LEAF, id: LEAF });

const ERROR_FIELDS = { status: LEAF, message: LEAF, code: LEAF };
const ISSUES = createObjectGuide({
  issues: { kind: 'list', of: createObjectGuide({ code: LEAF, path: LEAF, message: LEAF }) },
});

/** Guide of the content of `error`. Its details are issues, or the results of items. */
export function createErrorGuide(details: unknown): ResponseGuide {
  const guide: ResponseGuide = Array.isArray(details)
    ? { kind: 'list', of: ITEM }
    : Object.hasOwn(Object(details), 'issues')
      ? ISSUES
      : { kind: 'map', of: ITEM };
  return createObjectGuide({ ...ERROR_FIELDS, details: guide });
}

/** @param known guides of schemas that contain themselves, such as folders with subfolders */
function createGuide(
  schema: z.ZodMiniType,
  known: Map<z.ZodMiniType, ResponseGuide>,
): ResponseGuide {
  const found = known.get(schema);
  if (found) return found;
  const { innerType, element, valueType, shape, getter } = definitionOf(schema);
  const inner = innerType ?? getter?.();
  if (inner) return createGuide(inner, known);
  if (element) return { kind: 'list', of: createGuide(element, known) };
  if (valueType) return { kind: 'map', of: createGuide(valueType, known) };
  // An object without declared fields is content of users.
  if (!shape || Object.keys(shape).length === 0) return LEAF;
  const fields = new Map<string, ResponseGuide>();
  const guide: ResponseGuide = { kind: 'object', fields };
  known.set(schema, guide);
  for (const [name, field] of Object.entries(shape)) fields.set(name, createGuide(field, known));
  return guide;
}

/** Names of the fields in the input and the output of an operation, which messages may contain. */
export function fieldNamesOf({
  input,
  output,
}: Pick<Operation, 'input' | 'output'>): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<z.ZodMiniType>();
  const collect = (schema: z.ZodMiniType): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    const { innerType, element, valueType, shape = {}, getter } = definitionOf(schema);
    for (const inner of [innerType, getter?.(), element, valueType]) if (inner) collect(inner);
    for (const [name, field] of Object.entries(shape)) {
      names.add(name);
      collect(field);
    }
  };
  collect(input);
  collect(output);
  return names;
}
