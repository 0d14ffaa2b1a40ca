import { createHash } from 'node:crypto';

/** Ids for records that have none, in the form of UUIDs: a function of job and position, so that a resumed job makes up the same ones. */
export function minter(job: string): (index: number) => string {
  return (index) => {
    const bytes = createHash('sha256').update(`${job}\n${index}`).digest();
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };
}
