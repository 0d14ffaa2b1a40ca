import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type * as z from 'zod/mini';
import { describeFieldProblem } from '../../bulk/record-problem.ts';
import { parseDocument, readDocumentText } from '../../bulk/source/document.ts';
import { stateSchema } from '../../catalog/state.ts';
import { formatFieldPath, valueAt } from '../../kernel/field-path.ts';
import { isObject } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Context } from '../context.ts';
import { createStateError, type ImportedState } from './imported-state.ts';

/**
 * Reads a state or a settings file, and checks each record on its own. Warns about unknown fields
 * in the records of a state, and skips them.
 * @throws SvcError `invalid_input` with every invalid field
 */
export async function readState(
  context: Context,
  file: string,
  environment: string | undefined,
): Promise<ImportedState> {
  const { io, cwd, signal } = context;
  const readSettings = async (text?: string) => {
    const { readSettingsState } = await import('./read-settings-state.ts');
    return readSettingsState(context, { file, environment, ...(text !== undefined && { text }) });
  };
  if (environment !== undefined || (await isFolder(file, cwd))) return readSettings();
  const document = await readDocumentText({ file, cwd, stdin: io.stdin, signal });
  if (SETTINGS_FIELD.test(document.text)) return readSettings(document.text);
  const value = await parseDocument(document, signal);
  const isSettings = isObject(value) && SETTINGS_FIELDS.some((name) => Object.hasOwn(value, name));
  return isSettings ? readSettings(document.text) : checkRecords(context, document.name, value);
}

const SETTINGS_FIELDS = ['svc', 'stack', 'vars', 'environments'];
/**
 * Matches a field that only settings files have, at the start of a line or of text in flow style.
 */
const SETTINGS_FIELD = new RegExp(
  `(?:^|(?<![^])\\s*\\{\\s*)(["']?)(?:${SETTINGS_FIELDS.join('|')})\\1[ \\t]*:`,
  'm',
);

async function isFolder(file: string, cwd: string): Promise<boolean> {
  return (
    file !== '-' &&
    ((await stat(resolve(cwd, file)).catch(() => undefined))?.isDirectory() ?? false)
  );
}

async function checkRecords(
  context: Context,
  name: string,
  value: unknown,
): Promise<ImportedState> {
  const positionOf = (path: readonly PropertyKey[]) =>
    path.length === 0 ? name : `${name}: ${formatFieldPath(path)}`;
  const { data, error } = stateSchema.safeParse(value);
  const found = { name, positionOf: async (path: readonly PropertyKey[]) => positionOf(path) };
  if (data) return { ...found, state: data };
  const problems = error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys')
      return [describeFieldProblem(issue, value, positionOf(issue.path))];
    if (issue.path.length > 0) return [];
    const known = Object.keys(stateSchema.shape);
    return issue.keys.map((key) => `${name}: ${key}: unknown field; ${didYouMean(key, known)}`);
  });
  if (problems.length > 0) throw await createStateError(context, name, problems);
  for (const { path, keys } of error.issues.filter(isUnknownFieldsIssue)) {
    await context.warn(`${positionOf(path)}: skipped unknown fields: ${keys.join(', ')}`);
    for (const key of keys) Reflect.deleteProperty(Object(valueAt(value, path)), key);
  }
  return { ...found, state: stateSchema.parse(value) };
}

/**
 * Whether an issue is about unknown fields in a record, which cause a warning. Unknown fields at
 * the top level are errors.
 */
function isUnknownFieldsIssue(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueUnrecognizedKeys {
  return issue.code === 'unrecognized_keys' && issue.path.length > 0;
}
