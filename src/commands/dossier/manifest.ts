import { redactRemembered } from '../../kernel/redact.ts';
import { MANIFEST, REPORT, type WrittenFile, writeWholeFile } from './dossier-files.ts';
import { countRecords, type DossierRun, listFiles } from './dossier-run.ts';
import { renderDossierReport } from './render-report.ts';

/**
 * Writes the manifest: each file with its counts and its SHA-256, and the organizations that could
 * not be read. It is complete only with the report of a run that has read every organization.
 */
export async function writeManifest(run: DossierRun, report?: WrittenFile): Promise<void> {
  const { job, plan, context } = run;
  const { description, journal } = job;
  const files = listFiles(run);
  const failures = Array.from(journal.unsuccessfulRecords(), ({ id, message, code }) => ({
    organizationId: id,
    message: redactRemembered(message ?? ''),
    code,
  }));
  const manifest = {
    complete: report !== undefined,
    userId: plan.userId,
    job: description.job,
    service: redactRemembered(description.target.origin),
    startedAt: new Date(description.startedAt).toISOString(),
    endedAt: report ? new Date(context.clock.now()).toISOString() : null,
    organizations: plan.organizationIds.length,
    organizationsRead: files.length,
    records: files.reduce((sum, { records }) => sum + records, 0),
    counts: countRecords(files),
    removedSecrets: files.reduce((sum, { removed }) => sum + removed, 0),
    files: [...files.map(({ documentIds: _, ...file }) => file), ...(report ? [report] : [])],
    ...(failures.length > 0 && { failures }),
  };
  await writeWholeFile(plan.folder, MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
}

export async function writeDossierReport(run: DossierRun): Promise<WrittenFile> {
  return writeWholeFile(run.plan.folder, REPORT, renderDossierReport(run, listFiles(run)));
}
