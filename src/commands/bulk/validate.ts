import { startCheck } from '../../bulk/record-check.ts';
import { RecordTargets } from '../../bulk/record-targets.ts';
import { type BulkFields, bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import { manifest } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { createTemporaryPath } from '../../kernel/temporary.ts';
import { parseOrganization } from '../../profiles/profile.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty } from '../options.ts';
import { reportCheck } from './check-report.ts';
import { resolveColumnMap, saveAfterCheck } from './column-map.ts';
import { printRepeatingCommand } from './follow-up-commands.ts';
import { openInputFiles } from './input-files.ts';
import { parseInputFlags, parseOrganizationMap } from './input-flags.ts';
import { showCheckProgress } from './show-progress.ts';
import type { ValidateFlags } from './validate-flags.ts';

/**
 * Checks files and prints all findings.
 * @throws SvcError `invalid_input` if there are findings, `usage` without a file
 */
export async function validateFiles(
  context: Context,
  { noun, verb: defaultVerb }: { readonly noun: string; readonly verb: string },
  { options }: Invocation<ValidateFlags>,
): Promise<void> {
  const {
    file = [],
    for: verb = defaultVerb,
    duplicates = 'fail',
    format: form = 'text',
  } = options;
  if (file.length === 0)
    throw new SvcError('usage', '--file is required', {
      hint: `svc ${noun} validate --file <path>`,
    });
  const fields = await loadFields(noun, verb, options.apiVersion);
  const given = { file, ...parseInputFlags(options) };
  const mapOrg = parseOrganizationMap(options.mapOrg);
  const organizationId = options.org && parseOrganization(options.org, '--org');
  const { map, chosen, answers, save } = await resolveColumnMap(context, fields, given, options);
  const source = {
    ...given,
    ...chosen,
    ...optionalProperty('map', map),
  };
  await printRepeatingCommand(context, answers);
  const input = await openInputFiles(context, fields, source, createTemporaryPath('input'));
  try {
    const targetNames = fields.targetFields.map(({ name }) => name);
    const hasTarget = fields.field !== undefined;
    const rules = {
      fields,
      // If each record is a separate call, flags can set its target.
      shared: hasTarget
        ? {}
        : Object.fromEntries(targetNames.map((name) => [name, 'given by a flag'])),
      targets: new RecordTargets(fields, { organizationId }),
      duplicates,
      allowsSuspicious: options.allowSuspicious === true,
      ...optionalProperty('map', map),
      ...optionalProperty('organizationMap', mapOrg && new Map(mapOrg)),
      generateId: String,
      valueWarnings: verb === 'update' ? ('update' as const) : ('add' as const),
    };
    const stopProgress = await showCheckProgress(context, input);
    const started = startCheck(input, rules, context.signal);
    const format = form === 'github' ? form : await context.format();
    await saveAfterCheck(started, save, () =>
      reportCheck(context, input, started, { noun: fields.noun, format }).finally(stopProgress),
    );
  } finally {
    await input.discard();
  }
}

async function loadFields(
  noun: string,
  verb: string,
  version: string | undefined,
): Promise<BulkFields> {
  const versions = manifest.filter(
    ({ command, bulk }) => bulk && command[0] === noun && command.at(-1) === verb,
  );
  // A newer version has all fields of the earlier ones.
  const entry =
    version === undefined ? versions.at(-1) : versions.find((known) => known.version === version);
  if (!entry) throw new SvcError('usage', `svc ${noun} ${verb} has no --api-version ${version}`);
  return bulkFieldsOf(await loadOperation(entry.resource, entry.name));
}
