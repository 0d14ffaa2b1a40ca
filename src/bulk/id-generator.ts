import { createHash } from 'node:crypto';

/**
 * Creates IDs in UUID format. They depend only on job and index, so that a resumed job generates
 * the same ones.
 */
export function createIdGenerator(job: string): (index: number) => string {
  return (index) => {
    const bytes = createHash('sha256').update(`${job}\n${index}`).digest();
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };
}
