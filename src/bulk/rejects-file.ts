import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SvcError, systemErrorCode } from '../kernel/errors.ts';
import type { RecordResult } from './bulk-record.ts';
import { PrivateFile } from './private-file.ts';
import type { LocateRecord } from './record-position.ts';
import type { InputFormat, Source } from './source/source.ts';

interface FileFraming {
  readonly before: string;
  readonly between: string;
  readonly after: string;
}

const FRAMINGS: Readonly<Record<InputFormat, (preamble: string) => FileFraming>> = {
  json: () => ({ before: '[\n', between: ',\n', after: '\n]\n' }),
  ndjson: () => ({ before: '', between: '\n', after: '\n' }),
  csv: (header) => ({ before: `${header}\n`, between: '\n', after: '\n' }),
  yaml: () => ({ before: '', between: '\n', after: '\n' }),
};

export interface RejectsFormat extends Pick<Source, 'format' | 'preamble'> {
  readonly name: string;
  /** Whether records are converted to NDJSON instead of keeping their source text. */
  readonly isConverted: boolean;
}

/** State of a rejects file after the job wrote it, to detect later edits. */
export interface WrittenRejects {
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** The file's format. Absent in journals of earlier versions. */
  readonly format?: InputFormat;
  /** Whether records were converted and use the service's field names. */
  readonly isAnew?: boolean;
}

export interface RejectsRequest {
  readonly format: RejectsFormat;
  readonly locate: LocateRecord;
  /** Output path (default: a new file in `folder`, named after the input). */
  readonly path?: string;
  readonly folder: string;
  /** The file of an earlier run of the job, which this run replaces. */
  readonly earlier?: WrittenRejects;
}

export function chooseRejectsFormat(
  files: readonly { readonly name: string; readonly format: InputFormat; readonly preamble: string }[],
  fallbackName: string,
): RejectsFormat {
  const [first, ...others] = files;
  if (!first) throw new TypeError('at least one input file is required');
  const name = others.length === 0 ? first.name : fallbackName;
  const { format, preamble } = first;
  const isUniform = others.every((other) => other.format === format && other.preamble === preamble);
  if (!isUniform) return { name, format: 'ndjson', preamble: () => '', isConverted: true };
  return { name, format, preamble: () => preamble, isConverted: false };
}

/**
 * A file with the unsuccessful records, unchanged and in the input's format, which the user can correct and send again.
 * Contains generated IDs: a record that may have been applied must be sent again with the same ID. A second file,
 * `<path>.reasons.ndjson`, lists the reasons in the same order.
 */
export class RejectsFile {
  readonly #create: () => Promise<PrivateFile>;
  readonly #request: RejectsRequest;
  #records: PrivateFile | undefined;
  #reasons: PrivateFile | undefined;
  #empty = true;

  private constructor(create: () => Promise<PrivateFile>, request: RejectsRequest) {
    this.#create = create;
    this.#request = request;
  }

  get #framing(): FileFraming {
    const { format, preamble } = this.#request.format;
    return FRAMINGS[format](preamble());
  }

  /**
   * Opens a given path immediately, to report an unwritable path before sending. Keeps the content of an existing file
   * until the first reject.
   * @throws SvcError `usage` if the file of an earlier run was edited
   */
  static async open(request: RejectsRequest): Promise<RejectsFile> {
    const { format, path, folder, earlier } = request;
    const isReplaceable = earlier && (await isUnchanged(earlier));
    if (path === undefined) {
      const create = () => (isReplaceable ? PrivateFile.create(earlier.path, 'empty') : createNumbered(folder, format));
      const rejects = new RejectsFile(create, request);
      if (isReplaceable) await rejects.#open();
      return rejects;
    }
    if (earlier && isReplaceable === false && (await exists(path))) {
      throw new SvcError('usage', `--rejects: ${path} was edited after the last run of the job`, {
        hint: 'move the file, then resume the job, which writes all rejects to a new file',
      });
    }
    const rejects = new RejectsFile(() => PrivateFile.create(path, 'keep'), request);
    await rejects.#open();
    return rejects;
  }

  async add(items: readonly RecordResult[]): Promise<void> {
    if (items.length === 0) return;
    const { records, reasons } = await this.#open();
    if (this.#empty) await records.truncateTo(0);
    const { before, between } = this.#framing;
    const { isConverted } = this.#request.format;
    const prefix = this.#empty ? before : between;
    this.#empty = false;
    await records.write(
      prefix + items.map(({ record }) => (isConverted ? record.jsonLine : record.text)).join(between),
    );
    await reasons.write(items.map((item) => this.#reasonLine(item)).join(''));
  }

  /** Completes the files. Without rejects, deletes them and returns `undefined`. */
  async close(): Promise<WrittenRejects | undefined> {
    if (this.#empty || !this.#records) return this.discard();
    await this.#records.write(this.#framing.after);
    await this.#records.close();
    await this.#reasons?.close();
    const { path } = this.#records;
    const { size, mtimeMs } = await stat(path);
    const { format, isConverted } = this.#request.format;
    return { path, bytes: size, changedAt: mtimeMs, format, isAnew: isConverted };
  }

  async discard(): Promise<undefined> {
    await this.#records?.discard();
    await this.#reasons?.discard();
  }

  #reasonLine({ record: { id, index, line }, status, message, code }: RecordResult): string {
    return `${JSON.stringify({ ...this.#request.locate(index, line), id, status, code, message })}\n`;
  }

  async #open(): Promise<{ records: PrivateFile; reasons: PrivateFile }> {
    this.#records ??= await this.#create();
    this.#reasons ??= await PrivateFile.create(`${this.#records.path}.reasons.ndjson`, 'empty');
    return { records: this.#records, reasons: this.#reasons };
  }
}

async function isUnchanged({ path, bytes, changedAt }: WrittenRejects): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.size === bytes && stats.mtimeMs === changedAt;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/**
 * Creates `users.rejects.json` for `users.json` and for `users.rejects.json` itself, or `users.rejects.2.json` if that
 * exists. Removes leading dashes: the name for `--data` is `data.rejects.json`.
 */
async function createNumbered(folder: string, { name, format }: RejectsFormat): Promise<PrivateFile> {
  const stem =
    basename(name)
      .replace(/\.gz$/i, '')
      .replace(/\.[^.]*$/, '')
      .replace(/\.rejects(\.\d+)?$/, '')
      .replace(/^-+/, '') || 'input';
  for (let number = 1; ; number += 1) {
    const path = join(folder, `${stem}.rejects${number === 1 ? '' : `.${number}`}.${format}`);
    try {
      return await PrivateFile.create(path, 'fail');
    } catch (error) {
      if (!(error instanceof Error && systemErrorCode(error.cause) === 'EEXIST')) throw error;
    }
  }
}
