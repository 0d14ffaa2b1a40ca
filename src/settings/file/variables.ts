import { mapInner } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { fieldOf, type Problems, type ScalarTree, type Tree, textOf, withFields } from './tree.ts';

export type Variables = ReadonlyMap<string, Variable>;

interface Variable {
  readonly text: string;
  /** The value of a number or a switch, for a field that consists only of the variable. */
  readonly typed?: number | boolean;
}

/** Reads the variables of a file, or of one of its environments. Variables cannot use variables. */
export function readVariables(tree: Tree | undefined, problems: Problems): Variables {
  const fields = tree?.kind === 'map' ? [...tree.fields] : [];
  return new Map(
    fields.flatMap(([name, { tree: value }]) => {
      if (value.kind !== 'scalar' || value.value === null) return [];
      const text = substitute(value, undefined, problems);
      const typed = typeof value.value === 'string' ? {} : { typed: value.value };
      return [[name, { text, ...typed }] as const];
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
      return {
        ...tree,
        value: substitute(tree, variables, problems),
        template: tree.value,
        ...typedValueOf(tree.value, variables),
      };
  }
}

/** Returns the value of the variable that a text consists of, if it is a number or a switch. */
function typedValueOf(text: string, variables: Variables): Pick<ScalarTree, 'typed'> {
  const [reference, ...others] = findReferences(text);
  const isWhole = reference?.start === 0 && reference.end === text.length && reference.isClosed;
  const typed =
    isWhole && others.length === 0 ? variables.get(reference.name ?? '')?.typed : undefined;
  return typed === undefined ? {} : { typed };
}

interface Reference {
  readonly start: number;
  readonly end: number;
  /** Absent for an escaped `${`, which is written as `$${`. */
  readonly name?: string;
  readonly isClosed: boolean;
}

/**
 * Finds the references to variables in a text, in time linear to its length. An unclosed
 * reference is the last one.
 */
function findReferences(text: string): readonly Reference[] {
  const found: Reference[] = [];
  for (let at = text.indexOf('${'); at !== -1; ) {
    const isEscaped = text[at - 1] === '$' && at > (found.at(-1)?.end ?? 0);
    const close = isEscaped ? at + 1 : text.indexOf('}', at);
    if (isEscaped) found.push({ start: at - 1, end: at + 2, isClosed: true });
    else if (close === -1)
      return [...found, { start: at, end: text.length, name: '', isClosed: false }];
    else found.push({ start: at, end: close + 1, name: text.slice(at + 2, close), isClosed: true });
    at = text.indexOf('${', close + 1);
  }
  return found;
}

/** @param variables `undefined` if references are not allowed */
function substitute(
  scalar: ScalarTree,
  variables: Variables | undefined,
  problems: Problems,
): string {
  const text = String(scalar.value);
  const references = findReferences(text);
  const offsets = findOffsets(scalar, references.length);
  const reported = new Set<string | undefined>();
  let written = '';
  let end = 0;
  for (const [index, reference] of references.entries()) {
    const { name } = reference;
    const value = name === undefined ? '${' : variables?.get(name)?.text;
    written += text.slice(end, reference.start);
    end = reference.end;
    if (value !== undefined && reference.isClosed) written += value;
    else {
      written += text.slice(reference.start, end);
      if (reported.has(name)) continue;
      reported.add(name);
      const message = describeReference(reference, variables);
      problems.add(scalar.place, message, { within: offsets[index] ?? 0 });
    }
  }
  return written + text.slice(end);
}

function describeReference(
  { name = '', isClosed }: Reference,
  variables: Variables | undefined,
): string {
  if (!isClosed) return 'unclosed ${; a literal ${ is written as $${';
  if (!variables) return 'a variable cannot use variables; a literal ${ is written as $${';
  const unknown = `unknown variable '${name}'`;
  return variables.size === 0
    ? `${unknown}; vars declares no variables`
    : `${unknown}; ${didYouMean(name, [...variables.keys()])}`;
}

/** Returns the offsets of references in the source of a scalar; none if escapes of YAML hide them. */
function findOffsets({ place }: ScalarTree, count: number): readonly number[] {
  const found = findReferences(textOf(place));
  return found.length === count ? found.map(({ start }) => start) : [];
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
  for (const { name: variable } of findReferences(template)) {
    if (variable === undefined) continue;
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
