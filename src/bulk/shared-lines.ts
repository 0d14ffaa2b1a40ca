import type { RecordChunk } from './source/source.ts';

export class SharedLines {
  #chunk: RecordChunk = [];
  #before = 0;
  #lastLine = 0;

  startChunk(chunk: RecordChunk): void {
    this.#before += this.#chunk.length;
    this.#lastLine = this.#chunk.at(-1)?.line ?? this.#lastLine;
    this.#chunk = chunk;
  }

  positionAt(at: number): {
    readonly line: number;
    readonly column: number;
    readonly record?: number;
  } {
    const { line = 0, column = 1 } = this.#chunk[at] ?? {};
    const lineBefore = at > 0 ? this.#chunk[at - 1]?.line : this.#lastLine;
    const isShared = line === lineBefore || line === this.#chunk[at + 1]?.line;
    return { line, column, ...(isShared && { record: this.#before + at + 1 }) };
  }
}
