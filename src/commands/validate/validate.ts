import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommonTarget } from '../../bulk/common-target.ts';
import { streamDiagnostics } from '../../bulk/record-check.ts';
import type { RecordRules } from '../../bulk/record-checker.ts';
import type { InputFormat } from '../../bulk/source/source.ts';
import { type BulkFields, bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import { manifest } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { type ColumnMap, parseColumnMap } from '../bulk/column-map.ts';
import { openInputFiles } from '../bulk/gather-input.ts';
import { showCheckProgress } from '../bulk/show-progress.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty } from '../option-values.ts';
import type { ValidateFlags } from './flags.ts';
import { reportFindings } from './report.ts';

/** The kind of records, such as those of `users add`. */
interface RecordKind {
  readonly noun: string;
  readonly verb: string;
}

interface ValidateOptions {
  readonly file: readonly string[];
  readonly inputFormat?: InputFormat;
  readonly verb: string;
  readonly version?: string;
  readonly duplicates: RecordRules['duplicates'];
  readonly map?: ColumnMap;
  readonly org?: string;
  readonly form: 'text' | 'github';
}

/**
 * Checks the records of files, offline.
 * @throws SvcError `bad_data` if there are findings, after all of them are printed; `usage` without a file
 */
export async function validateFiles(
  context: Context,
  kind: RecordKind,
  invocation: Invocation<ValidateFlags>,
): Promise<void> {
  const options = validateOptions(kind, invocation);
  const fields = await loadFields(kind.noun, options);
  const folder = await mkdtemp(join(tmpdir(), 'svc-validate-'));
  try {
    const files = options.file.map((file) => ({ file, ...optionalProperty('format', options.inputFormat) }));
    const source = { files, ...optionalProperty('map', options.map) };
    const input = await openInputFiles(context, fields, source, join(folder, 'input'));
    const target = optionalProperty('target', await findCommonTarget(context, fields, options));
    const rules = {
      fields,
      shared: sharedFields(fields),
      ...target,
      duplicates: options.duplicates,
      generateId: String,
      warnsOfValues: options.verb === 'update' ? ('update' as const) : ('add' as const),
    };
    const { noun } = fields;
    const subject = { name: input.name, files: input.files.map(({ name }) => name), noun, form: options.form };
    const stopProgress = await showCheckProgress(context, input);
    const checked = reportFindings(context, subject, streamDiagnostics(input, rules, context.signal));
    const { diagnosticCount, read, hint } = await checked.finally(stopProgress);
    if (diagnosticCount === 0) return;
    const message = `${input.name}: ${formatNounCount(diagnosticCount, 'problem')} in ${formatNounCount(read, noun)}`;
    throw new SvcError('bad_data', message, { hint: hint ?? 'fix the problems, then check the files again' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function validateOptions({ noun, verb }: RecordKind, { options }: Invocation<ValidateFlags>): ValidateOptions {
  const file = options.file ?? [];
  if (file.length === 0) {
    throw new SvcError('usage', '--file is required', { hint: `svc ${noun} validate --file <path>` });
  }
  const columnMap = parseColumnMap(options.map);
  return {
    file,
    ...optionalProperty('inputFormat', options.inputFormat),
    verb: options.for ?? verb,
    ...optionalProperty('version', options.apiVersion),
    duplicates: options.duplicates ?? 'fail',
    ...optionalProperty('map', columnMap),
    ...optionalProperty('org', options.org),
    form: options.format ?? 'text',
  };
}

async function loadFields(noun: string, { verb, version }: ValidateOptions): Promise<BulkFields> {
  const versions = manifest.filter(({ command, bulk }) => bulk && command[0] === noun && command.at(-1) === verb);
  const entry = version === undefined ? versions[0] : versions.find((known) => known.version === version);
  if (!entry) throw new SvcError('usage', `svc ${noun} ${verb} has no --api-version ${version}`);
  return bulkFieldsOf(await loadOperation(entry.resource, entry.name));
}

/**
 * Returns the fields that flags can set for all records, if each record is a separate call. They count as set, so that only
 * the fields of the records themselves are checked.
 */
function sharedFields({ field, targetFields }: BulkFields): Readonly<Record<string, unknown>> {
  if (field !== undefined) return {};
  return Object.fromEntries(targetFields.map(({ name }) => [name, 'given by a flag']));
}

/**
 * Returns the common target of all records, as far as it is known. For unknown fields, all records must have the same
 * value. Returns `undefined` if each record is a separate call with its own target.
 */
async function findCommonTarget(
  { openSettings }: Context,
  { field, targetFields }: BulkFields,
  { org }: ValidateOptions,
) {
  if (field === undefined) return undefined;
  const names = targetFields.map(({ name }) => name);
  const organizationId = org ?? (await openSettings()).org?.value;
  return new CommonTarget(names, { organizationId }, 'as the first record');
}
