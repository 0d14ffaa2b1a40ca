import { type CommandDefinition, defineCommand } from '../definition.ts';

export const DOCTOR_COMMAND: CommandDefinition = defineCommand({
  command: ['doctor'],
  globalFlags: ['service', 'result', 'dry-run'],
  summary: 'Diagnose problems with the configuration and the connection',
  description:
    'Checks this machine, the profile and its credentials, the connection to the service, and its responses, and explains ' +
    'how to fix each problem. Only reads data, and changes nothing. With --local, checks the embedded service instead. ' +
    'Exits with 0, or with the exit code of the first failed check.',
  examples: {
    'svc doctor': 'check the active profile',
    'svc doctor --local': 'check the embedded service',
    [`svc doctor -o json --jq '.[] | select(.fix)'`]: 'list problems and their fixes as JSON',
  },
  options: [
    { flags: '--org <id>', description: 'organization to use when checking advanced queries' },
  ],
  load: async () => (await import('./doctor.ts')).doctorCommand,
});
