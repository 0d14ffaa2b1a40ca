import type * as z from 'zod/mini';
import { findIdProblem } from '../kernel/id-text.ts';
import type { InputProblem } from './define.ts';
import { definitionOf } from './introspect.ts';

/** Fields that name a target of a write: where it goes, or which record it changes. */
const TARGET_FIELD =
  /^(?:organization|folder|parentFolder|document|newDocument|group|organizationUserGroup|endpoint|editor)Ids?$/;

type Path = readonly string[];
const pathsBySchema = new WeakMap<z.ZodMiniType, readonly Path[]>();

/**
 * Finds IDs of targets that svc does not accept. Checks only fields of the schema: content of users
 * may contain any text.
 */
export function findTargetIdProblems(
  schema: z.ZodMiniType,
  value: unknown,
): readonly InputProblem[] {
  const known = pathsBySchema.get(schema);
  const paths = known ?? findTargetPaths(schema);
  if (!known) pathsBySchema.set(schema, paths);
  if (paths.length === 0) return NO_PROBLEMS;
  return paths.flatMap((path) => findProblems(value, path, []));
}

const NO_PROBLEMS: readonly InputProblem[] = [];

function findTargetPaths(schema: z.ZodMiniType, path: Path = []): readonly Path[] {
  const { innerType, element, options, shape } = definitionOf(schema);
  if (innerType) return findTargetPaths(innerType, path);
  if (element) return findTargetPaths(element, [...path, '*']);
  if (options) return options.flatMap((option) => findTargetPaths(option, path));
  if (!shape) return path.some((field) => TARGET_FIELD.test(field)) ? [path] : [];
  // The ID of an access resource is that of an organization, folder, or document.
  const isResource = 'type' in shape && 'accessRole' in shape;
  return Object.entries(shape).flatMap(([field, inner]) =>
    isResource && field === 'id' ? [[...path, field]] : findTargetPaths(inner, [...path, field]),
  );
}

function findProblems(
  value: unknown,
  [field, ...rest]: Path,
  at: readonly PropertyKey[],
): readonly InputProblem[] {
  if (field === undefined) {
    const message = typeof value === 'string' ? findIdProblem(value) : undefined;
    return message === undefined ? NO_PROBLEMS : [{ path: at, message }];
  }
  if (field === '*')
    return Array.isArray(value)
      ? value.flatMap((item, index) => findProblems(item, rest, [...at, index]))
      : NO_PROBLEMS;
  const inner = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
  return inner === undefined ? NO_PROBLEMS : findProblems(inner, rest, [...at, field]);
}
