import { PrivateFile } from './private-file.ts';
import type { ItemResult } from './record.ts';

/** What became of each record, a line of NDJSON each, as it becomes known. */
export class Results {
  readonly #file: PrivateFile;
  #bytes: number;

  private constructor(file: PrivateFile, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /** @param kept bytes of earlier runs that stay; what stands behind them is written again */
  static async open(path: string, kept: number | undefined): Promise<Results> {
    const file = await PrivateFile.create(path, kept === undefined ? 'empty' : 'keep');
    return new Results(file, kept === undefined ? 0 : await file.cutTo(kept));
  }

  /** Bytes up to the end of the last line. */
  get bytes(): number {
    return this.#bytes;
  }

  async write(items: readonly ItemResult[]): Promise<void> {
    if (items.length === 0) return;
    const text = items.map(lineOf).join('');
    await this.#file.write(text);
    this.#bytes += Buffer.byteLength(text);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

function lineOf({ record: { id, line }, status, message, code }: ItemResult): string {
  return `${JSON.stringify({ id, line, status, message, code })}\n`;
}
