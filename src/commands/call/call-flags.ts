import type { OptionDefinition } from '../definition.ts';
import { ALL_FLAG } from '../list-flags.ts';

export const DATA_FLAG = {
  flags: '--data <json>',
  description: "request data as JSON, @file, or '-' for stdin; other flags override its fields",
  file: 'data',
} as const satisfies OptionDefinition;

export const WAIT_FLAG = {
  flags: '--wait',
  description: 'wait for the task to end, and exit with 10 if it failed',
} as const satisfies OptionDefinition;

export const API_VERSION_FLAG = {
  flags: '--api-version <v>',
  description: 'API version (default: follows from the other flags)',
  isHidden: true,
} as const satisfies OptionDefinition;

export const ALLOW_UNKNOWN_EVENT_FLAG = {
  flags: '--allow-unknown-event',
  description: 'accept event types that look misspelled',
} as const satisfies OptionDefinition;

export const OUT_FLAG = {
  flags: '--out <path>',
  description: 'save the write as a plan, instead of sending it',
  file: 'plan',
} as const satisfies OptionDefinition;

export const CALL_FLAGS = [
  DATA_FLAG,
  ALL_FLAG,
  WAIT_FLAG,
  API_VERSION_FLAG,
  ALLOW_UNKNOWN_EVENT_FLAG,
  OUT_FLAG,
] as const satisfies readonly OptionDefinition[];
