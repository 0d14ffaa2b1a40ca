import { join } from 'node:path';
import type { Folders } from '../kernel/folders.ts';
import { SECRET_SETTINGS } from '../kernel/variables.ts';
import { checkFields, expectObject, readJsonFile, writeJsonFile } from './json-file.ts';
import type { Secrets } from './profile.ts';

/** The stored secrets of a profile, and the only origin that they may be sent to. */
export interface SecretEntry extends Secrets {
  readonly origin: string;
}

export function openSecretFile(folders: Folders) {
  const path = join(folders.config, 'secrets.json');
  return {
    path,
    /** @throws SvcError `local` if the file is damaged */
    read: async (): Promise<ReadonlyMap<string, SecretEntry>> => (await readJsonFile(path, parseSecretEntries)) ?? new Map(),
    write: (entries: ReadonlyMap<string, SecretEntry>) => writeJsonFile(path, Object.fromEntries(entries)),
  };
}

function parseSecretEntries(value: unknown): Map<string, SecretEntry> {
  const entries = Object.entries(expectObject(value, 'the content'));
  return new Map(entries.map(([id, secrets]) => [id, parseSecretEntry(secrets, id)]));
}

function parseSecretEntry(value: unknown, id: string): SecretEntry {
  const fields = expectObject(value, `the entry '${id}'`);
  checkFields(fields, 'string', [...SECRET_SETTINGS, 'origin'], `${id}.`);
  // An entry without an origin must not be sent anywhere.
  const { origin = '' }: Partial<SecretEntry> = fields;
  return { ...fields, origin };
}
