import { type OperationOutline, outline } from '../../catalog/outline.ts';
import { MAP_FLAG } from '../bulk/column-map.ts';
import { DUPLICATES_FLAG, FILE_FLAG, INPUT_FORMAT_FLAG } from '../bulk/record-flags.ts';
import type { CommandDefinition, OptionDefinition } from '../definition.ts';

/** An input that shows what records of a kind look like. */
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

const ORG_FLAG: OptionDefinition = {
  flags: '--org <id>',
  describes: 'organization that the records are for: records that name another one are findings',
};

/** One command for each kind of record that an operation takes many of. */
export const VALIDATE_COMMANDS: readonly CommandDefinition[] = [
  ...Map.groupBy(
    outline.filter(({ bulk }) => bulk),
    ({ command }) => command[0],
  ),
].map(([noun, operations]) => validateCommand(noun, operations));

function validateCommand(noun: string, operations: readonly OperationOutline[]): CommandDefinition {
  const verbs = [...new Set(operations.map(({ command }) => command.at(-1) ?? ''))];
  const versions = [...new Set(operations.map(({ version }) => version))];
  const example = EXAMPLES[noun];
  return {
    command: [noun, 'validate'],
    summary: 'Check files of records, without sending anything',
    description: `Reads the whole of each file as ${verbs.map((verb) => `svc ${noun} ${verb}`).join(' or ')} would, and reports everything that is wrong with them, each with its place. It needs no credentials and no network. Exit code 3: there are findings.`,
    examples: [
      ...(example ? [{ command: example, does: 'check every record' }] : []),
      ...(noun === 'users'
        ? [
            { command: 'svc users validate --file users.json --format github', does: 'annotations for GitHub Actions' },
            { command: 'svc users validate --file users.ndjson -o json', does: 'findings for programs' },
          ]
        : []),
    ],
    options: [
      { ...FILE_FLAG, describes: `${FILE_FLAG.describes} (required)` },
      INPUT_FORMAT_FLAG,
      ...choice('--for <what>', `what the records are for (${verbs[0]})`, verbs),
      ...choice('--api-version <v>', `version of the call (${versions[0]})`, versions),
      ...(goesToOne(noun, operations) ? [ORG_FLAG] : []),
      DUPLICATES_FLAG,
      MAP_FLAG,
      { flags: '--format <form>', describes: 'form of the findings (text)', choices: ['text', 'github'] },
    ],
    load: async () => {
      const { validate } = await import('./validate.ts');
      return (context, invocation) => validate(context, { noun, verb: verbs[0] ?? '' }, invocation);
    },
  };
}

/** Whether all records of a file go to one organization: neither are they organizations, nor is each a call of its own. */
function goesToOne(noun: string, operations: readonly OperationOutline[]): boolean {
  return noun !== 'organizations' && operations.some(({ bulk }) => bulk === 'array');
}

function choice(flags: string, describes: string, choices: readonly string[]): readonly OptionDefinition[] {
  return choices.length > 1 ? [{ flags, describes, choices }] : [];
}
