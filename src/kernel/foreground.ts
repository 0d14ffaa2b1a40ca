import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { currentPlatform, processId } from './process.ts';

/**
 * Whether this process may read from its terminal: the system stops a background job that tries.
 * False if unknown.
 */
export function isInForeground(): boolean {
  if (currentPlatform === 'win32') return true;
  try {
    if (currentPlatform !== 'linux')
      return execFileSync('ps', ['-o', 'stat=', '-p', String(processId)], {
        encoding: 'utf8',
      }).includes('+');
    // After the program name in parentheses: state, parent, process group, session, terminal,
    // foreground process group.
    const [, , group, , , foregroundGroup] =
      readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return group !== undefined && group === foregroundGroup;
  } catch {
    return false;
  }
}
