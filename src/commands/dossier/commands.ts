import { type CommandDefinition, defineCommand } from '../definition.ts';
import { DOSSIER_FLAGS } from './flags.ts';

export const DOSSIER_COMMAND: CommandDefinition = defineCommand({
  command: ['users', 'dossier'],
  globalFlags: ['service', 'result'],
  summary: 'Save all data of a person, for a request for information',
  description:
    'Reads every page of the data of a user in each organization, and writes one NDJSON file per organization, a report, and a manifest with counts and SHA-256. Secrets in the data are replaced by <removed>. The manifest contains complete: false until every organization has been read to its end. A dossier is a job: if an organization cannot be read, or the command is stopped, svc jobs resume reads the rest.',
  examples: {
    'svc users dossier --user u1 --org acme --out dossier-u1':
      'save the data of a person in one organization',
    'svc users dossier --user u1 --org-file orgs.csv --out dossier-u1':
      'save the data in all organizations of a file',
  },
  options: DOSSIER_FLAGS,
  load: async () => (await import('./dossier.ts')).dossierCommand,
});
