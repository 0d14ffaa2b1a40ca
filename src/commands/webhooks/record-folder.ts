import { join, resolve } from 'node:path';
import type { Context } from '../context.ts';

export function recordFolder({ folders, cwd }: Context, named: string | undefined): string {
  return named === undefined ? join(folders.state, 'webhooks') : resolve(cwd, named);
}
