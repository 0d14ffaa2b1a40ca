import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifest, type OperationEntry } from '../../src/catalog/manifest.ts';

/** Returns the words of an operation's command. */
export const wordsOf = ({ command, version }: OperationEntry) => [
  ...command,
  ...(version === 'v2' &&
  manifest.filter((each) => each.command.join() === command.join()).length > 1
    ? ['--api-version', 'v2']
    : []),
];

/** Writes data to a file, because `--data` takes secrets only from files. Returns the flag for it. */
export function writeData(data: unknown): readonly string[] {
  const path = join(mkdtempSync(join(tmpdir(), 'svc-data-')), 'data.json');
  writeFileSync(path, JSON.stringify(data));
  return ['--data', `@${path}`];
}

/** The doors of the command line: each returns the words of an operation, if it has this door. */
export const DOORS: Readonly<
  Record<string, (entry: OperationEntry, data: object) => readonly string[] | undefined>
> = {
  command: (entry, data) => [...wordsOf(entry), ...writeData(data)],
  'command with --yes': (entry, data) => [...wordsOf(entry), ...writeData(data), '-y'],
  file: (entry) =>
    entry.bulk ? [...wordsOf(entry), '--org', 'acme', '--file', 'x.csv'] : undefined,
  api: ({ path }, data) => ['api', path, ...writeData(data)],
  'unknown path': ({ path }, data) => ['api', `/${path}`, ...writeData(data)],
};
