import { rm } from 'node:fs/promises';
import { relative } from 'node:path';
import { writeClosing } from '../../bulk/closing.ts';
import { runBulk } from '../../bulk/engine.ts';
import { Metrics } from '../../bulk/journal/metrics.ts';
import { createLimiter } from '../../bulk/limiter/limiter.ts';
import type { Stop } from '../../bulk/outcome.ts';
import { readChecked } from '../../bulk/readings.ts';
import { placesIn } from '../../bulk/record-place.ts';
import { Recorder } from '../../bulk/recorder.ts';
import type { WrittenRejects } from '../../bulk/rejects.ts';
import { type BulkSummary, summarize } from '../../bulk/summary.ts';
import { Tally } from '../../bulk/tally.ts';
import { entryNamed } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { withWayOut } from '../call/way-out.ts';
import type { Context } from '../context.ts';
import { given } from '../option-values.ts';
import { commandAgain, commandForRejects } from './again.ts';
import { type JobFiles, openFiles } from './files.ts';
import { discardPlace, type OpenJob } from './job.ts';
import { lookerOf } from './look.ts';
import { showSending } from './progress.ts';
import { toSend } from './records.ts';
import { batchSender } from './send.ts';
import { showSummary } from './show.ts';
import { failureOf } from './verdict.ts';
import type { Work } from './work.ts';

/** Requests in flight at once, unless the user says otherwise: from 1 up to this, as the service takes them. */
const MOST_CONCURRENCY = 16;

/** Milliseconds before what failed is sent again: up to twice as long each time. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 5_000;

/**
 * Sends what a job has yet to send, writes its files, and prints the summary of the whole job.
 * @throws SvcError when not every record landed: after the summary was printed, or without one when nothing came of it.
 */
export async function runJob(context: Context, job: OpenJob, work: Work): Promise<void> {
  const run = await JobRun.open(context, job, work).catch(async (error: unknown) => {
    await leave(job);
    throw error;
  });
  const stop = await run.send();
  if (stop?.why === 'hopeless' && !run.landed) {
    const reason = await run.comeToNothing(stop.error);
    throw withWayOut(context, entryNamed(job.description.operation), work.calls.data, reason);
  }
  const summary = await run.finish(stop);
  await showSummary(context, work.calls.fields.noun, summary);
  const { stop: ended, resumable } = run;
  const again = await run.commandAgain(summary);
  const failure = failureOf(summary, { noun: work.calls.fields.noun, stop: ended, resumable, again });
  if (failure !== undefined) throw failure;
}

/** Gives up a job that nothing was sent of in this run. One that was just begun is not kept. */
async function leave({ journal, place }: OpenJob): Promise<void> {
  const isNew = journal.fact('run') === undefined;
  journal.close();
  if (place && isNew) await discardPlace(place);
  else place?.release();
}

class JobRun {
  readonly #context: Context;
  readonly #job: OpenJob;
  readonly #work: Work;
  readonly #files: JobFiles;
  readonly #tally: Tally;
  readonly #metrics: Metrics;
  readonly #recorder: Recorder;
  #rejects: WrittenRejects | undefined;
  stop: Stop | undefined;
  resumable = false;

