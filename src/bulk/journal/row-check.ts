import { crc32 } from 'node:zlib';

type Value = string | number | null;

/** A check value over the parts of a row. With it a damaged row is told from what was written. */
export function rowCheck(...parts: readonly Value[]): number {
  return crc32(JSON.stringify(parts));
}
