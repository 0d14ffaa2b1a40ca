import { FEATURES } from '../../catalog/define.ts';
import type { OptionDefinition, OptionsOf } from '../definition.ts';
import { DEFAULT_ADDRESS } from '../service-flags.ts';

export const SERVE_FLAGS = [
  {
    flags: '--port <n>',
    description: `port to listen on, or 0 for any free port (default: ${DEFAULT_ADDRESS.port})`,
  },
  {
    flags: '--host <address>',
    description: `IP address or host name to listen on (default: ${DEFAULT_ADDRESS.host}, this machine only)`,
  },
  {
    flags: '--without <features>',
    description: `features to disable, comma-separated: ${FEATURES.join(', ')}`,
  },
  {
    flags: '--rate-limit <calls/time>',
    description: 'rate limit per credential, for example 60/1m',
  },
  {
    flags: '--time-scale <factor>',
    description:
      'multiplier for the delays between delivery attempts, for example 0.001 (default: 1)',
  },
  {
    flags: '--faults <file>',
    description: 'YAML or JSON file with fault rules, which make requests fail on purpose',
  },
  {
    flags: '--ui',
    description: 'serve the inspector, a web page to monitor and control the service',
  },
  {
    flags: '--read-only',
    description: 'refuse calls that write or that hand out secrets, and deliver no webhooks',
  },
  {
    flags: '--strict',
    description: 'fail a call with INTERNAL and details if some of its documents fail',
  },
] as const satisfies readonly OptionDefinition[];

export type ServeFlags = OptionsOf<typeof SERVE_FLAGS>;
