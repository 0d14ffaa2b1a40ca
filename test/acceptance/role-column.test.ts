import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';

const ADD = ['users', 'add', '--local', '--file', 'users.csv'];

async function createUser(csv: string) {
  const user = await newUserInProcess();
  await writeFile(join(user.home, 'users.csv'), csv);
  /** Sends the file to another service, and returns the path and data of each request. */
  const sent = async (...words: readonly string[]) => {
    const { env, received } = await startMockService(({ body }) => {
      const users = body.data['users'] as readonly { readonly userId: string }[];
      return success(Object.fromEntries(users.map(({ userId }) => [userId, { success: true }])));
    });
    await user.svc(['users', 'add', '--file', 'users.csv', '--concurrency', '1', ...words], {
      env,
    });
    return received.map(({ path, body }) => [path, body.data]);
  };
  const rolesOf = async (organization: string) => {
    const { stdout } = await user.svc([
      'local',
      'list',
      'permissions',
      '--org',
      organization,
      '-o',
      'json',
    ]);
    return Object.fromEntries(
      JSON.parse(stdout).map(({ userId, role }: Record<string, string>) => [userId, role]),
    );
  };
  return { ...user, sent, rolesOf };
}

describe('a column with access roles', () => {
  it('is sent to the version of the operation that accepts it, with the flags of this version', async () => {
    const { svc, sent, rolesOf } = await createUser(
      'userId,organizationId,accessRole\nada,acme,viewer\ncy,beta,editor\nbo,acme,\n',
    );
    expect(await sent('--create-organization')).toEqual([
      [
        '/v2/users/add',
        {
          organizationId: 'acme',
          createOrganization: true,
          users: [{ userId: 'ada', accessRole: 'viewer' }, { userId: 'bo' }],
        },
      ],
      [
        '/v2/users/add',
        {
          organizationId: 'beta',
          createOrganization: true,
          users: [{ userId: 'cy', accessRole: 'editor' }],
        },
      ],
    ]);
    expect(await svc([...ADD, '--create-organization'])).toMatchObject({
      code: 0,
      stderr:
        'warning: users.csv:4: 1 of 3 records has no accessRole; new users get the default role, editor\n' +
        'Created 2 organizations (acme, beta)\n',
    });
    expect(await rolesOf('acme')).toEqual({ ada: 'viewer', bo: 'editor' });
    expect(await rolesOf('beta')).toEqual({ cy: 'editor' });
  });

  it('is checked like the flag, and needs no other version if it is empty', async () => {
    const wrong = await createUser('userId,accessRole\nada,boss\n');
    const { code, stderr } = await wrong.svc([...ADD, '--org', 'acme']);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(
        "users.csv:2: accessRole: expected one of viewer, editor, got 'boss'",
      ),
    ]);
    const empty = await createUser('userId,accessRole\nada,\n');
    expect(await empty.sent('--org', 'acme')).toEqual([
      ['/v1/users/add', { organizationId: 'acme', users: [{ userId: 'ada' }] }],
    ]);
  });

  it('is refused by a version that does not accept it', async () => {
    const { svc } = await createUser('userId,accessRole\nada,viewer\n');
    const { code, stderr } = await svc([...ADD, '--org', 'acme', '--api-version', 'v1']);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining("users.csv:2: 'accessRole' is not a field of these records"),
    ]);
  });
});
