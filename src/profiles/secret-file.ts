import { join } from 'node:path';
import type { Folders } from '../kernel/folders.ts';
import { SECRET_NAMES } from '../kernel/variables.ts';
import { checkFields, fieldsOf, readJsonFile, writeJsonFile } from './json-file.ts';
import type { Secrets } from './profile.ts';

/** What is kept for a profile: its secrets, and the one origin that they may go to. */
export interface SecretEntry extends Secrets {
  readonly origin: string;
}

/** Secrets in one private file, readable by its owner only, under the ids of profiles. */
export interface SecretFile {
  readonly path: string;
  /** @throws SvcError `local` when the file is damaged. */
  read(): Promise<ReadonlyMap<string, SecretEntry>>;
  /** Replaces all of it. Only under the lock of the profiles. */
  write(entries: ReadonlyMap<string, SecretEntry>): Promise<void>;
}

export function secretFile(folders: Folders): SecretFile {
  const path = join(folders.config, 'secrets.json');
  return {
    path,
    read: async () => (await readJsonFile(path, secretsShape)) ?? new Map<string, SecretEntry>(),
    write: (entries) => writeJsonFile(path, Object.fromEntries(entries)),
  };
}

function secretsShape(value: unknown): Map<string, SecretEntry> {
  const entries = Object.entries(fieldsOf(value, 'it'));
  return new Map(entries.map(([id, secrets]) => [id, shapeOf(secrets, id)]));
}

function shapeOf(value: unknown, id: string): SecretEntry {
  const fields = fieldsOf(value, `the entry '${id}'`);
  checkFields(fields, 'string', [...SECRET_NAMES, 'origin'], `${id}.`);
  // An entry that does not say for whom it is, is for nobody.
  const { origin = '' }: Partial<SecretEntry> = fields;
  return { ...fields, origin };
}