  private constructor(context: Context, job: OpenJob, work: Work, files: JobFiles) {
    const { clock } = context;
    const { journal } = job;
    const saved = journal.fact('metrics');
    const { requests, retries, ...counts } = journal.counts();
    const stray = { requests: saved?.strayRequests ?? 0, retries: saved?.strayRetries ?? 0 };
    this.#context = context;
    this.#job = job;
    this.#work = work;
    this.#files = files;
    this.#tally = new Tally({ ...counts, requests: requests + stray.requests, retries: retries + stray.retries });
    this.#metrics = new Metrics(clock.now(), saved);
    const { results } = files;
    this.#recorder = new Recorder({
      ...{ journal, clock, tally: this.#tally, metrics: this.#metrics },
      ...given('results', results),
    });
  }

  static async open(context: Context, job: OpenJob, work: Work): Promise<JobRun> {
    return new JobRun(context, job, work, await openFiles(job, work));
  }

  /** Whether the service may have anything of the job. */
  get landed(): boolean {
    return this.#tally.done > 0;
  }

  /** Sends until everything is sent or the run stops. */
  async send(): Promise<Stop | undefined> {
    const { clock, signal } = this.#context;
    const { calls, options, limits } = this.#work;
    const { description } = this.#job;
    const [tally, recorder] = [this.#tally, this.#recorder];
    const { rate, onError, maxErrors } = options;
    const concurrency = options.concurrency === 'auto' && calls.fields.inOrder ? 1 : options.concurrency;
    const limiter = createLimiter({ concurrency, most: MOST_CONCURRENCY, clock, ...given('perSecond', rate) });
    const wanted = options.results === undefined ? 'exceptions' : 'all';
    const { records } = description;
    const shown = await showSending(this.#context, { tally, limiter, records, noun: calls.fields.noun });
    const stop = await runBulk(
      {
        records: toSend(this.#job, this.#work, recorder),
        limits,
        wanted,
        landedBefore: tally.succeeded > 0,
        ...given('stopAtErrors', onError === 'stop' ? 1 : maxErrors),
      },
      {
        send: recorder.measured(batchSender(calls, clock, wanted)),
        look: lookerOf(calls),
        limiter,
        ledger: recorder,
        pause: (repetition, ending) => clock.sleep(pauseBefore(repetition), ending),
        signal,
      },
    ).finally(shown);
    await this.#tellStrangers();
    return stop;
  }

  /** Writes down what is not yet, and the files. What fails here is the stop, unless there was one before. */
  async finish(stop: Stop | undefined): Promise<BulkSummary> {
    const { journal, place, description } = this.#job;
    this.stop = stop;
    const open = await this.#guarded(() => {
      this.#recorder.flush();
      return journal.counts().open;
    }, 1);
    this.resumable = place !== undefined && (this.stop !== undefined || open > 0);
    const rejects = await this.#guarded(() => this.#close(), null);
    if (place && this.stop?.why === 'broken') this.resumable = true;
    const now = this.#context.clock.now();
    const { operation, job, records, leftOut, inputs } = description;
    const { succeeded, failed, unknown, requests, retries } = this.#tally;
    const summary = summarize({
      ...{
        operation,
        job,
        total: records + leftOut,
        counts: { succeeded, failed, unknown },
        requests,
        retries,
        rejects,
      },
      seconds: Math.round(this.#metrics.seconds(now) * 1000) / 1000,
      items: journal.items(),
      place: placesIn(inputs),
    });
    await this.#guarded(() => this.#end(rejects, now), undefined);
    return summary;
  }

  /** The command line that sends what did not land, where that is for the user to do and can be told. */
  async commandAgain({ rejects, unknown }: BulkSummary): Promise<string | undefined> {
    if (this.resumable) return undefined;
    if (rejects === null) return unknown > 0 ? commandAgain(this.#context, this.#work) : undefined;
    return this.#rejects && commandForRejects(this.#context.options, this.#job.description, this.#rejects, rejects);
  }

  /** Nothing was applied and nothing will be: no trace of it stays. */
  async comeToNothing(reason: SvcError): Promise<SvcError> {
    await this.#files.rejects?.discard();
    await this.#files.results?.close();
    await leave(this.#job);
    return reason;
  }

  async #close(): Promise<string | null> {
    const { journal } = this.#job;
    const { rejects, results } = this.#files;
    const { input, rules, survey } = this.#work.input;
    const { records, leftOut } = this.#job.description;
    const unsent = records - this.#tally.done;
    const wanted = this.#tally.failed + this.#tally.unknown > 0 || (!this.resumable && unsent > 0);
    if (this.landed && ((rejects && wanted) || (results && leftOut + unsent > 0))) {
      const blocks = readChecked(input, rules, survey);
      await writeClosing({ blocks, journal, results, rejects: wanted ? rejects : undefined, final: !this.resumable });
    }
    await results?.close();
    // A job of which nothing landed has its input for that.
    const written = this.landed ? await rejects?.close() : await rejects?.discard();
    this.#rejects = written;
    journal.note('rejects', written ?? null);
    return written ? this.#shown(written.path) : null;
  }

  /** The path of a file as the user may write it here. */
  #shown(path: string): string {
    const { options } = this.#work;
    const { cwd } = this.#context;
    return options.rejects !== undefined && cwd === this.#job.description.cwd ? options.rejects : relative(cwd, path);
  }

  async #end(rejects: string | null, now: number): Promise<void> {
    const { journal, place, description } = this.#job;
    try {
      if (!this.resumable) journal.note('done', { rejects });
      this.#recorder.flush(now);
      const spools = this.resumable ? [] : description.inputs.filter(({ spooled }) => spooled);
      for (const { path } of spools) await rm(path, { force: true });
    } finally {
      journal.close();
      place?.release();
    }
  }

  async #guarded<Value>(step: () => Value | Promise<Value>, otherwise: Value): Promise<Value> {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      if (this.stop?.why !== 'broken') this.stop = { why: 'broken', error };
      return otherwise;
    }
  }

  async #tellStrangers(): Promise<void> {
    const { strangers, strangerCount } = this.#tally;
    if (strangerCount === 0) return;
    const more = strangerCount > strangers.length ? ` and ${strangerCount - strangers.length} more` : '';
    await this.#context.warn(`the reply names ids that were not sent: ${strangers.join(', ')}${more}`);
  }
}

function pauseBefore(repetition: number): number {
  return Math.random() * Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (repetition - 1));
}
