import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { StartedCheck } from '../../bulk/record-check.ts';
import { formatFromName } from '../../bulk/source/detect-format.ts';
import { decodeSmallFile } from '../../bulk/source/input-text.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import { SvcError, systemErrorCode } from '../../kernel/errors.ts';
import { createNamedFileError, resolveOutputPath } from '../../kernel/named-file.ts';
import { once } from '../../kernel/once.ts';
import { writeOutputFile } from '../../kernel/output-file.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { readRegularFile } from '../../kernel/read-file.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
import { canAsk } from '../terminal/terminal.ts';
import type { InputOptions } from './input-files.ts';
import { type ColumnMap, type MapFileOptions, mapFlags, parseMappings } from './input-flags.ts';

export interface ResolvedColumnMap {
  readonly map: ColumnMap | undefined;
  /** The choices of the user about sheet and header. */
  readonly chosen: Pick<InputOptions, 'sheet' | 'headerRow'>;
  /** Flags that answer the questions in advance. */
  readonly answers: readonly string[];
  /** Writes new mappings to the file. Call after the header of the input was checked. */
  save(): Promise<void>;
}

/**
 * Joins the mappings of `--map-file`, of `--map`, which takes precedence, and of prompts: on a
 * terminal, asks for the field of each unknown column.
 * @throws SvcError `usage` for an invalid or missing file, `local` if it cannot be read
 */
export async function resolveColumnMap(
  context: Context,
  fields: BulkFields & { readonly given?: readonly string[] },
  options: InputOptions,
  { mapFile, saveMap }: MapFileOptions,
): Promise<ResolvedColumnMap> {
  if (saveMap && mapFile === undefined)
    throw new SvcError('usage', '--save-map needs a file', { hint: 'add --map-file <path>' });
  if (mapFile !== undefined && options.file === undefined)
    throw new SvcError('usage', '--map-file needs an input file', { hint: 'add --file <path>' });
  const path = mapFile === undefined ? undefined : resolveOutputPath(mapFile, context.cwd);
  const text = path === undefined ? undefined : await readMapFile(path, mapFile);
  const saved = new Map(parseMappings(nonBlankLines(text ?? ''), mapFile ?? ''));
  const known = new Map([...saved, ...(options.map ?? [])]);
  const asks = await canAskAbout(context, options);
  const chosen = asks ? await askForTable(context, fields, { ...options, map: [...known] }) : {};
  const answers = asks ? await askForFields(context, fields, { ...options, ...chosen }, known) : [];
  const map = new Map([...known, ...answers]);
  if (path !== undefined && text === undefined && map.size === 0)
    throw new SvcError('usage', `--map-file: ${mapFile} does not exist`, {
      hint: 'to create it, add mappings with --map',
    });
  return {
    chosen,
    answers: [
      ...(chosen.sheet === undefined ? [] : ['--sheet', chosen.sheet]),
      ...(chosen.headerRow === undefined ? [] : ['--header-row', String(chosen.headerRow)]),
      ...mapFlags(answers),
    ],
    map: map.size === 0 ? options.map : [...map],
    save: once(async () => {
      const added = [...map].filter(([column, field]) => saved.get(column) !== field);
      if (path === undefined || added.length === 0) return;
      const mappings = formatNounCount(added.length, 'mapping');
      if (text !== undefined && !saveMap)
        return context.note(`${mappings} not saved to ${mapFile}; to save, add --save-map`);
      const lines = Array.from(map, ([column, field]) => `${column}=${field}\n`);
      await writeOutputFile(path, lines.join(''), { mode: 0o600 });
      await context.note(`Saved ${mappings} to ${mapFile}`);
    }),
  };
}

/** Reports a check, and then saves new mappings, unless the check could not read the files. */
export async function saveAfterCheck(
  { check }: StartedCheck,
  save: (() => Promise<void>) | undefined,
  report: () => Promise<void>,
): Promise<void> {
  let error: unknown;
  await report().catch((thrown: unknown) => {
    error = thrown;
  });
  const isChecked =
    error === undefined || (error instanceof SvcError && error.failure === 'invalid_input');
  if (isChecked && !check.isIncomplete) await save?.();
  if (error !== undefined) throw error;
}

/** Returns `undefined` if the file does not exist. */
async function readMapFile(path: string, name = path): Promise<string | undefined> {
  const bytes = await readRegularFile(path).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw createNamedFileError(name, error);
  });
  return bytes && decodeSmallFile(bytes, name);
}

function nonBlankLines(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
}

/** Only regular files can be read before the check. */
export async function canAskAbout({ cwd, ...context }: Context, { file = [] }: InputOptions) {
  if (file.length === 0 || !canAsk({ cwd, ...context })) return false;
  const isRegular = file.map(async (path) => {
    const stats = await stat(resolve(cwd, path)).catch(() => undefined);
    return path !== '-' && stats?.isFile() === true;
  });
  return (await Promise.all(isRegular)).every(Boolean);
}

/** Asks for the sheet and the row of the header, unless they are given or certain. */
async function askForTable(
  context: Context,
  fields: BulkFields,
  options: InputOptions,
): Promise<Pick<InputOptions, 'sheet' | 'headerRow'>> {
  const { askForHeaderRow, askForSheet } = await import('./ask-for-table.ts');
  const isWorkbook = options.file?.some((path) => formatFromName(path) === 'xlsx') === true;
  const sheet =
    isWorkbook && options.sheet === undefined
      ? await askForSheet(context, fields, options)
      : undefined;
  const chosen = optionalProperty('sheet', sheet);
  if (options.headerRow !== undefined) return chosen;
  const headerRow = await askForHeaderRow(context, fields, { ...options, ...chosen });
  return { ...chosen, ...optionalProperty('headerRow', headerRow) };
}

async function askForFields(
  context: Context,
  fields: BulkFields & { readonly given?: readonly string[] },
  options: InputOptions,
  known: ReadonlyMap<string, string>,
): Promise<ColumnMap> {
  const { askForColumns } = await import('./ask-for-columns.ts');
  return askForColumns(context, fields, options, known);
}
