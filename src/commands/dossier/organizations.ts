import { formatDiagnostic } from '../../bulk/diagnostic.ts';
import type { JobInput } from '../../bulk/journal/job-description.ts';
import { checkRecords } from '../../bulk/record-check.ts';
import { RecordTargets } from '../../bulk/record-targets.ts';
import { bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import { SvcError } from '../../kernel/errors.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { createTemporaryPath } from '../../kernel/temporary.ts';
import { parseOrganization } from '../../profiles/profile.ts';
import { openInputFiles } from '../bulk/input-files.ts';
import { parseInputFlags } from '../bulk/input-flags.ts';
import { describeInput } from '../bulk/open-job.ts';
import { showCheckProgress } from '../bulk/show-progress.ts';
import { createFindingsError } from '../call/findings-error.ts';
import { findDefaultOrganization } from '../call/input-data.ts';
import { requireOrganizationsToRead } from '../call/missing-parents.ts';
import { orgHint } from '../call/validation.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
import type { DossierFlags } from './flags.ts';

/** The organizations of a dossier, each once, and the files that name them. */
export interface NamedOrganizations {
  readonly ids: readonly string[];
  readonly inputs: readonly JobInput[];
}

/**
 * Reads the organizations from the flags and the file, or from the settings if neither names any.
 * @throws SvcError `usage` without an organization, `invalid_input` for an invalid file, `not_found`
 * for an organization that the embedded service does not have
 */
export async function readOrganizations(
  context: Context,
  flags: DossierFlags,
): Promise<NamedOrganizations> {
  const ids = new Set((flags.org ?? []).map((id) => parseOrganization(id, '--org')));
  const inputs = flags.orgFile === undefined ? [] : await readFile(context, flags, ids);
  if (ids.size === 0 && flags.orgFile === undefined) {
    const organization = await findDefaultOrganization(context);
    if (organization === undefined)
      throw new SvcError('usage', '--org or --org-file is required', {
        hint: orgHint(['users', 'dossier']),
      });
    ids.add(organization);
    await context.note(`reading only the organization of the settings: ${quoteId(organization)}`);
  }
  if (ids.size === 0)
    throw new SvcError('invalid_input', `${flags.orgFile} contains no organizations`);
  const queries = [...ids].map((organizationId) => ({ organizationId }));
  await requireOrganizationsToRead(context, { effect: 'read' }, queries);
  return { ids: [...ids], inputs };
}

/** Adds the organizations of a file. */
async function readFile(
  context: Context,
  flags: DossierFlags,
  ids: Set<string>,
): Promise<readonly JobInput[]> {
  const { orgFile = '' } = flags;
  const fields = bulkFieldsOf(await loadOperation('organizations', 'organizations.add'));
  const options = { file: [orgFile], ...parseInputFlags(flags) };
  const input = await openInputFiles(context, fields, options, createTemporaryPath('input'));
  try {
    const rules = {
      fields,
      shared: {},
      targets: new RecordTargets(fields, {}),
      duplicates: 'first' as const,
      generateId: String,
      ...optionalProperty('map', options.map),
      ...optionalProperty('allowsSuspicious', flags.allowSuspicious),
    };
    const endProgress = await showCheckProgress(context, input);
    const check = await checkRecords(input, rules, context.signal, (value) =>
      ids.add(String(Object(value).organizationId)),
    ).finally(endProgress);
    if (check.diagnosticCount > 0)
      throw await createFindingsError(
        context,
        {
          findings: check.diagnostics.map(formatDiagnostic),
          findingCount: check.diagnosticCount,
        },
        {
          failure: 'invalid_input',
          name: input.name,
          hint: `nothing was read; ${check.hint ?? 'fix the file and try again'}`,
        },
      );
    return input.files.map((file) => describeInput(file, 0));
  } finally {
    await input.discard();
  }
}
