import { join } from 'node:path';
import type { Folders } from '../kernel/folders.ts';
import { checkFields, fieldsOf, readJsonFile, writeJsonFile } from './json-file.ts';
import type { Secrets } from './profile.ts';

/** Where the secrets of profiles lie. Changes are made under the lock of the profiles; `permit` asks it. */
export interface SecretStore {
  /** For people: `file /home/ann/.config/svc/secrets.json`. */
  readonly place: string;
  get(profile: string): Promise<Secrets>;
  /** Replaces what is kept for a profile; nothing to keep removes its entry. */
  set(profile: string, secrets: Secrets, permit: () => Promise<void>): Promise<void>;
}

/** Secrets in one private file, readable by its owner only. */
export function fileSecretStore(folders: Folders): SecretStore {
  const path = join(folders.config, 'secrets.json');
  const read = async () => (await readJsonFile(path, secretsShape)) ?? new Map<string, Secrets>();
  return {
    place: `file ${path}`,
    async get(profile) {
      return (await read()).get(profile) ?? {};
    },
    async set(profile, secrets, permit) {
      const all = await read();
      const had = all.delete(profile);
      const keeps = Object.values(secrets).some((secret) => secret !== undefined);
      if (keeps) all.set(profile, secrets);
      if (had || keeps) await writeJsonFile(path, Object.fromEntries(all), permit);
    },
  };
}

function secretsShape(value: unknown): Map<string, Secrets> {
  const entries = Object.entries(fieldsOf(value, 'it'));
  return new Map(entries.map(([name, secrets]) => [name, shapeOf(secrets, name)]));
}

function shapeOf(value: unknown, name: string): Secrets {
  const fields = fieldsOf(value, `the entry '${name}'`);
  checkFields(fields, 'string', ['authToken', 'workspaceAuthToken'], `${name}.`);
  return fields;
}
