import {
  findUnknownColumns,
  formatMapFlags,
  guessFields,
} from '../../bulk/source/column-guesses.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { type InputOptions, openInputFiles } from './input-files.ts';
import type { ColumnMap } from './input-flags.ts';

const [KEEP, DROP] = ['(keep the name)', '(drop the column)'];

/**
 * Asks for the field of each unknown column of the input files, with the best guess selected.
 * @param known mappings that were given, whose columns are not asked about
 */
export async function askForColumns(
  context: Context,
  fields: BulkFields,
  options: InputOptions,
  known: ReadonlyMap<string, string>,
): Promise<ColumnMap> {
  const header = (await readColumns(context, fields, options)).map(
    (name) => known.get(name) ?? name,
  );
  const columns = header.filter((name) => name !== '');
  const unknown = findUnknownColumns(columns, fields).filter(
    (name) => ![...known.values()].includes(name),
  );
  // The other columns are not sent.
  if (fields.bareIds && columns.includes(fields.id)) return [];
  const guesses = guessFields(columns, fields);
  const answers: (readonly [string, string])[] = [];
  for (const column of unknown) {
    const taken = new Set([...columns, ...answers.map(([, field]) => field)]);
    const free = fieldNames(fields).filter((name) => !taken.has(name));
    const guess = guesses.get(column);
    const chosen = await (await context.prompter()).pick({
      message: `Field for column '${column}'`,
      choices: [...free, KEEP, DROP].map((value) => ({ value })),
      defaultValue: guess !== undefined && free.includes(guess) ? guess : KEEP,
    });
    answers.push([column, chosen === KEEP ? column : chosen === DROP ? '' : chosen]);
  }
  const changed = answers.filter(([column, field]) => column !== field);
  if (changed.length > 0)
    await context.note(`to skip these questions, add ${formatMapFlags(changed)}`);
  return answers;
}

function fieldNames({ id, knownFields, targetFields }: BulkFields): readonly string[] {
  return [...new Set([id, ...knownFields, ...targetFields.map(({ name }) => name)])];
}

/** Reads the columns of the files that have a header. Ignores files that cannot be read. */
async function readColumns(
  context: Context,
  fields: BulkFields,
  { map: _, ...options }: InputOptions,
): Promise<readonly string[]> {
  const columns = new Set<string>();
  try {
    // With generated IDs, a header without an ID is valid.
    const input = await openInputFiles(context, { ...fields, generatesIds: true }, options, '');
    for (const file of input.files) {
      if (file.format !== 'csv' && file.format !== 'xlsx') continue;
      const source = await file.open();
      for await (const _records of source.recordChunks) break;
      for (const column of source.columns?.() ?? []) columns.add(column);
    }
  } catch (error) {
    // The check reports the error.
    if (!(error instanceof SvcError)) throw error;
  }
  return [...columns];
}
