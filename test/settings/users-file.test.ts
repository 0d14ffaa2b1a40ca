import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  countUsersToSend,
  type FileUser,
  readUsersFile,
  toSentUser,
} from '../../src/settings/users-file.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

const { signal } = new AbortController();

async function createFile(name: string, text: string) {
  const path = join(await createTemporaryFolder(), name);
  await writeFile(path, text);
  return { path, name };
}

const count = async (
  file: { path: string; name: string; organizationId?: string },
  known: readonly FileUser[] = [],
) => {
  const sent = new Set(known.map((user) => JSON.stringify(toSentUser(user))));
  return Object.fromEntries(
    await countUsersToSend(file, (record) => sent.has(JSON.stringify(record)), signal),
  );
};

it.each([
  ['users.csv', 'organizationId,userId,name\nacme,007,Ada\nbeta,007,Bo\n'],
  [
    'users.ndjson',
    '{"organizationId":"acme","userId":"007","name":"Ada"}\n{"organizationId":"beta","userId":"007","name":"Bo"}\n',
  ],
  [
    'users.json',
    '[{"organizationId":"acme","userId":"007","name":"Ada"},{"organizationId":"beta","userId":"007","name":"Bo"}]',
  ],
  [
    'users.yaml',
    '- {organizationId: acme, userId: "007", name: Ada}\n- {organizationId: beta, userId: "007", name: Bo}\n',
  ],
])('reads the users of %s with their organizations', async (name, text) => {
  const file = await createFile(name, text);
  const users: FileUser[] = [];
  for await (const chunk of readUsersFile(file, signal)) users.push(...chunk);
  expect(
    users.map(({ organizationId, userId, data }) => ({ organizationId, userId, data })),
  ).toEqual([
    { organizationId: 'acme', userId: '007', data: { userId: '007', name: 'Ada' } },
    { organizationId: 'beta', userId: '007', data: { userId: '007', name: 'Bo' } },
  ]);
  expect(await count(file)).toEqual({ acme: 1, beta: 1 });
  expect(await count(file, users.slice(0, 1))).toEqual({ acme: 0, beta: 1 });
});

it('uses the shared organization for users without one', async () => {
  const file = await createFile('users.csv', 'userId,name\nada,Ada\n');
  expect(await count({ ...file, organizationId: 'acme' })).toEqual({ acme: 1 });
  await expect(count(file)).rejects.toThrow('users.csv:2:1: organizationId: is required');
});

it('accepts job titles in a column for roles, and suspicious names', async () => {
  const file = await createFile('users.csv', 'userId,role,name\nada,Engineer,None\n');
  expect(await count({ ...file, organizationId: 'acme' })).toEqual({ acme: 1 });
});

it.each([
  ['userId,name\nada,Ada\n,Bo\n', 'users.csv:3:1: userId'],
  [
    'userId,name\nada,Ada\nbo,Bo\nada,Ada King\n',
    "users.csv:4:1: userId: 'ada' is already on line 2",
  ],
  ['userId,role\nada,\nbo,editor\n', "users.csv:3:1: the field 'role' looks like 'accessRole'"],
  ['userId,org\nada,beta\n', "users.csv:2:1: the field 'org' looks like 'organizationId'"],
  ['userId,name\nada,Ada\nnull,Bo\n', "users.csv:3:1: userId: 'null' stands for a missing value"],
  ['userId,name\nada,Ada\nuserId,name\n', "users.csv:3:1: userId: 'userId' repeats the header"],
  ['userId,ada,bo\nName,Ada,Bo\n', "users.csv:2:1: userId: 'Name' is the name of a field"],
  ['userId,name\n1.0,Ada\n2.0,Bo\n', "users.csv: userId: '1.0' and all other values end in '.0'"],
])('refuses invalid and repeated users', async (text, message) => {
  const file = await createFile('users.csv', text);
  await expect(count({ ...file, organizationId: 'acme' })).rejects.toMatchObject({
    failure: 'invalid_input',
    message: expect.stringContaining(message),
  });
});
