import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A commit whose message breaks a rule. */
export interface CommitFault {
  readonly commit: string;
  readonly text: string;
}

const MAX_SUBJECT = 72;
/** Earlier commits follow no rules. */
const SINCE = '2026-11-26T12:40:00Z';

/**
 * Checks the messages of the commits in the repository at `folder`: short subjects, a body that
 * explains each change except renames, and no merges. Returns nothing without a repository.
 */
export function findCommitFaults(folder: string): readonly CommitFault[] {
  const format = '--format=%h%x00%p%x00%s%x00%b%x01';
  const log = spawnSync('git', ['log', `--since=${SINCE}`, format], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (log.status !== 0) return [];
  return log.stdout
    .split('\u0001')
    .map((entry) => entry.trim().split('\0'))
    .filter(([commit]) => commit !== '')
    .flatMap(([commit = '', parents = '', subject = '', body = '']) => {
      const texts = [
        parents.includes(' ') && 'is a merge: rebase instead',
        subject.length > MAX_SUBJECT && `has a subject of ${subject.length} characters`,
        body.trim() === '' && !/^(Rename|Move) /.test(subject) && 'has no body that explains it',
      ];
      return texts.filter((text) => text !== false).map((text) => ({ commit, text }));
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = findCommitFaults(join(import.meta.dirname, '../..'));
  for (const { commit, text } of faults) console.log(`${commit} ${text}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
