/** Names of the help topics. The texts are in `topics.ts`, which is loaded only to show one. */
export const TOPIC_NAMES = ['environment', 'exit-codes', 'formatting', 'profiles', 'bulk', 'webhooks'] as const;
export type TopicName = (typeof TOPIC_NAMES)[number];
