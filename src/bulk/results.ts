import { PrivateFile } from './private-file.ts';
import type { ItemResult } from './record.ts';
import type { PlaceOf } from './record-place.ts';

/** What became of each record, a line of NDJSON each, as it becomes known. */
export class Results {
  readonly #file: PrivateFile;
  readonly #place: PlaceOf;
  #bytes: number;

  private constructor(file: PrivateFile, place: PlaceOf, bytes: number) {
    this.#file = file;
    this.#place = place;
    this.#bytes = bytes;
  }

  /** @param kept bytes of earlier runs that stay; what stands behind them is written again */
  static async open(path: string, place: PlaceOf, kept: number | undefined): Promise<Results> {
    const file = await PrivateFile.create(path, kept === undefined ? 'empty' : 'keep');
    return new Results(file, place, kept === undefined ? 0 : await file.cutTo(kept));
  }

  /** Bytes up to the end of the last line. */
  get bytes(): number {
    return this.#bytes;
  }

  async write(items: readonly ItemResult[]): Promise<void> {
    if (items.length === 0) return;
    const text = items.map((item) => this.#lineOf(item)).join('');
    await this.#file.write(text);
    this.#bytes += Buffer.byteLength(text);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #lineOf({ record: { id, index, line }, status, message, code }: ItemResult): string {
    return `${JSON.stringify({ id, ...this.#place(index, line), status, message, code })}\n`;
  }
}
