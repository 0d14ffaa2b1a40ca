import { basename, join } from 'node:path';
import { systemErrorCode } from '../kernel/errors.ts';
import { PrivateFile } from './private-file.ts';
import type { ItemResult } from './record.ts';
import type { InputFormat, RejectsSource } from './source/record.ts';

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

/** Whether a record belongs into the rejects: it did not surely land, and no other record with its id stands for it. */
function isReject({ status, code }: ItemResult): boolean {
  return status !== 'succeeded' && code !== 'duplicate';
}

/**
 * The records that did not land, as the input holds them and in its format, so that the file can be corrected and fed
 * back. Only an id that was made up is added, since a record that perhaps landed must come again under the same one. Why each is there stands in the same order in a second file, `<path>.reasons.ndjson`.
 */
export class Rejects {
  readonly #create: () => Promise<PrivateFile>;
  readonly #layout: () => Layout;
  #records: PrivateFile | undefined;
  #reasons: PrivateFile | undefined;
  #empty = true;

  private constructor(create: () => Promise<PrivateFile>, { format, preamble }: RejectsSource) {
    this.#create = create;
    this.#layout = () => LAYOUTS[format](preamble());
  }

  /** At a path of the user's choice. It is opened at once, so that a place that cannot be written is known before sending. */
  static async at(path: string, source: RejectsSource): Promise<Rejects> {
    const rejects = new Rejects(() => PrivateFile.create(path, 'empty'), source);
    await rejects.#open();
    return rejects;
  }

  /** Named after the input, in a folder; made when the first record comes, and never over another file. */
  static beside(folder: string, source: RejectsSource): Rejects {
    return new Rejects(() => createNumbered(folder, source), source);
  }

  async add(items: readonly ItemResult[]): Promise<void> {
    const rejects = items.filter(isReject);
    if (rejects.length === 0) return;
    const { records, reasons } = await this.#open();
    const { before, between } = this.#layout();
    const lead = this.#empty ? before : between;
    this.#empty = false;
    await records.write(lead + rejects.map(({ record }) => record.text).join(between));
    await reasons.write(rejects.map(reasonLine).join(''));
  }

  /** Finishes the files. Gives the path of the records, or null when there were none: then no file stays. */
  async close(): Promise<string | null> {
    if (this.#empty) return this.discard();
    await this.#records?.write(this.#layout().after);
    await this.#records?.close();
    await this.#reasons?.close();
    return this.#records?.path ?? null;
  }

  /** Leaves no file behind. */
  async discard(): Promise<null> {
    await this.#records?.discard();
    await this.#reasons?.discard();
    return null;
  }

  async #open(): Promise<{ records: PrivateFile; reasons: PrivateFile }> {
    this.#records ??= await this.#create();
    this.#reasons ??= await PrivateFile.create(`${this.#records.path}.reasons.ndjson`, 'empty');
    return { records: this.#records, reasons: this.#reasons };
  }
}

function reasonLine({ record: { id, line }, status, message, code }: ItemResult): string {
  return `${JSON.stringify({ line, id, status, code, message })}\n`;
}

/**
 * `users.json` gives `users.rejects.json`, then `users.rejects.2.json`; so does `users.rejects.json` itself. Records of
 * `--data` go to `data.rejects.json`: a name that began with a dash would be taken for a flag.
 */
async function createNumbered(folder: string, { name, format }: RejectsSource): Promise<PrivateFile> {
  const stem =
    basename(name)
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
