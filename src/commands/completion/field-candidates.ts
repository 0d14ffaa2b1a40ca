import type { LoadedLeaf } from '../tree/leaf.ts';
import type { Candidate } from './candidate.ts';
import type { TypedLine } from './typed-line.ts';

/** Lists the candidates for the last name in `--fields a,b`: JSON names, or headers after a capital letter. */
export function fieldCandidates({ leaf, partial }: TypedLine): readonly Candidate[] {
  const [names, columns] = leaf ? resultOf(leaf) : [[], []];
  const start = partial.lastIndexOf(',') + 1;
  const before = partial.slice(0, start);
  const given = before.toLowerCase().split(',');
  const headerOf = new Map(columns.map(({ field, header }) => [field, header]));
  const isHeader = /^[A-Z]/.test(partial.slice(start));
  const candidates = isHeader
    ? columns.map(({ header, field }) => ({ value: header, description: field }))
    : names.map((name) => ({ value: name, description: headerOf.get(name) ?? '' }));
  return candidates
    .filter(({ value }) => !given.includes(value.toLowerCase()))
    .map(({ value, ...rest }) => ({ value: before + value, ...rest }));
}

/** Returns the field names and columns of a command's result. */
function resultOf(leaf: LoadedLeaf) {
  if (leaf.kind === 'operation') return [leaf.versions[0].fields, leaf.versions[0].columns ?? []] as const;
  const { columns = [] } = leaf.definition;
  return [columns.map(({ field }) => field), columns] as const;
}
