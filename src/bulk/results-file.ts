import type { RecordResult } from './bulk-record.ts';
import { PrivateFile } from './private-file.ts';
import type { LocateRecord } from './record-position.ts';

/** The results of all records as NDJSON, appended as outcomes become known. */
export class ResultsFile {
  readonly #file: PrivateFile;
  readonly #locate: LocateRecord;
  /** Size of the file up to the end of the last line. */
  bytes: number;

  private constructor(file: PrivateFile, locate: LocateRecord, bytes: number) {
    this.#file = file;
    this.#locate = locate;
    this.bytes = bytes;
  }

  /** @param kept bytes of earlier runs to keep; later bytes are written again */
  static async open(path: string, locate: LocateRecord, kept: number | undefined): Promise<ResultsFile> {
    const file = await PrivateFile.create(path, kept === undefined ? 'empty' : 'keep');
    return new ResultsFile(file, locate, kept === undefined ? 0 : await file.truncateTo(kept));
  }

  async write(items: readonly RecordResult[]): Promise<void> {
    if (items.length === 0) return;
    const text = items.map((item) => this.#lineOf(item)).join('');
    await this.#file.write(text);
    this.bytes += Buffer.byteLength(text);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #lineOf({ record: { id, index, line }, status: found, message, code, effect }: RecordResult): string {
    const status = found === 'existing' ? 'skipped' : found;
    return `${JSON.stringify({ id, ...this.#locate(index, line), status, message, code, effect })}\n`;
  }
}
