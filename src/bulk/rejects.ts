import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SvcError, systemErrorCode } from '../kernel/errors.ts';
import { PrivateFile } from './private-file.ts';
import type { BulkRecord, ItemResult } from './record.ts';
import type { PlaceOf } from './record-place.ts';
import type { RejectsForm } from './rejects-form.ts';
import type { InputFormat } from './source/record.ts';

/** What stands before, between and after the records of a file. */
interface Layout {
  readonly before: string;
  readonly between: string;
  readonly after: string;
}

const LAYOUTS: Readonly<Record<InputFormat, (preamble: string) => Layout>> = {
  json: () => ({ before: '[\n', between: ',\n', after: '\n]\n' }),
  ndjson: () => ({ before: '', between: '\n', after: '\n' }),
  csv: (header) => ({ before: `${header}\n`, between: '\n', after: '\n' }),
  yaml: () => ({ before: '', between: '\n', after: '\n' }),
};

const EXTENSIONS: Readonly<Record<InputFormat, string>> = {
  json: '.json',
  ndjson: '.ndjson',
  csv: '.csv',
  yaml: '.yaml',
};

/** The rejects as a job left them, to tell them from a file that was edited since. */
export interface WrittenRejects {
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** How the file is to be read. Absent in journals of earlier versions. */
  readonly format?: InputFormat;
  /** Its records are not as the input holds them: they have the service's own names for fields. */
  readonly isAnew?: boolean;
}

export interface RejectsRequest {
  readonly form: RejectsForm;
  readonly place: PlaceOf;
  /** Where they go; left out, beside the folder's other files, named after the input, and never over another file. */
  readonly path?: string;
  readonly folder: string;
  /** What an earlier run of the job wrote, and this one replaces. */
  readonly earlier?: WrittenRejects;
}

/**
 * The records that did not land, as the input holds them and in its format, so that the file can be corrected and fed
 * back; those of files in several forms as NDJSON. Only an id that was made up is added, since a record that perhaps landed must come again under the same one. Why
 * each is there stands in the same order in a second file, `<path>.reasons.ndjson`.
 */
export class Rejects {
  readonly #create: () => Promise<PrivateFile>;
  readonly #layout: () => Layout;
  readonly #textOf: (record: BulkRecord) => string;
  readonly #place: PlaceOf;
  readonly #form: Pick<RejectsForm, 'format' | 'isAnew'>;
  #records: PrivateFile | undefined;
  #reasons: PrivateFile | undefined;
  #empty = true;

  private constructor(create: () => Promise<PrivateFile>, { form, place }: RejectsRequest) {
    const { format, isAnew } = form;
    this.#create = create;
    this.#form = { format, isAnew };
    this.#layout = () => LAYOUTS[form.format](form.preamble());
    this.#textOf = form.isAnew ? ({ jsonLine }) => jsonLine : ({ text }) => text;
    this.#place = place;
  }

  /**
   * A path that was asked for is opened at once, so that a place that cannot be written is known before sending; what is
   * there stays until there are rejects.
   * @throws SvcError `usage` when what an earlier run wrote there was changed since
   */
  static async open(request: RejectsRequest): Promise<Rejects> {
    const { form, path, folder, earlier } = request;
    const own = earlier && (await isAsWritten(earlier));
    if (path === undefined) {
      const create = () => (own ? PrivateFile.create(earlier.path, 'empty') : createNumbered(folder, form));
      const rejects = new Rejects(create, request);
      if (own) await rejects.#open();
      return rejects;
    }
    if (earlier && own === false && (await exists(path))) {
      throw new SvcError('usage', `--rejects: ${path} was changed since the job wrote it`, {
        hint: 'move it to another place, then resume; the job writes all of its rejects again',
      });
    }
    const rejects = new Rejects(() => PrivateFile.create(path, 'keep'), request);
    await rejects.#open();
    return rejects;
  }

  async add(items: readonly ItemResult[]): Promise<void> {
    if (items.length === 0) return;
    const { records, reasons } = await this.#open();
    if (this.#empty) await records.cutTo(0);
    const { before, between } = this.#layout();
    const lead = this.#empty ? before : between;
    this.#empty = false;
    await records.write(lead + items.map(({ record }) => this.#textOf(record)).join(between));
    await reasons.write(items.map((item) => this.#reasonLine(item)).join(''));
  }

  /** Finishes the files. Undefined when there were no rejects: then no file stays. */
  async close(): Promise<WrittenRejects | undefined> {
    if (this.#empty || !this.#records) return this.discard();
    await this.#records.write(this.#layout().after);
    await this.#records.close();
    await this.#reasons?.close();
    const { path } = this.#records;
    const { size, mtimeMs } = await stat(path);
    return { path, bytes: size, changedAt: mtimeMs, ...this.#form };
  }

  /** Leaves no file behind. */
  async discard(): Promise<undefined> {
    await this.#records?.discard();
    await this.#reasons?.discard();
  }

  #reasonLine({ record: { id, index, line }, status, message, code }: ItemResult): string {
    return `${JSON.stringify({ ...this.#place(index, line), id, status, code, message })}\n`;
  }

  async #open(): Promise<{ records: PrivateFile; reasons: PrivateFile }> {
    this.#records ??= await this.#create();
    this.#reasons ??= await PrivateFile.create(`${this.#records.path}.reasons.ndjson`, 'empty');
    return { records: this.#records, reasons: this.#reasons };
  }
}

async function isAsWritten({ path, bytes, changedAt }: WrittenRejects): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.size === bytes && found.mtimeMs === changedAt;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/**
 * `users.json` gives `users.rejects.json`, then `users.rejects.2.json`; so does `users.rejects.json` itself. Records of
 * `--data` go to `data.rejects.json`: a name that began with a dash would be taken for a flag.
 */
async function createNumbered(folder: string, { name, format }: RejectsForm): Promise<PrivateFile> {
  const stem =
    basename(name)
      .replace(/\.gz$/i, '')
      .replace(/\.[^.]*$/, '')
      .replace(/\.rejects(\.\d+)?$/, '')
      .replace(/^-+/, '') || 'input';
  for (let number = 1; ; number += 1) {
    const path = join(folder, `${stem}.rejects${number === 1 ? '' : `.${number}`}${EXTENSIONS[format]}`);
    try {
      return await PrivateFile.create(path, 'fail');
    } catch (error) {
      if (!(error instanceof Error && systemErrorCode(error.cause) === 'EEXIST')) throw error;
    }
  }
}
