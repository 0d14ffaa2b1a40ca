import { mapInner } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { fieldOf, type Problems, type ScalarTree, type Tree, textOf, withFields } from './tree.ts';

const REFERENCE = /\$(\$)\{|\$\{(?:([^}]*)(\}))?/g;
export type Variables = ReadonlyMap<string, string>;

/** Reads the variables of a file, or of one of its environments. Variables cannot use variables. */
export function readVariables(tree: Tree | undefined, problems: Problems): Variables {
  const fields = tree?.kind === 'map' ? [...tree.fields] : [];
  return new Map(
    fields.flatMap(([name, { tree: value }]) => {
      if (value.kind !== 'scalar' || value.value === null) return [];
      return [[name, substitute(value, undefined, problems)] as const];
    }),
  );
}

/**
 * Replaces the references to variables in all strings of a tree, except in `vars` and
 * `environments` at its top.
 */
export function withVariables(tree: Tree, variables: Variables, problems: Problems): Tree {
  if (tree.kind !== 'map') return replaceIn(tree, variables, problems);
  const kept = new Set(['vars', 'environments'].map((name) => fieldOf(tree, name)?.tree));
  return withFields(tree, (inner) =>
    kept.has(inner) ? inner : replaceIn(inner, variables, problems),
  );
}

function replaceIn(tree: Tree, variables: Variables, problems: Problems): Tree {
  switch (tree.kind) {
    case 'map':
      return withFields(tree, (inner) => replaceIn(inner, variables, problems));
    case 'list':
      return { ...tree, items: tree.items.map((item) => replaceIn(item, variables, problems)) };
    case 'scalar':
      if (typeof tree.value !== 'string' || !tree.value.includes('${')) return tree;
      return { ...tree, value: substitute(tree, variables, problems), template: tree.value };
  }
}

/** @param variables `undefined` if references are not allowed */
function substitute(
  scalar: ScalarTree,
  variables: Variables | undefined,
  problems: Problems,
): string {
  let count = 0;
  return String(scalar.value).replace(
    REFERENCE,
    (reference, escaped?: string, name = '', end?: string) => {
      const at = count;
      count += 1;
      if (escaped) return '${';
      const value = variables?.get(name);
      if (end && value !== undefined) return value;
      problems.add(scalar.place, describeReference(name, end, variables), {
        within: offsetOf(scalar, at),
      });
      return reference;
    },
  );
}

function describeReference(
  name: string,
  end: string | undefined,
  variables: Variables | undefined,
): string {
  if (!end) return 'unclosed ${; a literal ${ is written as $${';
  if (!variables) return 'a variable cannot use variables; a literal ${ is written as $${';
  const unknown = `unknown variable '${name}'`;
  return variables.size === 0
    ? `${unknown}; vars declares no variables`
    : `${unknown}; ${didYouMean(name, [...variables.keys()])}`;
}

/** Finds the offset of a reference in the source of a scalar; 0 if escapes of YAML hide it. */
function offsetOf({ place, value }: ScalarTree, index: number): number {
  const found = [...textOf(place).matchAll(REFERENCE)];
  const isVisible = found.length === [...String(value).matchAll(REFERENCE)].length;
  return (isVisible && found[index]?.index) || 0;
}

function escapeVariables(text: string): string {
  return text.replaceAll('${', () => '$${');
}

/**
 * Returns a template with the same variables for another text; undefined if their values do not
 * occur in it.
 */
export function rewriteTemplate(
  template: string,
  text: string,
  variables: Readonly<Record<string, unknown>>,
): string | undefined {
  let rest = text;
  let written = '';
  for (const [, escaped, variable = ''] of template.matchAll(REFERENCE)) {
    if (escaped) continue;
    const value = Object.hasOwn(variables, variable) ? String(variables[variable]) : '';
    const at = value === '' ? -1 : rest.indexOf(value);
    if (at === -1) return undefined;
    written += `${escapeVariables(rest.slice(0, at))}\${${variable}}`;
    rest = rest.slice(at + value.length);
  }
  return written + escapeVariables(rest);
}

export function escapeTexts(value: unknown): unknown {
  return typeof value === 'string' ? escapeVariables(value) : mapInner(value, escapeTexts);
}
