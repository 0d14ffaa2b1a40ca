import type { CommandDefinition } from '../definition.ts';

export const DOCTOR_COMMAND: CommandDefinition = {
  command: ['doctor'],
  summary: 'Check that everything svc needs is in order',
  description:
    'Looks at this machine, the profile and its credentials, the way to the service and what it answers, and says how ' +
    'to mend what is not in order. Nothing is changed, and only reads are called. With --local it looks at the embedded ' +
    'service instead. Exits with 0, or with the exit code of the first check that failed.',
  examples: [
    { command: 'svc doctor', does: 'check the profile in use' },
    { command: 'svc doctor --local', does: 'check the embedded service' },
    { command: `svc doctor -o json --jq '.[] | select(.state != "ok")'`, does: 'what is not in order, for scripts' },
  ],
  options: [{ flags: '--org <id>', describes: 'organization to try advanced queries with' }],
  load: async () => (await import('./doctor.ts')).doctor,
};
