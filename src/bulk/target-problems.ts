import { flagName, type InputNaming } from '../catalog/flags.ts';
import { quoteId } from '../kernel/id-text.ts';
import { groupDigits, pluralize } from '../kernel/plural.ts';
import { quoteForShell } from '../kernel/quote-for-shell.ts';
import type { FileDiagnostic } from './diagnostic.ts';
import type { RecordProblem } from './record-problem.ts';

/** Problems of a field that are listed one by one; more of them are one mistake. */
const MAX_LISTED = 3;
const MAX_COUNTED = 1_000;
const MAX_SHOWN = 3;

export interface TargetProblem extends RecordProblem {
  readonly field: string;
  readonly value: unknown;
  /** The target beside the list in the file, or that of the command, if the record contradicts it. */
  readonly contradicts?: 'command' | { readonly id: string };
}

interface ProblemGroup {
  readonly first: FileDiagnostic[];
  readonly byValue: Map<string, number>;
  readonly sample: TargetProblem;
  total: number;
}

interface InputDescription {
  /** Number of records in the input. */
  readonly records: number;
  readonly isTable: boolean;
  readonly naming: InputNaming;
  /** Returns the name of a field in the input. */
  columnOf(field: string): string;
}

/** Collects the problems of fields that choose where records go, which are usually one mistake. */
export class TargetProblems {
  readonly #groups = new Map<string, ProblemGroup>();

  add(problem: TargetProblem, place: Omit<FileDiagnostic, 'message'>): void {
    const { field, value, message, contradicts } = problem;
    const cause = contradicts ?? (value === undefined ? 'missing' : 'invalid');
    const key = JSON.stringify([field, cause, typeof cause === 'object' && place.file]);
    const known: ProblemGroup = this.#groups.get(key) ?? {
      first: [],
      byValue: new Map(),
      sample: problem,
      total: 0,
    };
    this.#groups.set(key, known);
    known.total += 1;
    if (known.first.length < MAX_LISTED) known.first.push({ ...place, field, message });
    if (value === undefined) return;
    const text = typeof value === 'string' ? quoteId(value) : JSON.stringify(value);
    const count = known.byValue.get(text);
    if (count !== undefined || known.byValue.size < MAX_COUNTED)
      known.byValue.set(text, (count ?? 0) + 1);
  }

  /** Describes the problems: one by one, or all of a group in one finding. */
  *describe(
    input: InputDescription,
  ): Generator<{ readonly finding: FileDiagnostic; readonly hint: string | undefined }> {
    for (const { first, byValue, sample, total } of this.#groups.values()) {
      const hint = describeHint(sample, input);
      const [start, ...others] = first;
      if (start === undefined) continue;
      if (total <= MAX_LISTED) {
        for (const finding of [start, ...others]) yield { finding, hint };
        continue;
      }
      const { field: _, column: __, record: ___, ...place } = start;
      const share = `${groupDigits(total)} of ${groupDigits(input.records)} records`;
      yield { finding: { ...place, message: describeAll(share, byValue, sample, input) }, hint };
    }
  }
}

function describeAll(
  share: string,
  byValue: ReadonlyMap<string, number>,
  { field, message, contradicts }: TargetProblem,
  { isTable, naming }: InputDescription,
): string {
  if (contradicts === undefined) {
    const counts = byValue.size > 1 ? ` (${formatCounts(byValue)})` : '';
    return `${share}: ${field}: ${message}${counts}`;
  }
  const others = `${share} name other ${pluralize(nounOf(field))} (${formatCounts(byValue)})`;
  return contradicts === 'command'
    ? `${others}; omit ${nameFor(field, naming)}, or drop the ${isTable ? 'column' : 'field'}`
    : `${others}, but the file sets ${field} to ${quoteId(contradicts.id)} for all records`;
}

function describeHint(
  { field, contradicts }: TargetProblem,
  { naming, columnOf }: InputDescription,
): string | undefined {
  if (contradicts === undefined) return undefined;
  const isTool = naming === 'fields';
  const map = `--map ${quoteForShell(`${columnOf(field)}=`)}`;
  if (contradicts === 'command') {
    const drop = isTool ? 'remove it from the records' : `add ${map}`;
    return `to send records to several targets, omit ${nameFor(field, naming)}; to ignore the field, ${drop}`;
  }
  const { id } = contradicts;
  return isTool
    ? `remove ${field} from the records, or from beside them`
    : `to send all records to ${quoteId(id)}, add ${map} --${flagName(field)} ${quoteForShell(id)}; otherwise remove the field from beside the records`;
}

function nameFor(field: string, naming: InputNaming): string {
  return naming === 'fields' ? field : `--${flagName(field)}`;
}

function nounOf(field: string): string {
  return field === 'organizationUserGroupId' ? 'group' : field.replace(/Id$/, '');
}

function formatCounts(byValue: ReadonlyMap<string, number>): string {
  const sorted = [...byValue].sort(([, a], [, b]) => b - a);
  const shown = sorted
    .slice(0, MAX_SHOWN)
    .map(([value, count]) => `${value} ${groupDigits(count)}`);
  return [...shown, ...(sorted.length > MAX_SHOWN ? ['…'] : [])].join(', ');
}
