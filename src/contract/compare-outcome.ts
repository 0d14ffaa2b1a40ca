import { diffRecords } from '../settings/differ.ts';
import type { Outcome } from './contract.ts';
import { parentOf, typesOf, uniteTypes } from './merge.ts';

/** A difference in the parts of an outcome that is not a finding. */
export interface OtherDifference {
  readonly path: string;
  readonly text: string;
}

/** Differences in the fields of a recorded outcome. `notCompared` are paths of parents. */
interface FieldComparison {
  readonly findings: readonly {
    readonly kind: 'field' | 'type';
    readonly path: string;
    readonly recorded: string;
    readonly embedded: string | null;
  }[];
  readonly listed: readonly OtherDifference[];
  readonly notCompared: readonly string[];
}

/** Compares the fields of a recorded outcome with those of the same outcome of the embedded service. */
export function compareFields(outcome: Outcome, embedded: readonly Outcome[]): FieldComparison {
  const recorded = { ...outcome.always, ...outcome.sometimes };
  const known = uniteFields(embedded);
  const findings: FieldComparison['findings'][number][] = [];
  const listed: OtherDifference[] = [];
  const notCompared = new Set<string>();
  const differences = diffRecords(known, recorded, { fieldsOf: 'both' });
  const missing = new Set<string>();
  for (const { path: parts } of differences.toSorted((a, b) => (a.field < b.field ? -1 : 1))) {
    const path = parts.join('.');
    const [types, knownTypes] = [typesOf(recorded[path]), typesOf(known[path])];
    const parent = parentOf(path);
    if (types.length === 0) {
      const isParentSeen = parent === '' || typesOf(recorded[parent]).length > 0;
      const wasEmpty = path.endsWith('[]') || path.endsWith('*');
      if (isParentSeen && !wasEmpty && isAlways(path, embedded))
        listed.push({ path, text: 'only in the embedded service' });
    } else if (knownTypes.length === 0) {
      if (missing.has(parent)) missing.add(path);
      else if (isContent(path) && typesOf(known[parent]).length > 0 && !isOpened(known, parent))
        notCompared.add(parent);
      else {
        missing.add(path);
        findings.push({
          kind: 'field',
          path,
          recorded: uniteTypes(types),
          embedded: null,
        });
      }
    } else if (types.some((type) => !knownTypes.includes(type))) {
      findings.push({
        kind: 'type',
        path,
        recorded: uniteTypes(types),
        embedded: uniteTypes(knownTypes),
      });
    }
  }
  for (const path of Object.keys(outcome.sometimes))
    if (isAlways(path, embedded))
      listed.push({ path, text: 'always present only in the embedded service' });
  return { findings, listed, notCompared: [...notCompared] };
}

function isContent(path: string): boolean {
  return path.endsWith('[]') || path.endsWith('*');
}

function isOpened(fields: Readonly<Record<string, string>>, parent: string): boolean {
  return Object.keys(fields).some((path) => parentOf(path) === parent);
}

function uniteFields(outcomes: readonly Outcome[]): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const { always, sometimes } of outcomes)
    for (const [path, types] of Object.entries({ ...always, ...sometimes }))
      fields[path] = uniteTypes([fields[path], types]);
  return fields;
}

function isAlways(path: string, outcomes: readonly Outcome[]): boolean {
  return outcomes.every(({ always }) => Object.hasOwn(always, path));
}

/** Compares parts of an outcome that are never findings. */
export function compareOthers(
  outcome: Outcome,
  embedded: readonly Outcome[],
): readonly OtherDifference[] {
  const differences: OtherDifference[] = [];
  const add = (path: string, what: string, values: readonly string[], known: readonly string[]) => {
    for (const value of values.filter((each) => !known.includes(each)))
      differences.push({ path, text: `${what} only in the recording: ${value}` });
  };
  add(
    'message',
    'a message',
    outcome.messages,
    embedded.flatMap(({ messages }) => messages),
  );
  add(
    'headers',
    'a header',
    outcome.headers,
    embedded.flatMap(({ headers }) => headers),
  );
  for (const [path, values] of Object.entries(outcome.values))
    add(
      path,
      'a value',
      values,
      embedded.flatMap((each) => each.values[path] ?? []),
    );
  const pages = embedded.flatMap((each) => each.pages ?? []);
  if (outcome.pages) {
    const cursors = (side: 'lastCursor' | 'nextCursor') => pages.flatMap((each) => each[side]);
    add('cursor', 'a last cursor', outcome.pages.lastCursor, cursors('lastCursor'));
    add('cursor', 'a next cursor', outcome.pages.nextCursor, cursors('nextCursor'));
  }
  return differences;
}
