import { crc32 } from 'node:zlib';

type Value = string | number | null;

export function rowChecksum(...parts: readonly Value[]): number {
  return crc32(JSON.stringify(parts));
}
