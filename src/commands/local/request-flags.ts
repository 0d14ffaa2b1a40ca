import type { OptionDefinition, OptionsOf } from '../definition.ts';
import { DEFAULT_LIST_LIMIT } from './flags.ts';

const ON = { flags: '--on <operation>', description: 'only requests of this operation, for example users.add' } as const;

export const LIST_REQUESTS_FLAGS = [
  ON,
  { flags: '--limit <n>', description: `maximum number of requests (default: ${DEFAULT_LIST_LIMIT})` },
  { flags: '--har <file>', description: 'write an HTTP archive (HAR) instead of printing' },
] as const satisfies readonly OptionDefinition[];

export type ListRequestsFlags = OptionsOf<typeof LIST_REQUESTS_FLAGS>;

export const TAIL_REQUESTS_FLAGS = [ON] as const satisfies readonly OptionDefinition[];

export type TailRequestsFlags = OptionsOf<typeof TAIL_REQUESTS_FLAGS>;

export const WAIT_FOR_REQUESTS_FLAGS = [
  ON,
  { flags: '--count <n>', description: 'number of requests to wait for (default: 1)' },
  { flags: '--timeout <duration>', description: 'time to wait (default: 60s)' },
] as const satisfies readonly OptionDefinition[];

export type WaitForRequestsFlags = OptionsOf<typeof WAIT_FOR_REQUESTS_FLAGS>;
