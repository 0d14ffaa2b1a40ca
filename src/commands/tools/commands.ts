import { version } from '../../kernel/version.ts';
import { type CommandDefinition, defineCommand } from '../definition.ts';
import { FORCE_FLAG } from '../options.ts';

export const TOOL_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    command: ['api'],
    globalFlags: ['service', 'result', 'envelope', 'dry-run'],
    summary: 'Call any path of the service',
    description:
      'Sends the given JSON unchanged as the data of a call, without validation or confirmation. Calls to a known path use the credentials and retries of its command. Any other path is called with the API key by default, and only once unless the response asks to wait (Retry-After). Responses without the usual envelope are printed unchanged. A write that reports failed items exits with 10. With --wait, requests to the status path contain the ID and the fields of --data that name a scope, such as organizationId.',
    examples: {
      [`svc api /v2/agents/get --data '{"filter":"customOnly"}'`]: 'call a known path',
      'svc api /v2/some/new/path --data @body.json --auth workspace': 'call any other path',
      [`svc api /v2/organizations/documents/get --data '{"organizationId":"acme"}' --paginate --jq '.[].id'`]:
        'list the IDs on all pages',
      [`svc api /v2/users/data/delete --data '{"userIds":["u1"],"organizationIds":["acme"]}' --wait 'jobId:/v2/users/data/delete/status'`]:
        'start a job and wait for its end',
    },
    arguments: [
      { name: 'path', description: 'path after the base URL: /v2/users/add', required: true },
    ],
    options: [
      {
        flags: '--data <json>',
        description: 'data as JSON, @file, or \'-\' for stdin; adds {"data": …} if necessary',
      },
      {
        flags: '--auth <kind>',
        description: "credentials to send (default: those of the path's operation, otherwise key)",
        choices: ['key', 'workspace', 'none'],
      },
      { flags: '--paginate', description: 'fetch all pages' },
      {
        flags: '--wait <field:path>',
        description:
          "wait for the job whose ID is in the response's field, and exit with 10 if it failed; the path returns its status",
      },
    ],
    load: async () => (await import('./api.ts')).apiCommand,
  }),
  defineCommand({
    command: ['schema'],
    globalFlags: ['result'],
    summary: "Show an operation's JSON Schema",
    description:
      'Prints the schemas of the input and output of an operation, and of one record of its --file. With settings, prints the schema of settings files. Without a name, lists all operations.',
    examples: {
      'svc schema': 'list every operation',
      'svc schema users add --jq .record': 'show the fields of a record in a file',
      'svc schema settings --out svc.schema.json': 'check svc.yaml in an editor',
    },
    arguments: [
      {
        name: 'operation',
        description: 'name, command, or path of the operation: users.add; or settings',
        required: false,
        many: true,
      },
    ],
    options: [
      {
        flags: '--out <path>',
        description: 'write the schema to a file as JSON',
        file: 'schema',
      },
      FORCE_FLAG,
    ] as const,
    load: async () => (await import('./schema.ts')).schemaCommand,
  }),
  {
    command: ['openapi'],
    globalFlags: ['profile', 'result'],
    summary: 'Print the API as an OpenAPI document',
    examples: { 'svc openapi > openapi.json': 'save the document for generators and API browsers' },
    options: [
      { flags: '--base-url <url>', description: 'URL of the service in the document' },
      { flags: '--local', description: 'describe the embedded service on its default port' },
    ],
    load: async () => (await import('./schema.ts')).openApiCommand,
  },
  {
    command: ['version'],
    globalFlags: ['result'],
    summary: 'Print the version',
    examples: { 'svc version': 'print the version, like --version' },
    load: async () => {
      return async (context) =>
        (await context.printer()).value({ version }, { renderText: () => `${version}\n` });
    },
  },
  defineCommand({
    command: ['folders', 'tree'],
    globalFlags: ['service', 'result', 'dry-run'],
    summary: 'Draw the folders of an organization as a tree',
    description:
      'Shows the access, the ID, and the number of subfolders of each folder. With ACCESSIBLE=1, uses words and plain characters.',
    examples: {
      'svc folders tree --org acme': 'draw all folders',
      'svc folders tree --org acme --folder f1 --max-depth 2': 'draw two levels below one folder',
    },
    options: [
      {
        flags: '--org <id>',
        description: 'organization ID',
        required: true,
        suppliedBy: ['settings'],
      },
      { flags: '--folder <id>', description: 'root folder of the tree (default: all folders)' },
      {
        flags: '--max-depth <n>',
        description: 'levels to show; with --folder, levels below it (default: all)',
      },
    ],
    load: async () => (await import('./folders-tree.ts')).foldersTreeCommand,
  }),
  {
    command: ['access-tokens', 'inspect'],
    globalFlags: ['local', 'result'],
    summary: 'Show the contents of an access token',
    description:
      "Shows the claims of a user's access token, its lifetime, and the resources it grants access to. The signature is not verified, except with --local: the embedded service then verifies the token and its lifetime, and rejects a token that it did not issue or that has expired. Pass the token through stdin: an argument would stay in the shell's history.",
    examples: {
      'svc access-tokens generate --user u1 --name Ada --email ada@example.com --resource type=organization,id=acme -q | svc access-tokens inspect -':
        'show the access that a new token grants',
      'svc access-tokens generate --local --user u1 --name Ada --email ada@example.com --resource type=organization,id=acme -q | svc access-tokens inspect - --local':
        'verify a token of the embedded service',
    },
    arguments: [
      { name: 'token', description: "token, or '-' to read it from stdin", required: true },
    ],
    load: async () => (await import('./inspect-token.ts')).inspectTokenCommand,
  },
];
