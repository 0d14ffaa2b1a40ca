import { fieldOf, type MapTree, type ScalarTree, type Tree, toValue } from './tree.ts';
import { escapeVariables, REFERENCE } from './variables.ts';

/** A text of a template: literal, or the value of a variable. */
interface Part {
  readonly variable?: string;
  readonly value: string;
}

/** The variables of a resolved settings file, and the texts that use them. */
export class VariableUses {
  readonly #variables: MapTree | undefined;
  /** Number of texts that use each variable. */
  readonly #uses = new Map<string, number>();

  constructor(tree: MapTree) {
    const variables = fieldOf(tree, 'vars')?.tree;
    this.#variables = variables?.kind === 'map' ? variables : undefined;
    for (const [name, field] of tree.fields) if (name !== 'vars' && name !== 'environments') this.#count(field.tree);
  }

  /** Returns a template with the same variables for another text; undefined if their values do not occur in it. */
  rewrite(template: string, text: string): string | undefined {
    let rest = text;
    let written = '';
    for (const { variable, value } of this.#split(template)) {
      if (variable === undefined) continue;
      const at = value === '' ? -1 : rest.indexOf(value);
      if (at === -1) return undefined;
      written += `${escapeVariables(rest.slice(0, at))}\${${variable}}`;
      rest = rest.slice(at + value.length);
    }
    return written + escapeVariables(rest);
  }

  /** Finds the value of the only variable of a template that yields another text. */
  solve(template: string, text: string): { readonly variable: string; readonly variableValue: string } | undefined {
    const parts = this.#split(template);
    const [first, ...others] = parts.filter(({ variable }) => variable !== undefined);
    if (first?.variable === undefined || others.length > 0) return undefined;
    const literal = (list: readonly Part[]) => list.map(({ value }) => value).join('');
    const [before, after] = [
      literal(parts.slice(0, parts.indexOf(first))),
      literal(parts.slice(parts.indexOf(first) + 1)),
    ];
    if (!text.startsWith(before) || !text.endsWith(after) || text.length < before.length + after.length)
      return undefined;
    return { variable: first.variable, variableValue: text.slice(before.length, text.length - after.length) };
  }

  countOf(variable: string): number {
    return this.#uses.get(variable) ?? 0;
  }

  #count(tree: Tree): void {
    if (tree.kind === 'map') for (const { tree: inner } of tree.fields.values()) this.#count(inner);
    else if (tree.kind === 'list') for (const item of tree.items) this.#count(item);
    else for (const name of variablesOf(tree)) this.#uses.set(name, this.countOf(name) + 1);
  }

  #split(template: string): readonly Part[] {
    const parts: Part[] = [];
    let end = 0;
    for (const match of template.matchAll(REFERENCE)) {
      parts.push({ value: template.slice(end, match.index) });
      end = match.index + match[0].length;
      const [, escaped, variable = ''] = match;
      const tree = fieldOf(this.#variables, variable)?.tree;
      parts.push(escaped ? { value: '${' } : { variable, value: tree ? String(toValue(tree)) : '' });
    }
    return [...parts, { value: template.slice(end) }];
  }
}

function variablesOf({ template = '' }: ScalarTree): ReadonlySet<string> {
  return new Set([...template.matchAll(REFERENCE)].flatMap(([, escaped, name]) => (escaped ? [] : (name ?? []))));
}
