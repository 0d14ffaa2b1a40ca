import { basename, resolve } from 'node:path';
import { SvcError } from '../kernel/errors.ts';
import { localFileError } from '../kernel/files.ts';
import type { BulkEvent } from './engine.ts';
import { PrivateFile } from './private-file.ts';
import type { BulkRecord, ItemResult } from './record.ts';
import { Rejects } from './rejects.ts';
import type { RejectsSource } from './source/record.ts';
import { Tally } from './summary.ts';

export interface RecorderOptions {
  readonly cwd: string;
  readonly source: RejectsSource;
  /** Where the rejects go; left out, a file beside the working folder's others, named after the input. Null: nowhere. */
  readonly rejects?: string | null;
  /** Where a line for each record goes. */
  readonly results?: string;
}

type Settled = Extract<BulkEvent, { kind: 'settled' }>;

/** Keeps what becomes of each record: counts, rejects, results. */
export class Recorder {
  readonly tally = new Tally();
  readonly #rejects: Rejects | undefined;
  /** The rejects' path as the user gave it. */
  readonly #rejectsPath: string | undefined;
  readonly #results: PrivateFile | undefined;
  readonly #broken = new AbortController();

  private constructor(rejects: Rejects | undefined, rejectsPath: string | undefined, results: PrivateFile | undefined) {
    this.#rejects = rejects;
    this.#rejectsPath = rejectsPath;
    this.#results = results;
  }

  /** @throws SvcError `usage` when a file would go over the input, `local` when one cannot be written. */
  static async open({ cwd, source, rejects, results }: RecorderOptions): Promise<Recorder> {
    for (const [flag, path] of [['--rejects', rejects] as const, ['--results', results] as const]) {
      if (typeof path === 'string' && resolve(cwd, path) === resolve(cwd, source.name)) {
        throw new SvcError('usage', `${flag}: ${path} is the input itself`, { hint: 'name another file' });
      }
    }
    return new Recorder(
      await openRejects(cwd, source, rejects),
      rejects ?? undefined,
      results === undefined ? undefined : await PrivateFile.create(resolve(cwd, results), 'empty'),
    );
  }

  /** Aborted, with the error, as soon as something could not be written down: nothing more should be sent. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** Whether the service may have anything of the job. */
  get landed(): boolean {
    const { succeeded, failed, unknown } = this.tally.counts;
    return succeeded + failed + unknown > 0;
  }

  async settle(settled: Settled): Promise<void> {
    this.tally.add(settled);
    if (this.broken.aborted) return;
    try {
      await this.#rejects?.add(settled.items);
      await this.#results?.write(settled.items.map(resultLine).join(''));
    } catch (error) {
      this.#broken.abort(localFileError('write', 'the results', error));
    }
  }

  /** Records that are left out because another one has their id. */
  leaveOut(records: readonly BulkRecord[]): Promise<void> {
    const said = { status: 'skipped', message: 'another record with this id is sent', code: 'duplicate' } as const;
    return this.settle({
      kind: 'settled',
      items: records.map((record) => ({ record, ...said })),
      requests: 0,
      retries: 0,
    });
  }

  /** Finishes the files; the path of the rejects from the working folder, if there are any. A job of which nothing landed has its input for that. */
  async close(): Promise<string | null> {
    try {
      await this.#results?.close();
      const path = this.landed ? await this.#rejects?.close() : await this.#rejects?.discard();
      return path ? (this.#rejectsPath ?? basename(path)) : null;
    } catch (error) {
      this.#broken.abort(localFileError('write', 'the results', error));
      return null;
    }
  }
}

async function openRejects(
  cwd: string,
  source: RejectsSource,
  path: RecorderOptions['rejects'],
): Promise<Rejects | undefined> {
  if (path === null) return undefined;
  return path === undefined ? Rejects.beside(cwd, source) : Rejects.at(resolve(cwd, path), source);
}

function resultLine({ record: { id, line }, status, message, code }: ItemResult): string {
  return `${JSON.stringify({ id, line, status, message, code })}\n`;
}
