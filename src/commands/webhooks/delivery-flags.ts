import type { OptionDefinition, OptionsOf } from '../definition.ts';

export const FORWARDING_FLAGS = [
  { flags: '--forward-to <url>', description: 'URL to forward deliveries to' },
  {
    flags: '--route <pattern=url>',
    description:
      "URL for event types that match a pattern, such as 'comment.*=http://…'; the first match wins",
    many: true,
  },
] as const satisfies readonly OptionDefinition[];

export type ForwardingFlags = OptionsOf<typeof FORWARDING_FLAGS>;
