import { flagName, type InputNaming } from '../catalog/flags.ts';
import { groupDigits, pluralize } from '../kernel/plural.ts';
import { quoteForShell } from '../kernel/quote-for-shell.ts';
import type { FileDiagnostic } from './diagnostic.ts';
import type { TargetConflict } from './record-targets.ts';

/** Conflicts of a field that are listed one by one; more of them are one mistake. */
const MAX_LISTED = 3;
const MAX_COUNTED = 1_000;
const MAX_SHOWN = 3;

interface FieldConflicts {
  readonly first: FileDiagnostic[];
  readonly byValue: Map<string, number>;
  total: number;
}

/** Collects the records that name other targets than the command, which is usually one mistake. */
export class TargetConflicts {
  readonly #byField = new Map<string, FieldConflicts>();

  add({ field, value, message }: TargetConflict, place: Omit<FileDiagnostic, 'message'>): void {
    const known: FieldConflicts = this.#byField.get(field) ?? {
      first: [],
      byValue: new Map(),
      total: 0,
    };
    this.#byField.set(field, known);
    known.total += 1;
    if (known.first.length < MAX_LISTED) known.first.push({ ...place, field, message });
    const text = String(value);
    const count = known.byValue.get(text);
    if (count !== undefined || known.byValue.size < MAX_COUNTED)
      known.byValue.set(text, (count ?? 0) + 1);
  }

  /**
   * Describes the conflicts: one by one, or all of a field in one finding.
   * @param records number of records in the input
   * @param columnOf returns the name of a field in the input
   */
  *describe(
    records: number,
    isTable: boolean,
    columnOf: (field: string) => string,
    naming: InputNaming,
  ): Generator<{ readonly finding: FileDiagnostic; readonly hint: string }> {
    for (const [field, { first, byValue, total }] of this.#byField) {
      const drop =
        naming === 'fields'
          ? 'remove it from the records'
          : `add --map ${quoteForShell(`${columnOf(field)}=`)}`;
      const shared = naming === 'fields' ? field : `--${flagName(field)}`;
      const hint = `to send records to several targets, omit ${shared}; to ignore the field, ${drop}`;
      const [start, ...others] = first;
      if (start === undefined) continue;
      if (total <= MAX_LISTED) {
        for (const finding of [start, ...others]) yield { finding, hint };
        continue;
      }
      const { field: _, column: __, record: ___, ...place } = start;
      const kinds = pluralize(nounOf(field));
      const message = `${groupDigits(total)} of ${groupDigits(records)} records name other ${kinds} (${formatCounts(byValue)}); omit ${shared}, or drop the ${isTable ? 'column' : 'field'}`;
      yield { finding: { ...place, message }, hint };
    }
  }
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
