/** What there is help on beside commands. The texts are in `topics.ts`, which is not loaded to list them. */
export const TOPIC_NAMES = ['environment', 'exit-codes', 'formatting', 'profiles', 'bulk', 'webhooks'] as const;
export type TopicName = (typeof TOPIC_NAMES)[number];
