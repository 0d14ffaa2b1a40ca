import { manifest, type OperationEntry } from '../../src/catalog/manifest.ts';

/** Returns the words of an operation's command. */
export const wordsOf = ({ command, version }: OperationEntry) => [
  ...command,
  ...(version === 'v2' &&
  manifest.filter((each) => each.command.join() === command.join()).length > 1
    ? ['--api-version', 'v2']
    : []),
];

/** The doors of the command line: each returns the words of an operation, if it has this door. */
export const DOORS: Readonly<
  Record<string, (entry: OperationEntry, data: object) => readonly string[] | undefined>
> = {
  command: (entry, data) => [...wordsOf(entry), '--data', JSON.stringify(data)],
  'command with --yes': (entry, data) => [...wordsOf(entry), '--data', JSON.stringify(data), '-y'],
  file: (entry) =>
    entry.bulk ? [...wordsOf(entry), '--org', 'acme', '--file', 'x.csv'] : undefined,
  api: ({ path }, data) => ['api', path, '--data', JSON.stringify(data)],
  'unknown path': ({ path }, data) => ['api', `/${path}`, '--data', JSON.stringify(data)],
};
