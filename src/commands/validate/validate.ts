import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommonTarget } from '../../bulk/common-target.ts';
import { startCheck } from '../../bulk/record-check.ts';
import { type BulkFields, bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import { manifest } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { parseColumnMap } from '../bulk/column-map.ts';
import { openInputFiles } from '../bulk/gather-input.ts';
import { showCheckProgress } from '../bulk/show-progress.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty } from '../option-values.ts';
import type { ValidateFlags } from './flags.ts';
import { reportFindings } from './report.ts';

/** Checks files and prints all findings. @throws SvcError `bad_data` if there are findings, `usage` without a file */
export async function validateFiles(
  context: Context,
  { noun, verb: defaultVerb }: { readonly noun: string; readonly verb: string },
  { options }: Invocation<ValidateFlags>,
): Promise<void> {
  const {
    file: paths = [],
    for: verb = defaultVerb,
    inputFormat,
    duplicates = 'fail',
    format: form = 'text',
  } = options;
  if (paths.length === 0) {
    throw new SvcError('usage', '--file is required', { hint: `svc ${noun} validate --file <path>` });
  }
  const map = parseColumnMap(options.map);
  const fields = await loadFields(noun, verb, options.apiVersion);
  const folder = await mkdtemp(join(tmpdir(), 'svc-validate-'));
  try {
    const files = paths.map((file) => ({ file, ...optionalProperty('format', inputFormat) }));
    const source = { files, ...optionalProperty('map', map) };
    const input = await openInputFiles(context, fields, source, join(folder, 'input'));
    const target = optionalProperty('target', await findCommonTarget(context, fields, options.org));
    const rules = {
      fields,
      shared: sharedFields(fields),
      ...target,
      duplicates,
      generateId: String,
      valueWarnings: verb === 'update' ? ('update' as const) : ('add' as const),
    };
    const subject = { name: input.name, files: input.files.map(({ name }) => name), noun: fields.noun, form };
    const stopProgress = await showCheckProgress(context, input);
    const started = startCheck(input, rules, context.signal);
    await reportFindings(context, subject, started).finally(stopProgress);
    const { diagnosticCount, read, hint } = started.check;
    if (diagnosticCount === 0) return;
    const message = `${input.name}: ${formatNounCount(diagnosticCount, 'problem')} in ${formatNounCount(read, fields.noun)}`;
    throw new SvcError('bad_data', message, { hint: hint ?? 'fix the problems, then check the files again' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function loadFields(noun: string, verb: string, version: string | undefined): Promise<BulkFields> {
  const versions = manifest.filter(({ command, bulk }) => bulk && command[0] === noun && command.at(-1) === verb);
  const entry = version === undefined ? versions[0] : versions.find((known) => known.version === version);
  if (!entry) throw new SvcError('usage', `svc ${noun} ${verb} has no --api-version ${version}`);
  return bulkFieldsOf(await loadOperation(entry.resource, entry.name));
}

/** Returns placeholders for fields that flags can set for all records, if each record is a separate call. */
function sharedFields({ field, targetFields }: BulkFields): Readonly<Record<string, unknown>> {
  if (field !== undefined) return {};
  return Object.fromEntries(targetFields.map(({ name }) => [name, 'given by a flag']));
}

/**
 * Returns the common target of all records. If a field is unknown, all records must have the same value. Returns
 * `undefined` if each record is a separate call with its own target.
 */
async function findCommonTarget(
  { openSettings }: Context,
  { field, targetFields }: BulkFields,
  org: string | undefined,
) {
  if (field === undefined) return undefined;
  const names = targetFields.map(({ name }) => name);
  const organizationId = org ?? (await openSettings()).org?.value;
  return new CommonTarget(names, { organizationId }, 'match first record');
}
