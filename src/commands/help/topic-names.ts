/** Help topics and their summaries. The texts are in `topics.ts`, which is loaded only to show one. */
const SUMMARIES = {
  flags: 'Flags that every command accepts',
  environment: 'Environment variables, and their order of precedence',
  'exit-codes': 'Exit codes, and which commands to retry',
  formatting: 'Output formats, fields, and filters',
  profiles: 'Saved connections and their credentials',
  bulk: 'Import of records from files',
  webhooks: 'Set up, receive, send, and verify webhook deliveries',
} as const;

export type TopicName = keyof typeof SUMMARIES | 'topics';

/** Topics with their summaries, in the order shown by help. */
export const TOPICS: readonly (readonly [name: TopicName, summary: string])[] = [
  ...(Object.entries(SUMMARIES) as [keyof typeof SUMMARIES, string][]),
  ['topics', 'List of all topics'],
];

export const TOPIC_NAMES: readonly TopicName[] = TOPICS.map(([name]) => name);
