import type * as z from 'zod/mini';
import { explainIssue, suggestValue } from '../../catalog/explain-issue.ts';
import { definitionOf, unwrap } from '../../catalog/introspect.ts';
import { findMeaning } from '../../catalog/selecting-fields.ts';
import {
  LITERAL_SECRET,
  pickSettings,
  type SettingsFields,
  settingsFields,
} from '../../catalog/settings.ts';
import { findTargetIdProblems } from '../../catalog/target-ids.ts';
import { formatFieldPath, valueAt } from '../../kernel/field-path.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { findDuplicates } from './identity.ts';
import {
  fieldOf,
  type MapTree,
  type Problems,
  placeAt,
  type Tree,
  toValue,
  treeAt,
  withFields,
} from './tree.ts';

type Issue = z.core.$ZodIssue;

/**
 * Gives fields that consist of one variable the type of the variable, where the schema expects a
 * number or a switch. Text fields stay text.
 */
export function withTypedVariables(tree: MapTree): MapTree {
  if (!hasTypedVariable(tree)) return tree;
  const { error } = pickSettings(tree.fields.keys()).safeParse(toValue(tree));
  let typed: Tree = tree;
  for (const { code, path, ...issue } of error?.issues.flatMap(chooseAlternative) ?? []) {
    const scalar = treeAt(tree, path);
    if (code !== 'invalid_type' || scalar?.kind !== 'scalar' || scalar.typed === undefined)
      continue;
    const isExpected = /^(?:number|int|boolean)$/.test(String(Reflect.get(issue, 'expected')));
    if (isExpected) typed = withValueAt(typed, path, scalar.typed);
  }
  return typed as MapTree;
}

function hasTypedVariable(tree: Tree): boolean {
  if (tree.kind === 'scalar') return tree.typed !== undefined;
  const inner =
    tree.kind === 'list' ? tree.items : [...tree.fields.values()].map((field) => field.tree);
  return inner.some(hasTypedVariable);
}

function withValueAt(
  tree: Tree,
  [key, ...rest]: readonly PropertyKey[],
  value: number | boolean,
): Tree {
  if (tree.kind === 'scalar') return { ...tree, value };
  if (tree.kind === 'map')
    return withFields(tree, (inner, name) =>
      name === key ? withValueAt(inner, rest, value) : inner,
    );
  const items = tree.items.map((item, at) => (at === key ? withValueAt(item, rest, value) : item));
  return { ...tree, items };
}

export function checkSettings(tree: MapTree, problems: Problems): SettingsFields | undefined {
  const value = toValue(tree);
  const schema = pickSettings(tree.fields.keys());
  const { data, error } = schema.safeParse(value);
  for (const issue of error?.issues.flatMap(chooseAlternative) ?? [])
    reportIssue(tree, value, issue, problems);
  findLiteralSecrets(tree, problems, []);
  for (const overlay of [tree, ...overlaysOf(tree)]) findDuplicates(overlay, problems);
  findAnonymousEndpoints(tree, problems);
  if (data) reportCycles(data, tree, problems);
  if (data) reportTargets(schema, data, tree, problems);
  return data;
}

function overlaysOf(tree: MapTree): readonly MapTree[] {
  const environments = fieldOf(tree, 'environments')?.tree;
  if (environments?.kind !== 'map') return [];
  return [...environments.fields.values()].flatMap(({ tree: overlay }) =>
    overlay.kind === 'map' ? [overlay] : [],
  );
}

/**
 * Replaces the issue of a union with those of the only alternative that has the type of the value.
 */
function chooseAlternative(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union' || issue.message === LITERAL_SECRET) return [issue];
  const fitting = issue.errors.filter(
    (inner) =>
      !inner.some(({ path, code }) => path.length === 0 && /^invalid_(type|value)$/.test(code)),
  );
  if (fitting.length !== 1) return [issue];
  return (fitting[0] ?? []).flatMap((inner) =>
    chooseAlternative({ ...inner, path: [...issue.path, ...inner.path] }),
  );
}

function reportIssue(tree: MapTree, root: unknown, issue: Issue, problems: Problems): void {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known = knownFieldsAt(path);
    for (const key of issue.keys)
      reportField({ tree, path, name: key }, `unknown field; ${didYouMean(key, known)}`, problems);
    return;
  }
  const place = placeAt(tree, path);
  if (issue.code === 'invalid_key') {
    const key = fieldOf(treeAt(tree, path.slice(0, -1)), String(path.at(-1)))?.key ?? place;
    problems.add(key, issue.issues[0]?.message ?? issue.message, { path: formatFieldPath(path) });
    return;
  }
  const value = valueAt(root, path);
  // A text with an unknown variable is not the value to check.
  const isIncomplete = typeof value === 'string' && value.includes('${') && problems.has(place);
  if (!isIncomplete) problems.add(place, explain(issue, value), { path: formatFieldPath(path) });
}

function explain(issue: Issue, value: unknown): string {
  if (issue.message === LITERAL_SECRET) return LITERAL_SECRET;
  const meant = suggestValue(issue, value);
  return `${explainIssue(issue, value)}${meant ? `; did you mean '${meant}'?` : ''}`;
}

