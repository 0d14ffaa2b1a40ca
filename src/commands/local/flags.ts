import type { OptionDefinition, OptionsOf } from '../definition.ts';

const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export const DEFAULT_LIST_LIMIT = 50;

export const IMPORT_FLAGS = [
  { flags: '--env <name>', description: 'environment of a settings file' },
] as const satisfies readonly OptionDefinition[];

export type ImportFlags = OptionsOf<typeof IMPORT_FLAGS>;

export const LIST_DELIVERIES_FLAGS = [
  {
    flags: '--state <state>',
    description: 'only deliveries in this state',
    choices: DELIVERY_STATES,
  },
  {
    flags: '--endpoint <id>',
    description: "only deliveries to this endpoint ID, 'raw', or 'processed'",
  },
  { flags: '--event <type>', description: 'only deliveries of this event type' },
  {
    flags: '--limit <n>',
    description: `maximum number of deliveries (default: ${DEFAULT_LIST_LIMIT})`,
  },
] as const satisfies readonly OptionDefinition[];

export type ListDeliveriesFlags = OptionsOf<typeof LIST_DELIVERIES_FLAGS>;

export const RETRY_DELIVERIES_FLAGS = [
  { flags: '--failed', description: 'retry all failed deliveries' },
] as const satisfies readonly OptionDefinition[];

export type RetryDeliveriesFlags = OptionsOf<typeof RETRY_DELIVERIES_FLAGS>;

export const EXEC_FLAGS = [
  { flags: '--snapshot <name>', description: 'run on a copy of this snapshot' },
  {
    flags: '--parallel-safe',
    description: 'run on a copy of the store, or of the snapshot that --snapshot names',
  },
] as const satisfies readonly OptionDefinition[];

export type ExecFlags = OptionsOf<typeof EXEC_FLAGS>;

export const CHANGE_CLOCK_FLAGS = [
  { flags: '--force', description: 'change the clock even if several servers use the store' },
] as const satisfies readonly OptionDefinition[];

export type ChangeClockFlags = OptionsOf<typeof CHANGE_CLOCK_FLAGS>;
const ON = {
  flags: '--on <operation>',
  description: 'only requests for this operation, for example users.add',
} as const;

export const LIST_REQUESTS_FLAGS = [
  ON,
  {
    flags: '--limit <n>',
    description: `maximum number of requests (default: ${DEFAULT_LIST_LIMIT})`,
  },
  {
    flags: '--har <file>',
    description: 'write an HTTP archive (HAR) to this file instead of printing a table',
  },
] as const satisfies readonly OptionDefinition[];

export type ListRequestsFlags = OptionsOf<typeof LIST_REQUESTS_FLAGS>;
export const TAIL_REQUESTS_FLAGS = [ON] as const satisfies readonly OptionDefinition[];
export type TailRequestsFlags = OptionsOf<typeof TAIL_REQUESTS_FLAGS>;

export const WAIT_FOR_REQUESTS_FLAGS = [
  ON,
  { flags: '--count <n>', description: 'number of requests to wait for (default: 1)' },
  { flags: '--timeout <duration>', description: 'maximum time to wait (default: 60s)' },
] as const satisfies readonly OptionDefinition[];

export type WaitForRequestsFlags = OptionsOf<typeof WAIT_FOR_REQUESTS_FLAGS>;
