import type { CommandDefinition } from '../definition.ts';

/** Commands that look at the interface itself, call it raw, or show what it answers in another form. */
export const TOOL_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['api'],
    summary: 'Call any path of the service',
    description:
      'Sends the given JSON as the data of a call, as it is: nothing is checked or asked before. A path of the interface is called with its own credentials and retried as its command would be; any other path once, with the API key unless told. Answers outside of the usual envelope are taken as they come.',
    examples: [
      { command: `svc api /v2/agents/get --data '{"filter":"customOnly"}'`, does: 'a path of the interface' },
      { command: 'svc api /v2/some/new/path --data @body.json --auth workspace', does: 'any other path' },
      {
        command: `svc api /v2/organizations/documents/get --data '{"organizationId":"acme"}' --paginate --jq '.[].id'`,
        does: 'every page, and of it the ids',
      },
    ],
    arguments: [{ name: 'path', describes: 'what follows the base URL: /v2/users/add', required: true }],
    options: [
      { flags: '--data <json>', describes: 'any JSON, @file or \'-\'; put into {"data": …} unless it is already' },
      {
        flags: '--auth <kind>',
        describes: "credentials to send (those of the path's operation, else key)",
        choices: ['key', 'workspace', 'none'],
      },
      { flags: '--paginate', describes: 'follow the pages to the end' },
    ],
    load: async () => (await import('./api.ts')).apiCommand,
  },
  {
    command: ['schema'],
    summary: "Show an operation's JSON Schema",
    description:
      'Prints the schemas of what an operation takes, of what it answers, and of one record of its --file. Without an operation it lists them all.',
    examples: [
      { command: 'svc schema', does: 'every operation' },
      { command: 'svc schema users add --jq .record', does: 'what a record of a file may hold' },
    ],
    arguments: [{ name: 'operation', describes: 'its name, command or path: users.add', required: false, many: true }],
    load: async () => (await import('./schema.ts')).schemaCommand,
  },
  {
    command: ['openapi'],
    summary: 'Print the interface as an OpenAPI document',
    examples: [{ command: 'svc openapi > openapi.json', does: 'for generators and API browsers' }],
    load: async () => (await import('./openapi.ts')).openApiCommand,
  },
  {
    command: ['folders', 'tree'],
    summary: 'Draw the folders of an organization as a tree',
    description:
      'Each folder with its access, its id and the number of folders below it. ACCESSIBLE=1 draws with words and plain characters.',
    examples: [
      { command: 'svc folders tree --org acme', does: 'all folders' },
      { command: 'svc folders tree --org acme --folder f1 --max-depth 2', does: 'two levels below one folder' },
    ],
    options: [
      { flags: '--org <id>', describes: 'organization id (required)' },
      { flags: '--folder <id>', describes: 'only this folder, with what is below it' },
      { flags: '--max-depth <n>', describes: 'levels to show (all when left out)' },
    ],
    load: async () => (await import('./folders-tree.ts')).foldersTreeCommand,
  },
  {
    command: ['access-tokens', 'inspect'],
    summary: 'Show what an access token says',
    description:
      "Reads the claims of a user's access token, how long it lasts and what it gives access to. The signature is not verified. Hand the token over by stdin: as a word of the command line it stays in the shell's history.",
    examples: [
      {
        command:
          'svc access-tokens generate --user u1 --name Ada --email ada@example.com --resource type=organization,id=acme -q | svc access-tokens inspect -',
        does: 'what a new token gives access to',
      },
    ],
    arguments: [{ name: 'token', describes: "'-' reads it from stdin", required: true }],
    load: async () => (await import('./inspect-token.ts')).inspectTokenCommand,
  },
];