function knownFieldsAt(path: readonly PropertyKey[]): readonly string[] {
  const [first, ...rest] = path;
  if (first === undefined) return Object.keys(settingsFields);
  let schema: z.ZodMiniType | undefined = settingsFields[first as keyof typeof settingsFields];
  for (const key of rest) schema = schema && innerSchema(schema, key);
  const { shape, options = [] } = schema ? definitionOf(unwrap(schema).schema) : {};
  return [shape, ...options.map((option) => definitionOf(option).shape)].flatMap((fields) =>
    Object.keys(fields ?? {}),
  );
}

function innerSchema(outer: z.ZodMiniType, key: PropertyKey): z.ZodMiniType | undefined {
  const { shape, element, valueType, options } = definitionOf(unwrap(outer).schema);
  const option = options
    ?.map((inner) => innerSchema(inner, key))
    .find((inner) => inner !== undefined);
  return shape ? shape[String(key)] : (element ?? valueType ?? option);
}

const SECRET_FIELDS: ReadonlySet<string> = new Set(['authToken', 'apiKey']);

/** Reports secrets everywhere, also in records whose fields the schema does not define. */
function findLiteralSecrets(tree: Tree, problems: Problems, path: readonly PropertyKey[]): void {
  if (tree.kind === 'list')
    for (const [index, item] of tree.items.entries())
      findLiteralSecrets(item, problems, [...path, index]);
  if (tree.kind === 'map')
    for (const [name, field] of tree.fields)
      findLiteralSecrets(field.tree, problems, [...path, name]);
  if (tree.kind !== 'scalar' || tree.value === null || path.at(-2) === 'vars') return;
  if (SECRET_FIELDS.has(String(path.at(-1))))
    problems.add(tree.place, LITERAL_SECRET, { path: formatFieldPath(path) });
}

function findAnonymousEndpoints(tree: MapTree, problems: Problems): void {
  const endpoints = fieldOf(tree, 'endpoints')?.tree;
  for (const [index, endpoint] of (endpoints?.kind === 'list' ? endpoints.items : []).entries()) {
    if (endpoint.kind !== 'map' || endpoint.fields.has('uid') || endpoint.fields.has('id'))
      continue;
    problems.add(endpoint.place, 'needs a uid, or the id of an existing endpoint', {
      path: `endpoints[${index}]`,
    });
  }
}

function reportCycles({ folders = [] }: SettingsFields, tree: MapTree, problems: Problems): void {
  for (const index of findCycles(folders)) {
    const path = ['folders', index, 'parentFolderId'];
    const message = `the folder '${folders[index]?.folderId}' would contain itself`;
    problems.add(placeAt(tree, path), message, { path: formatFieldPath(path) });
  }
}

/** Reports IDs and fields with which a record could go to another target than the user meant. */
function reportTargets(
  schema: z.ZodMiniType,
  fields: SettingsFields,
  tree: MapTree,
  problems: Problems,
): void {
  const { activities: _a, agentGroups: _g, crdt: _c, userData: _u, ...settings } = fields;
  for (const { path, message } of findTargetIdProblems(schema, settings))
    problems.add(placeAt(tree, path), message, { path: formatFieldPath(path) });
  for (const [kind, records] of Object.entries(settings))
    if (Array.isArray(records)) reportSelectingFields(kind, records, tree, problems);
}

/** Reports own fields of records that look like those that select a target or a role. */
function reportSelectingFields(
  kind: string,
  records: readonly object[],
  tree: MapTree,
  problems: Problems,
): void {
  const known = knownFieldsAt([kind, 0]);
  for (const [at, record] of records.entries())
    for (const [name, value] of Object.entries(record)) {
      const means = known.includes(name) ? undefined : findMeaning(name, value);
      if (means === undefined) continue;
      const problem = name === means ? 'is not a field of these records' : `looks like '${means}'`;
      const message = `${problem}; ${findRemedy(known, means)}remove it`;
      reportField({ tree, path: [kind, at], name }, message, problems);
    }
}

/** Reports a problem of a field at its name. */
function reportField(
  { tree, path, name }: { tree: MapTree; path: readonly PropertyKey[]; name: string },
  message: string,
  problems: Problems,
): void {
  const place = fieldOf(treeAt(tree, path), name)?.key ?? placeAt(tree, path);
  problems.add(place, message, { path: formatFieldPath([...path, name]) });
}

/** Describes what to do with a field, if the records have another place for its value. */
function findRemedy(known: readonly string[], means: string): string {
  if (known.includes(means)) return `rename it to '${means}', or `;
  return known.includes('memberships') ? 'declare a membership, or ' : '';
}

function findCycles(folders: NonNullable<SettingsFields['folders']>): readonly number[] {
  const keyOf = (organization: string, folder: string | undefined) =>
    JSON.stringify([organization, folder]);
  const indexes = new Map(
    folders.map((folder, index) => [keyOf(folder.organizationId, folder.folderId), index]),
  );
  const parentOf = (index: number) => {
    const folder = folders[index];
    return folder && indexes.get(keyOf(folder.organizationId, folder.parentFolderId));
  };
  const checked = new Set<number | undefined>([undefined]);
  const found: number[] = [];
  for (const start of folders.keys()) {
    const chain = new Set<number>();
    let at: number | undefined = start;
    for (; at !== undefined && !checked.has(at) && !chain.has(at); at = parentOf(at)) chain.add(at);
    for (const index of chain) checked.add(index);
    if (at !== undefined && chain.has(at)) found.push(at);
  }
  return found;
}
