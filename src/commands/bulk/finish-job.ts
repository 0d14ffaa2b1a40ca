import { rm } from 'node:fs/promises';
import { relative } from 'node:path';
import type { StopReason } from '../../bulk/batch-request.ts';
import { readCheckedRecords } from '../../bulk/checked-records.ts';
import { writeOutcomeFiles } from '../../bulk/outcome-files.ts';
import type { WrittenRejects } from '../../bulk/rejects-file.ts';
import { type BulkSummary, summarize } from '../../bulk/summary.ts';
import { SvcError } from '../../kernel/errors.ts';
import { jobError } from './job-error.ts';
import type { JobRun } from './job-run.ts';

export interface FinishedJob {
  readonly summary: BulkSummary;
  readonly stop: StopReason | undefined;
  readonly resumable: boolean;
  readonly rejects: WrittenRejects | undefined;
}

/** Flushes the journal and completes the output files. An error stops the job, unless the run already failed. */
export function finishJob(run: JobRun, stop: StopReason | undefined): Promise<FinishedJob> {
  return new JobFinisher(run, stop).finish();
}

/** Summarizes the job. The journal must be open. */
export function summarizeRun({ job, plan, counters, metrics }: JobRun, rejects: string | null, now: number): BulkSummary {
  const refusesExisting = plan.calls.fields.ifExists !== undefined;
  const outcome = { ...counters, ...counters.existing, seconds: metrics.seconds(now), rejects, refusesExisting };
  return summarize(job.description, job.journal, outcome);
}

class JobFinisher {
  readonly #run: JobRun;
  #stop: StopReason | undefined;
  #resumable = false;
  #rejects: WrittenRejects | undefined;

  constructor(run: JobRun, stop: StopReason | undefined) {
    this.#run = run;
    this.#stop = stop;
  }

  async finish(): Promise<FinishedJob> {
    const { context, recorder } = this.#run;
    const { journal, lockedFolder } = this.#run.job;
    const unfinished = await this.#guarded(() => {
      recorder.flush();
      return journal.counts().open;
    }, 1);
    this.#resumable = lockedFolder !== undefined && (this.#stop !== undefined || unfinished > 0);
    const rejects = await this.#guarded(() => this.#close(), null);
    if (lockedFolder && this.#stop?.kind === 'broken') this.#resumable = true;
    const now = context.clock.now();
    const summary = summarizeRun(this.#run, rejects, now);
    await this.#guarded(() => this.#end(summary, now), undefined);
    return { summary, stop: this.#stop, resumable: this.#resumable, rejects: this.#rejects };
  }

  async #close(): Promise<string | null> {
    const { context, job, plan, files, counters } = this.#run;
    const { journal } = job;
    const { rejects, results } = files;
    const { input, rules, check } = plan.input;
    const { records, leftOut } = job.description;
    const started = counters.decided > 0;
    const unsent = records - counters.decided;
    const { file, rejects: namedRejects } = plan.options;
    const needsRejects =
      file === undefined && namedRejects === undefined
        ? counters.unknown > 0
        : counters.failed + counters.unknown > 0 || (!this.#resumable && unsent > 0);
    if (started && ((rejects && needsRejects) || (results && leftOut + unsent > 0))) {
      await writeOutcomeFiles({
        recordLists: readCheckedRecords(input, rules, check),
        journal,
        results,
        rejects: needsRejects ? rejects : undefined,
        isFinal: !this.#resumable,
      });
    }
    await results?.close();
    // If no record has an outcome, the input can be sent again.
    this.#rejects = started ? await rejects?.close() : await rejects?.discard();
    journal.setFact('rejects', this.#rejects ?? null);
    if (!this.#rejects) return null;
    // The path as the user would type it in the current folder.
    const { cwd } = context;
    return namedRejects !== undefined && cwd === job.description.cwd ? namedRejects : relative(cwd, this.#rejects.path);
  }

  async #end(summary: BulkSummary, now: number): Promise<void> {
    const { journal, lockedFolder, description } = this.#run.job;
    try {
      if (this.#resumable) this.#recordStop(summary);
      else journal.setFact('done', { rejects: summary.rejects });
      this.#run.recorder.flush('durable', now);
      const inputCopies = this.#resumable ? [] : description.inputs.filter(({ spooled }) => spooled);
      for (const { path } of inputCopies) await rm(path, { force: true });
    } finally {
      journal.close();
      lockedFolder?.release();
    }
  }

  /** Records the error of this run, for processes that watch the job. */
  #recordStop(summary: BulkSummary): void {
    const { job, plan, recorder } = this.#run;
    const { noun } = plan.calls.fields;
    const error = jobError(summary, { noun, stop: this.#stop, resumable: true });
    if (!(error instanceof SvcError)) return;
    job.journal.setFact('stopped', { run: recorder.runNumber, failure: error.failure, message: error.message });
  }

  async #guarded<Value>(step: () => Value | Promise<Value>, fallback: Value): Promise<Value> {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      if (this.#stop?.kind !== 'broken') this.#stop = { kind: 'broken', error };
      return fallback;
    }
  }
}
