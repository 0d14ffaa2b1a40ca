import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns the path of a temporary file, which does not exist. */
export function createTemporaryPath(purpose: string): string {
  return join(tmpdir(), `svc-${purpose}-${randomUUID()}`);
}
