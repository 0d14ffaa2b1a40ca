import { crc32 } from 'node:zlib';

type Value = string | number | null;

/** Computes a checksum over the values of a row, to detect damage. */
export function rowChecksum(...parts: readonly Value[]): number {
  return crc32(JSON.stringify(parts));
}
