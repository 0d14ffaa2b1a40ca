/** Summaries of the help topics. `topics.ts` has the texts and is loaded only to print one. */
const SUMMARIES = {
  flags: 'Flags that every command accepts',
  environment: 'Environment variables, and their order of precedence',
  'exit-codes': 'Exit codes, and which commands to retry',
  formatting: 'Output formats, fields, and filters',
  'read-only': 'Read-only targets and protected profiles',
  approvals: 'Plans that need the signature of someone else',
  profiles: 'Saved connections and their credentials',
  agents: 'Instructions for AI agents',
  bulk: 'Import of records from files',
  webhooks: 'Set up, receive, send, and verify webhook deliveries',
} as const;

export type TopicName = keyof typeof SUMMARIES | 'topics';

export const TOPICS: readonly (readonly [name: TopicName, summary: string])[] = [
  ...(Object.entries(SUMMARIES) as [keyof typeof SUMMARIES, string][]),
  ['topics', 'List of all topics'],
];

export const TOPIC_NAMES: readonly TopicName[] = TOPICS.map(([name]) => name);
