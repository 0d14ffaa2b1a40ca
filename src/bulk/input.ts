import { resolve } from 'node:path';
import { SvcError } from '../kernel/errors.ts';
import { type FileRequest, type InputFile, memoryFile, openInputFile } from './input-file.ts';
import { nameOfAll } from './record-place.ts';
import type { FieldMap } from './source/field-map.ts';

/** The records of a job: those of one file after another. */
export interface RecordInput {
  /** At least one. */
  readonly files: readonly InputFile[];
  /** As messages call all of it: `users.json`, `a.json, b.csv`, `a.json and 9 more files`. */
  readonly name: string;
  /** How far the first reading is. The whole is not known of what comes through a pipe. */
  readonly reading: { readonly bytes: number; readonly of: number | undefined };
  /** Once all of it was read. @throws SvcError `usage` for a field to rename that no record had */
  checkMap(): void;
  /** Removes what was kept of pipes. */
  discard(): Promise<void>;
}

/** One of the files to read. */
export type FileChoice = Pick<FileRequest, 'file' | 'name' | 'format'>;

/** The files to read and what their records look like. */
export interface InputRequest extends Omit<FileRequest, keyof FileChoice> {
  readonly files: readonly FileChoice[];
}

/**
 * Looks for the files of an input.
 * @throws SvcError `usage` when one is not there, comes twice or has no format that can be told; `local` when one cannot
 * be read; `bad_data` for one that has to be looked into and is empty or not text
 */
export async function openInput({ files, ...request }: InputRequest): Promise<RecordInput> {
  checkAllDiffer(files, request.cwd);
  const opened: InputFile[] = [];
  for (const [at, choice] of files.entries()) {
    opened.push(await openInputFile({ ...request, ...choice, spool: spoolOf(request.spool, at) }));
  }
  return new Files(opened, request.map);
}

/** Values that are in memory already. */
export function memoryInput(name: string, values: readonly unknown[]): RecordInput {
  return new Files([memoryFile(name, values)]);
}

function checkAllDiffer(files: readonly FileChoice[], cwd: string): void {
  const places = new Set<string>();
  for (const { file } of files) {
    const place = file === '-' ? file : resolve(cwd, file);
    if (places.has(place)) {
      throw new SvcError('usage', `--file: ${file === '-' ? 'stdin' : file} is given twice`, {
        hint: file === '-' ? 'what comes through a pipe is read once' : 'its records would be sent twice',
      });
    }
    places.add(place);
  }
}

/** Where each file that comes through a pipe is kept. */
function spoolOf(spool: string, at: number): string {
  return at === 0 ? spool : `${spool}-${at + 1}`;
}

class Files implements RecordInput {
  readonly files: readonly InputFile[];

  readonly #map: FieldMap | undefined;

  constructor(files: readonly InputFile[], map?: FieldMap) {
    this.files = files;
    this.#map = map;
  }

  get name(): string {
    return nameOfAll(this.files);
  }

  get reading() {
    let bytes = 0;
    let of: number | undefined = 0;
    for (const { reading } of this.files) {
      bytes += reading.bytes;
      of = of === undefined || reading.of === undefined ? undefined : of + reading.of;
    }
    return { bytes, of };
  }

  checkMap(): void {
    this.#map?.check(this.name);
  }

  async discard(): Promise<void> {
    for (const file of this.files) await file.discard();
  }
}
