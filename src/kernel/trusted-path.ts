import { lstat, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { currentPlatform, userId } from './process.ts';

/** File modes: other users can write, and can replace only their own files. */
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Whether a regular file exists, and no other user but root can change or replace it: it and the
 * folders above belong to this user or root, and others can write to none of them. A folder of root
 * may have the sticky bit instead.
 */
export async function isTrustedPath(path: string): Promise<boolean> {
  try {
    const real = await realpath(path);
    if (!(await lstat(real)).isFile()) return false;
    if (currentPlatform === 'win32') return true;
    for (let each = real; ; each = dirname(each)) {
      const { uid, mode } = await lstat(each);
      const isSticky = each !== real && uid === 0 && (mode & STICKY) !== 0;
      if (uid !== 0 && uid !== userId) return false;
      if ((mode & OTHERS_WRITE) !== 0 && !isSticky) return false;
      if (each === dirname(each)) return true;
    }
  } catch {
    return false;
  }
}
