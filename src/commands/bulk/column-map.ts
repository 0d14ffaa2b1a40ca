import { SvcError } from '../../kernel/errors.ts';
import type { OptionDefinition } from '../definition.ts';

/** Columns or fields of files with the fields that they stand for; an empty one for what to leave out. Plain data, for a job to keep. */
export type ColumnPairs = readonly (readonly [column: string, field: string])[];

export const MAP_FLAG: OptionDefinition = {
  flags: '--map <column=field>',
  describes: 'a column or field that is named otherwise; with nothing behind = it is left out',
  many: true,
};

/** What `--map` says. @throws SvcError `usage` for what is no pair, or a column twice */
export function columnPairs(given: string | boolean | readonly string[] | undefined): ColumnPairs | undefined {
  if (!Array.isArray(given)) return undefined;
  const pairs = given.map((text: string) => pairOf(text));
  for (const [at, [column]] of pairs.entries()) {
    if (pairs.findIndex(([other]) => other === column) === at) continue;
    throw new SvcError('usage', `--map: the column '${column}' is given twice`);
  }
  return pairs;
}

/** A column may hold an equals sign, a field never does. */
function pairOf(text: string): readonly [column: string, field: string] {
  const equals = text.lastIndexOf('=');
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  throw new SvcError('usage', `--map: '${text}' is no column=field`, { hint: `for example --map 'Full name=name'` });
}
