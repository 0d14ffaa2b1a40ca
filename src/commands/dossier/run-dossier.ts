import type { StopReason } from '../../bulk/batch-request.ts';
import { JobCounters } from '../../bulk/job-counters.ts';
import { JobRecorder } from '../../bulk/job-recorder.ts';
import type { Journal } from '../../bulk/journal/journal.ts';
import { Metrics } from '../../bulk/journal/metrics.ts';
import { summarize } from '../../bulk/summary.ts';
import type { CallResult, Client } from '../../client/client.ts';
import { monotonicNow } from '../../kernel/clock.ts';
import { type Failure, hint, SvcError, step } from '../../kernel/errors.ts';
import { redactRemembered } from '../../kernel/redact.ts';
import { showReadProgress } from '../bulk/show-progress.ts';
import { describeHost } from '../connection/describe-target.ts';
import type { Context } from '../context.ts';
import {
  isUnchanged,
  nameOrganizationFiles,
  ORGANIZATIONS_FOLDER,
  removeStagedDossierFiles,
  reopenDossierFolder,
  type WrittenFile,
  writeDossierFile,
} from './dossier-files.ts';
import {
  type DossierJob,
  type DossierPlan,
  type DossierRun,
  getFile,
  ORGANIZATION,
} from './dossier-run.ts';
import { writeDossierReport, writeManifest } from './manifest.ts';
import { createDossierError, printDossier } from './print-dossier.ts';
import { type ReadCounts, readOrganization, readStoredMemberships } from './read-organization.ts';

/** Number of organizations that are read at the same time. */
const CONCURRENCY = 4;
/** Number of organizations that fail before the others are left for a later run. */
const MAX_FAILURES = 100;
/** Failures that every other organization would meet as well. */
const COMMON_FAILURES: ReadonlySet<Failure> = new Set([
  'unauthenticated',
  'no_credential',
  'unreachable',
  'resource_exhausted',
]);

/**
 * Reads the organizations that have not been read.
 * @throws SvcError `stopped` unless every organization was read to its end, or the error that
 * stopped the run
 */
export async function runDossier(context: Context, job: DossierJob): Promise<void> {
  const { journal, lockedFolder, description } = job;
  const { clock, activity } = context;
  const plan = journal.getFact('plan') as DossierPlan;
  const { profile, embedded } = await context.target();
  activity.recordRead(
    { profile: embedded ? null : (profile?.value ?? null), host: await describeHost(context) },
    [plan.userId, ...plan.organizationIds],
  );
  try {
    await reopenDossierFolder(plan.folder, description.job);
    const unread = await findUnread(context, journal, plan);
    const counters = new JobCounters(journal.counts());
    const metrics = new Metrics(clock.now(), journal.getFact('metrics'));
    const recorder = new JobRecorder({ journal, clock, counters, metrics });
    const run: DossierRun = { context, job, plan, counters, metrics, recorder, inFlight: 0 };
    await writeManifest(run);
    const stop = await readAll(run, unread);
    await endRun(run, stop);
  } finally {
    journal.close();
    lockedFolder.release();
  }
}

/**
 * Returns the indexes of the organizations to read: those that failed, those that were not read, and
 * those whose files have changed since.
 */
async function findUnread(
  context: Context,
  journal: Journal,
  { folder, organizationIds }: DossierPlan,
): Promise<readonly number[]> {
  const failed = [...journal.unsuccessfulRecords()].map(({ at }) => at);
  const read = new Set(Array.from(journal.sentBatches(), ({ first }) => first));
  for (const at of failed) read.delete(at);
  const changed: number[] = [];
  for (const at of read) {
    const file = getFile(journal, at);
    if (!file || !(await isUnchanged(folder, file))) changed.push(at);
  }
  for (const at of [...failed, ...changed]) journal.reopen({ first: at, last: at, count: 1 }, []);
  journal.flush();
  if (changed.length > 0)
    await context.warn(
      `reading ${changed
        .map((at) => organizationIds[at])
        .slice(0, 3)
        .join(', ')}${changed.length > 3 ? ' and others' : ''} again: the files have changed`,
    );
  const again = new Set(changed);
  return organizationIds
    .keys()
    .filter((at) => !read.has(at) || again.has(at))
    .toArray();
}

async function readAll(
  run: DossierRun,
  unread: readonly number[],
): Promise<StopReason | undefined> {
  const { context, plan, counters } = run;
  const { signal } = context;
  const names = nameOrganizationFiles(plan.organizationIds);
  const client = await context.client();
  const end = await showReadProgress(context, counters, {
    total: plan.organizationIds.length,
    noun: ORGANIZATION,
    inFlight: () => run.inFlight,
  });
  let stop: StopReason | undefined;
  const next = unread.values();
  const work = async () => {
    for (const at of next) {
      if (signal.aborted) stop ??= { kind: 'signal', reason: signal.reason };
      if (stop) return;
      run.inFlight += 1;
      const reason = await readOne(run, client, at, names)
        .catch(toBroken)
        .finally(() => {
          run.inFlight -= 1;
        });
      stop ??= reason;
    }
  };
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  } finally {
    await end();
  }
  return stop;
}

