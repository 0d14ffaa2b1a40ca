import {
  type Contract,
  type FieldTypes,
  type Outcome,
  outcomeKey,
  type PageBehavior,
} from './contract.ts';

/** Maximum number of messages per outcome. Further messages are counted as one. */
const MAX_MESSAGES = 20;
const OTHER_MESSAGES = '(other messages)';

/** Adds the exchanges of two contracts. */
export function mergeContracts(first: Contract, second: Contract): Contract {
  const names = [...new Set([...first.operations.keys(), ...second.operations.keys()])].sort();
  const operations = names.map((name) => {
    const outcomes = new Map<string, Outcome>();
    for (const outcome of [first, second].flatMap((each) => each.operations.get(name) ?? [])) {
      const key = outcomeKey(outcome);
      const known = outcomes.get(key);
      outcomes.set(key, known ? mergeOutcomes(known, outcome) : outcome);
    }
    return [name, [...outcomes.values()].sort(compareOutcomes)] as const;
  });
  return { operations: new Map(operations), otherPaths: first.otherPaths + second.otherPaths };
}

function compareOutcomes(first: Outcome, second: Outcome): number {
  return first.http - second.http || compareText(outcomeKey(first), outcomeKey(second));
}

function compareText(first: string, second: string): number {
  return first < second ? -1 : first > second ? 1 : 0;
}

function mergeOutcomes(first: Outcome, second: Outcome): Outcome {
  const [left, right] = [fieldsOf(first), fieldsOf(second)];
  const always: [string, FieldTypes][] = [];
  const sometimes: [string, FieldTypes][] = [];
  for (const path of [...new Set([...left.keys(), ...right.keys()])].sort()) {
    const types = uniteTypes([left.get(path), right.get(path)]);
    const isAlways = isAlwaysIn(path, first, left) && isAlwaysIn(path, second, right);
    (isAlways ? always : sometimes).push([path, types]);
  }
  const pages = mergePages(first.pages, second.pages);
  const sequences = unite(first.sequences, second.sequences);
  return {
    ...first,
    seen: first.seen + second.seen,
    examined: first.examined + second.examined,
    messages: limitMessages(unite(first.messages, second.messages)),
    headers: unite(first.headers, second.headers),
    always: Object.fromEntries(always),
    sometimes: Object.fromEntries(sometimes),
    values: mergeValues(first.values, second.values),
    ...(pages && { pages }),
    ...(sequences.length > 0 && { sequences }),
  };
}

function fieldsOf({ always, sometimes }: Outcome): ReadonlyMap<string, FieldTypes> {
  return new Map([...Object.entries(always), ...Object.entries(sometimes)]);
}

/** Whether a field was present whenever its parent was, also if its parent was never present. */
function isAlwaysIn(
  path: string,
  { always, examined }: Outcome,
  fields: ReadonlyMap<string, FieldTypes>,
): boolean {
  if (fields.has(path)) return Object.hasOwn(always, path);
  // The items of an empty list are not missing.
  if (path.endsWith('[]') || path.endsWith('*')) return true;
  const parent = parentOf(path);
  if (parent === '') return examined === 0;
  return !typesOf(fields.get(parent)).includes('object');
}

/** Returns the path of the object or list that contains a field; `''` for the envelope's content. */
export function parentOf(path: string): string {
  if (path.endsWith('[]')) return path.slice(0, -2);
  return path.slice(0, Math.max(0, path.lastIndexOf('.')));
}

export function typesOf(types: FieldTypes | undefined): readonly string[] {
  return types === undefined ? [] : types.split(' | ');
}

export function uniteTypes(all: Iterable<FieldTypes | undefined>): FieldTypes {
  return [...new Set([...all].flatMap(typesOf))].sort().join(' | ');
}

function unite(first: readonly string[] = [], second: readonly string[] = []): readonly string[] {
  return [...new Set([...first, ...second])].sort();
}

export function limitMessages(messages: readonly string[]): readonly string[] {
  const known = messages.filter((message) => message !== OTHER_MESSAGES);
  return known.length <= MAX_MESSAGES && known.length === messages.length
    ? known
    : [...known.slice(0, MAX_MESSAGES), OTHER_MESSAGES].sort();
}

function mergeValues(first: Outcome['values'], second: Outcome['values']): Outcome['values'] {
  const paths = [...new Set([...Object.keys(first), ...Object.keys(second)])].sort();
  return Object.fromEntries(paths.map((path) => [path, unite(first[path], second[path])]));
}

function mergePages(
  first: PageBehavior | undefined,
  second: PageBehavior | undefined,
): PageBehavior | undefined {
  if (!first || !second) return first ?? second;
  return {
    lastCursor: unite(first.lastCursor, second.lastCursor),
    nextCursor: unite(first.nextCursor, second.nextCursor),
    largestPage: Math.max(first.largestPage, second.largestPage),
  };
}
