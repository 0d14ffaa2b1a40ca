import type { OptionDefinition, OptionsOf } from '../definition.ts';

const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

export const DEFAULT_LIST_LIMIT = 50;

export const IMPORT_FLAGS = [
  { flags: '--env <name>', description: 'environment of a settings file' },
] as const satisfies readonly OptionDefinition[];

export type ImportFlags = OptionsOf<typeof IMPORT_FLAGS>;

export const LIST_DELIVERIES_FLAGS = [
  { flags: '--state <state>', description: 'only deliveries in this state', choices: DELIVERY_STATES },
  { flags: '--endpoint <id>', description: "only deliveries to this endpoint ID, 'raw', or 'processed'" },
  { flags: '--event <type>', description: 'only deliveries of this event type' },
  { flags: '--limit <n>', description: `maximum number of deliveries (default: ${DEFAULT_LIST_LIMIT})` },
] as const satisfies readonly OptionDefinition[];

export type ListDeliveriesFlags = OptionsOf<typeof LIST_DELIVERIES_FLAGS>;

export const RETRY_DELIVERIES_FLAGS = [
  { flags: '--failed', description: 'retry all failed deliveries' },
] as const satisfies readonly OptionDefinition[];

export type RetryDeliveriesFlags = OptionsOf<typeof RETRY_DELIVERIES_FLAGS>;

export const EXEC_FLAGS = [
  { flags: '--snapshot <name>', description: 'run on a copy of this snapshot' },
  { flags: '--parallel-safe', description: 'run on a copy of the store, or of the snapshot with --snapshot' },
] as const satisfies readonly OptionDefinition[];

export type ExecFlags = OptionsOf<typeof EXEC_FLAGS>;

export const CHANGE_CLOCK_FLAGS = [
  { flags: '--force', description: 'also change the time of other servers that use the store' },
] as const satisfies readonly OptionDefinition[];

export type ChangeClockFlags = OptionsOf<typeof CHANGE_CLOCK_FLAGS>;
