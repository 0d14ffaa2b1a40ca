import type { OperationName } from './index.ts';

type FirstWord<Name extends OperationName> = Name extends `${infer Word}.${string}` ? Word : never;

/** Summaries of groups. The first word of each operation is a group. */
const SUMMARIES: Readonly<Record<FirstWord<OperationName>, string>> &
  Readonly<Record<string, string>> = {
  users: 'Manage users in organizations, folders, and documents',
  groups: 'Add user groups and their members',
  organizations: 'Add organizations',
  folders: 'Manage folders and folder trees',
  documents: 'Manage documents and migrate them',
  'access-tokens': 'Generate access tokens for users',
  permissions: 'Grant permissions to users',
  notifications: 'Send notifications',
  activities: 'Manage activity logs',
  presence: 'Manage user presence in documents',
  crdt: 'Manage the content of collaborative editors',
  agents: 'List and show agents',
  webhooks: 'Configure, receive, and test webhooks',
  'webhooks config': 'Configure basic webhooks',
  'webhooks advanced': 'Configure advanced webhooks',
  'webhooks endpoints': 'Manage advanced webhook endpoints',
  email: 'Configure email',
  'permission-provider': 'Configure the permission provider, which decides user permissions',
  workspace: 'Manage the workspace and its API keys',
  'auth-tokens': 'Manage auth tokens for API keys, and recover interrupted resets',
  profiles: 'Manage profiles: saved URLs, settings, and credentials',
  jobs: 'Inspect, resume, and remove bulk jobs',
  completion: 'Set up shell completion',
  contract: 'Check the embedded service against the real one',
  local: 'Manage, inspect, and test with the embedded service',
  'local snapshot': 'Save, restore, and compare the data of the embedded service',
  'local clock': 'Change the time of the embedded service',
  'local faults': 'Make requests to the embedded service fail on purpose',
  'local requests': 'Inspect and wait for requests to svc serve',
  'local deliveries': 'Inspect and retry webhook deliveries from the embedded service',
};
export const GROUPS: ReadonlyMap<string, string> = new Map(Object.entries(SUMMARIES));

/** Commands of a group that come before or after its other commands. */
export const COMMAND_PLACES: ReadonlyMap<string, 'first' | 'last'> = new Map([
  ['webhooks setup', 'first'],
  ['webhooks config', 'last'],
]);

const words = (text: string): readonly string[] => text.split(' ');

/** Section of commands for programs. The list of all commands names them in one line. */
export const DEVELOPER_SECTION = 'For developers';

export const SECTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'Manage',
    words(
      'users groups organizations folders documents permissions access-tokens notifications activities presence crdt agents webhooks',
    ),
  ],
  ['Settings as code', words('pull plan approve apply drift compare undo')],
  ['Run a service', words('serve open local contract')],
  ['Automate', words('jobs history mcp')],
  [
    'Settings',
    words('profiles whoami auth-tokens workspace email permission-provider completion doctor'),
  ],
  [DEVELOPER_SECTION, words('api schema openapi commands version')],
]);

export const GROUP_DETAILS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    completion: [
      "For developers: 'svc completion bash' prints the script; also zsh, fish, and powershell.",
    ],
    webhooks: [
      'For new receivers, use endpoints (advanced webhooks): signed, filtered, retried.',
      'For older receivers, use config (basic webhooks): one or two URLs, no retries.',
      "Run 'svc webhooks setup' to create an endpoint and to enable advanced webhooks.",
    ],
  }),
);
