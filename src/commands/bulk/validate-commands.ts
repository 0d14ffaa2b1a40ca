import { type OperationOutline, outline } from '../../catalog/outline.ts';
import { type CommandDefinition, defineCommand } from '../definition.ts';
import { validateFlags } from './validate-flags.ts';

const EXAMPLES: Readonly<Record<string, string>> = {
  users: 'svc users validate --file users.csv',
  documents: 'svc documents validate --file documents.csv',
  folders: `printf 'folderId,folderName\\nf1,Plans\\n' | svc folders validate --file - --input-format csv`,
  organizations: `echo '[{"organizationId":"acme"}]' | svc organizations validate --file -`,
  groups: `echo '[{"groupId":"legal"}]' | svc groups validate --file -`,
  activities: `echo '[{"id":"a1","actionIcon":"star"}]' | svc activities validate --for update --file -`,
  presence: `printf 'userId,status\\nu1,away\\n' | svc presence validate --file - --input-format csv`,
  notifications: `echo '[{"actionUser":{"userId":"u1"},"displayHeadlineMessageTemplate":"Hi","displayBodyMessage":"There","notifyUsers":[]}]' | svc notifications validate --file -`,
};

const OUTPUT_EXAMPLES = {
  'svc users validate --file users.json --format github': 'print annotations for GitHub Actions',
  'svc users validate --file users.ndjson -o json': 'print findings as JSON',
};

/**
 * A `validate` command for each type of record that has bulk operations, for scripts written before
 * `--dry-run` checked files.
 */
export const VALIDATE_COMMANDS: readonly CommandDefinition[] = [
  ...Map.groupBy(
    outline.filter(({ bulk }) => bulk),
    ({ command }) => command[0],
  ),
].map(([noun, operations]) => createValidateCommand(noun, operations));

/** Joins words with `or`. Does not use `Intl.ListFormat`, which would slow down every command. */
function joinAlternatives(words: readonly string[]): string {
  return words.join(words.length > 2 ? ', ' : ' or ').replace(/, ([^,]*)$/, ', or $1');
}

function createValidateCommand(
  noun: string,
  operations: readonly OperationOutline[],
): CommandDefinition {
  const verbs = [...new Set(operations.map(({ command }) => command.at(-1) ?? ''))];
  const versions = [...new Set(operations.map(({ version }) => version))];
  // Other records are separate calls, which may differ in their organization.
  const hasOneOrganization =
    noun !== 'organizations' && operations.some(({ bulk }) => bulk === 'array');
  const example = EXAMPLES[noun];
  return defineCommand({
    command: [noun, 'validate'],
    isHidden: true,
    globalFlags: ['profile', 'local', 'result'],
    summary: 'Validate input files without sending anything',
    description: `Reads each file completely, like svc ${noun} ${joinAlternatives(verbs)}, and reports every problem with its position. Needs no credentials and no network. Exits with 3 if there are problems.`,
    examples: {
      ...(example && { [example]: 'check every record' }),
      ...(noun === 'users' && OUTPUT_EXAMPLES),
    },
    options: validateFlags(verbs, versions, hasOneOrganization),
    load: async () => {
      const { validateFiles } = await import('./validate.ts');
      return (context, invocation) =>
        validateFiles(context, { noun, verb: verbs[0] ?? '' }, invocation);
    },
  });
}
