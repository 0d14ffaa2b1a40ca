import { rm } from 'node:fs/promises';
import { relative } from 'node:path';
import { writeClosing } from '../../bulk/closing.ts';
import type { Stop } from '../../bulk/outcome.ts';
import { readChecked } from '../../bulk/readings.ts';
import { placesIn } from '../../bulk/record-place.ts';
import type { WrittenRejects } from '../../bulk/rejects.ts';
import { type BulkSummary, summarize } from '../../bulk/summary.ts';
import { SvcError } from '../../kernel/errors.ts';
import { hasLanded, type JobRun } from './job-run.ts';

/** How a job stands when a run of it is over. */
export interface Finished {
  readonly summary: BulkSummary;
  readonly stop: Stop | undefined;
  /** The job has something left to do, and may go on. */
  readonly resumable: boolean;
  readonly rejects: WrittenRejects | undefined;
}

/** Writes down what is not yet, and the files. What fails here is the stop, unless there was one before. */
export function finishJob(run: JobRun, stop: Stop | undefined): Promise<Finished> {
  return new Finish(run, stop).finish();
}

/** Sums up the job at a moment of this run. Its journal is still open. */
export function summaryOf({ job, tally, metrics }: JobRun, rejects: string | null, now: number): BulkSummary {
  const { operation, records, leftOut, inputs, job: id } = job.description;
  const { succeeded, failed, unknown, requests, retries } = tally;
  return summarize({
    ...{
      operation,
      job: id,
      total: records + leftOut,
      counts: { succeeded, failed, unknown },
      requests,
      retries,
      rejects,
    },
    seconds: Math.round(metrics.seconds(now) * 1000) / 1000,
    items: job.journal.items(),
    place: placesIn(inputs),
  });
}

class Finish {
  readonly #run: JobRun;
  #stop: Stop | undefined;
  #resumable = false;
  #rejects: WrittenRejects | undefined;

  constructor(run: JobRun, stop: Stop | undefined) {
    this.#run = run;
    this.#stop = stop;
  }

  async finish(): Promise<Finished> {
    const { context, recorder } = this.#run;
    const { journal, place } = this.#run.job;
    const open = await this.#guarded(() => {
      recorder.flush();
      return journal.counts().open;
    }, 1);
    this.#resumable = place !== undefined && (this.#stop !== undefined || open > 0);
    const rejects = await this.#guarded(() => this.#close(), null);
    if (place && this.#stop?.why === 'broken') this.#resumable = true;
    const now = context.clock.now();
    const summary = summaryOf(this.#run, rejects, now);
    await this.#guarded(() => this.#end(rejects, now), undefined);
    return { summary, stop: this.#stop, resumable: this.#resumable, rejects: this.#rejects };
  }

  async #close(): Promise<string | null> {
    const { job, work, files, tally } = this.#run;
    const { journal } = job;
    const { rejects, results } = files;
    const { input, rules, survey } = work.input;
    const { records, leftOut } = job.description;
    const landed = hasLanded(this.#run);
    const unsent = records - tally.done;
    const wanted = tally.failed + tally.unknown > 0 || (!this.#resumable && unsent > 0);
    if (landed && ((rejects && wanted) || (results && leftOut + unsent > 0))) {
      const blocks = readChecked(input, rules, survey);
      await writeClosing({ blocks, journal, results, rejects: wanted ? rejects : undefined, final: !this.#resumable });
    }
    await results?.close();
    // A job of which nothing landed has its input for that.
    const written = landed ? await rejects?.close() : await rejects?.discard();
    this.#rejects = written;
    journal.note('rejects', written ?? null);
    return written ? this.#shown(written.path) : null;
  }

  /** The path of a file as the user may write it here. */
  #shown(path: string): string {
    const { work, job, context } = this.#run;
    const { rejects } = work.options;
    const { cwd } = context;
    return rejects !== undefined && cwd === job.description.cwd ? rejects : relative(cwd, path);
  }

  async #end(rejects: string | null, now: number): Promise<void> {
    const { journal, place, description } = this.#run.job;
    try {
      if (!this.#resumable) journal.note('done', { rejects });
      this.#run.recorder.flush('durable', now);
      const spools = this.#resumable ? [] : description.inputs.filter(({ spooled }) => spooled);
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
      if (this.#stop?.why !== 'broken') this.#stop = { why: 'broken', error };
      return otherwise;
    }
  }
}