function toBroken(error: unknown): StopReason {
  if (error instanceof SvcError && error.failure === 'local') return { kind: 'broken', error };
  throw error;
}

/** Reads one organization. Returns why the run must stop. */
async function readOne(
  { context, job, plan, counters, metrics, recorder, inFlight }: DossierRun,
  client: Client,
  at: number,
  names: ReadonlyMap<string, string>,
): Promise<StopReason | undefined> {
  const { clock, signal } = context;
  const { journal } = job;
  const { userId, folder } = plan;
  const organizationId = plan.organizationIds[at] ?? '';
  const range = { first: at, last: at, count: 1 };
  let [requests, retries, since] = [0, 0, monotonicNow(clock)];
  const onPage = (page: CallResult<unknown>) => {
    requests += 1 + page.retries;
    retries += page.retries;
    const milliseconds = monotonicNow(clock) - since;
    metrics.recordRequest(clock.now(), { ...page, milliseconds }, inFlight);
    since = monotonicNow(clock);
  };
  const record = (failure?: { readonly message: string; readonly code: string }) => {
    counters.requests += requests;
    counters.retries += retries;
    counters[failure ? 'failed' : 'succeeded'] += 1;
    journal.recordOutcome({
      range,
      known: [range],
      open: [],
      items: failure ? [{ at, id: organizationId, line: null, status: 'failed', ...failure }] : [],
      requests,
      retries,
    });
    metrics.recordSettled(clock.now(), 1, failure ? 1 : 0);
    recorder.flush();
  };
  try {
    const file = `${ORGANIZATIONS_FOLDER}/${names.get(organizationId)}.ndjson`;
    const read = await writeOrganization(
      context,
      { folder, file, userId, organizationId },
      client,
      onPage,
    );
    journal.setFact(`read:${at}`, {
      organizationId,
      ...read,
      readAt: new Date(clock.now()).toISOString(),
    });
    record();
    return undefined;
  } catch (error) {
    if (signal.aborted) return { kind: 'signal', reason: signal.reason };
    if (!(error instanceof SvcError)) throw error;
    if (error.failure === 'local') throw error;
    requests += 1 + error.retries;
    retries += error.retries;
    record({ message: redactRemembered(error.message), code: error.status ?? error.failure });
    if (COMMON_FAILURES.has(error.failure)) return { kind: 'fatal', error };
    return counters.failed >= MAX_FAILURES ? { kind: 'errors' } : undefined;
  }
}

interface OrganizationRequest {
  readonly folder: string;
  readonly file: string;
  readonly userId: string;
  readonly organizationId: string;
}

async function writeOrganization(
  context: Context,
  { folder, file, userId, organizationId }: OrganizationRequest,
  client: Client,
  onPage: (page: CallResult<unknown>) => void,
): Promise<WrittenFile & ReadCounts> {
  const writer = await writeDossierFile(folder, file);
  try {
    const { write } = writer;
    const read = await readOrganization({
      client,
      organizationId,
      userId,
      signal: context.signal,
      write,
      onPage,
    });
    const stored = await readStoredMemberships(context, organizationId, userId);
    for (const line of stored.lines) await write(line);
    return {
      ...(await writer.complete()),
      ...read,
      records: read.records + stored.lines.length,
      counts: { ...read.counts, ...stored.counts },
      removed: read.removed + stored.removed,
    };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

async function endRun(run: DossierRun, stop: StopReason | undefined): Promise<void> {
  const { context, job, plan, counters, recorder, metrics } = run;
  const { journal, description } = job;
  const { clock } = context;
  let reason = stop;
  const isRead = !stop && counters.succeeded === plan.organizationIds.length;
  try {
    if (isRead) await completeFolder(run);
    else await writeManifest(run);
  } catch (error) {
    if (reason?.kind !== 'broken') reason = toBroken(error);
  }
  const now = clock.now();
  const summary = summarize(description, journal, {
    ...counters,
    ...counters.existing,
    seconds: metrics.seconds(now),
    rejects: null,
    refusesExisting: false,
  });
  const error = createDossierError(summary, reason);
  try {
    recorder.end(error === undefined ? { rejects: null } : { error }, now);
  } catch (failure) {
    if (error === undefined) throw resumable(failure, description.job);
  }
  await printDossier(run, summary, error === undefined);
  if (error !== undefined) throw error;
}

async function completeFolder(run: DossierRun): Promise<void> {
  await removeStagedDossierFiles(run.plan.folder);
  const report = await writeDossierReport(run);
  await writeManifest(run, report);
}

function resumable(error: unknown, job: string): unknown {
  return error instanceof SvcError
    ? error.reworded({ hint: hint`to resume, run ${step('resume', 'jobs', 'resume', job)}` })
    : error;
}
