import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InputFormat } from '../../bulk/source/record.ts';
import { findingsOf, type RecordRules } from '../../bulk/survey.ts';
import { Target } from '../../bulk/target.ts';
import { type BulkFields, bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import { manifest } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { amount } from '../../kernel/plural.ts';
import { type ColumnPairs, columnPairs } from '../bulk/column-map.ts';
import { openFiles } from '../bulk/gather-input.ts';
import { showChecking } from '../bulk/progress.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { given, textValue, textValues } from '../option-values.ts';
import { report } from './report.ts';

/** The records that are meant: those of `users add`. */
interface Meant {
  readonly noun: string;
  readonly verb: string;
}

interface ValidateOptions {
  readonly file: readonly string[];
  readonly inputFormat?: InputFormat;
  readonly verb: string;
  readonly version?: string;
  readonly duplicates: RecordRules['duplicates'];
  readonly map?: ColumnPairs;
  readonly org?: string;
  readonly form: 'text' | 'github';
}

/**
 * Checks the records of files, offline.
 * @throws SvcError `bad_data` when there are findings, after all of them were printed; `usage` without a file
 */
export async function validate(context: Context, meant: Meant, invocation: Invocation): Promise<void> {
  const options = validateOptions(meant, invocation);
  const fields = await fieldsOf(meant.noun, options);
  const folder = await mkdtemp(join(tmpdir(), 'svc-validate-'));
  try {
    const { file, inputFormat, map } = options;
    const files = file.map((path) => ({ file: path, ...given('format', inputFormat) }));
    const input = await openFiles(context, fields, { files, ...given('map', map) }, join(folder, 'input'));
    const target = given('target', await targetOf(context, fields, options));
    const rules = { fields, shared: sharedFields(fields), ...target, duplicates: options.duplicates, mint: String };
    const { noun } = fields;
    const subject = { name: input.name, files: input.files.map(({ name }) => name), noun, form: options.form };
    const shown = await showChecking(context, input);
    const surveyed = report(context, subject, findingsOf(input, rules, context.signal));
    const { findingCount, read, hint } = await surveyed.finally(shown);
    if (findingCount === 0) return;
    throw new SvcError('bad_data', `${input.name}: ${amount(findingCount, 'problem')} in ${amount(read, noun)}`, {
      hint: hint ?? 'correct what is wrong, then check again',
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function validateOptions({ noun, verb }: Meant, { options }: Invocation): ValidateOptions {
  const text = (name: string) => textValue(options, name);
  const file = textValues(options, 'file');
  if (file.length === 0) {
    throw new SvcError('usage', 'there is no file to check', { hint: `svc ${noun} validate --file <path>` });
  }
  const pairs = columnPairs(options['map']);
  return {
    file,
    ...given('inputFormat', text('inputFormat') as ValidateOptions['inputFormat']),
    verb: text('for') ?? verb,
    ...given('version', text('apiVersion')),
    duplicates: (text('duplicates') ?? 'fail') as RecordRules['duplicates'],
    ...given('map', pairs),
    ...given('org', text('org')),
    form: text('format') === 'github' ? 'github' : 'text',
  };
}

async function fieldsOf(noun: string, { verb, version }: ValidateOptions): Promise<BulkFields> {
  const versions = manifest.filter(({ command, bulk }) => bulk && command[0] === noun && command.at(-1) === verb);
  const entry = version === undefined ? versions[0] : versions.find((known) => known.version === version);
  if (!entry) throw new SvcError('usage', `svc ${noun} ${verb} has no --api-version ${version}`);
  return bulkFieldsOf(await loadOperation(entry.resource, entry.name));
}

/** Where each record is a call, flags may give what is alike in all of them; only what records say themselves is checked. */
function sharedFields({ field, target }: BulkFields): Readonly<Record<string, unknown>> {
  if (field !== undefined) return {};
  return Object.fromEntries(target.map(({ name }) => [name, 'given by a flag']));
}

/**
 * Where the command for these records would send them, as far as it is known: of the rest all records have to say the
 * same. Undefined where each record is a call, and goes where it says.
 */
async function targetOf({ openSettings }: Context, { field, target }: BulkFields, { org }: ValidateOptions) {
  if (field === undefined) return undefined;
  const names = target.map(({ name }) => name);
  const organizationId = org ?? (await openSettings()).org?.value;
  return new Target(names, { organizationId }, 'as the first record');
}
