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
  const { file: paths = [], for: verb = defaultVerb, inputFormat, duplicates = 'fail', format: form = 'text' } = options;
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
    const targetNames = fields.targetFields.map(({ name }) => name);
    const hasTarget = fields.field !== undefined;
    const organizationId = options.org ?? (hasTarget ? (await context.openSettings()).org?.value : undefined);
    const target = new CommonTarget(targetNames, { organizationId }, 'match first record');
    const rules = {
      fields,
      // If each record is a separate call, flags can set its target.
      shared: hasTarget ? {} : Object.fromEntries(targetNames.map((name) => [name, 'given by a flag'])),
      ...(hasTarget && { target }),
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
