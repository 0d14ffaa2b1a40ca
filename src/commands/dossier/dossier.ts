import { createJobName, markStarted } from '../../bulk/journal/job-folder.ts';
import { Journal } from '../../bulk/journal/journal.ts';
import { readAttribution } from '../../kernel/attribution.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { resolveOutputPath } from '../../kernel/named-file.ts';
import { createLockedFolder, discardJob } from '../bulk/open-job.ts';
import { describeJobTarget } from '../connection/describe-target.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { createDossierFolder } from './dossier-files.ts';
import { DOSSIER } from './dossier-run.ts';
import type { DossierFlags } from './flags.ts';
import { readOrganizations } from './organizations.ts';
import { runDossier } from './run-dossier.ts';

/**
 * Saves the data of a person as a job, which can be resumed.
 * @throws SvcError `usage` for an existing folder, and like `runDossier`
 */
export async function dossierCommand(
  context: Context,
  { options }: Invocation<DossierFlags>,
): Promise<void> {
  const { clock, cwd } = context;
  const user = requireFlag('--user', options.user);
  const out = requireFlag('--out', options.out);
  const { ids, inputs } = await readOrganizations(context, options);
  // Reports missing credentials before anything is created.
  await context.client();
  const folder = resolveOutputPath(out, cwd);
  const job = createJobName(clock.now());
  const lockedFolder = await createLockedFolder(context, job);
  let started = false;
  try {
    await createDossierFolder(folder);
    const description = {
      job,
      operation: DOSSIER,
      data: { userId: user },
      options: { out: folder },
      cwd,
      target: await describeJobTarget(context),
      inputs,
      records: ids.length,
      leftOut: 0,
      startedAt: clock.now(),
      startedBy: readAttribution(context.environment),
    };
    await markStarted(lockedFolder.folder);
    const journal = await Journal.create(description, lockedFolder.folder.journal, {
      userId: user,
      folder,
      organizationIds: ids,
    });
    started = true;
    await runDossier(context, { description, journal, lockedFolder });
  } finally {
    if (!started) await discardJob(lockedFolder, clock);
  }
}

/** @throws SvcError `usage` without a value */
function requireFlag(name: string, value: string | undefined): string {
  if (value?.trim()) return value;
  throw new SvcError('usage', `${name} is required`, {
    hint: hint`see ${step('help', 'users', 'dossier', '--help')}`,
  });
}
