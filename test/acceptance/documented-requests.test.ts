import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTestService } from '../service/test-service.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService } from './mock-service.ts';

/** A user of the embedded service, whose requests are counted. */
async function startUser() {
  const service = await startTestService();
  const { env, received } = await startMockService(async ({ path, body }) => {
    const { http, body: answer } = await service.call(path, body.data);
    return { status: http, body: answer };
  });
  const { apiKey, authToken } = service.credentials;
  const user = await newUserInProcess();
  const svc = (line: string, ...words: readonly string[]) =>
    user.svc([...line.split(' '), ...words], {
      env: { ...env, SVC_API_KEY: apiKey, SVC_AUTH_TOKEN: authToken },
    });
  return { ...service, svc, home: user.home, received };
}

it('svc pull keeps the IDs of email templates, and svc plan accepts them', async () => {
  const { call, svc, home } = await startUser();
  const templates = { commentTemplateId: 'd-1', tagTemplateId: 'd-2' };
  await call('/v2/workspace/emailconfig/update', { emailServiceConfig: templates });
  expect(await svc('pull new.yaml --org acme')).toMatchObject({ code: 0 });
  const pulled = await readFile(join(home, 'new.yaml'), 'utf8');
  expect(pulled).toContain('commentTemplateId: d-1\n');
  expect(pulled).toContain('tagTemplateId: d-2\n');
  expect(await svc('plan --file new.yaml --exit-code')).toMatchObject({ code: 0 });
});

it('svc api reaches the older paths, and names a path that the embedded service lacks', async () => {
  const { svc } = await startUser();
  const scope = JSON.stringify({ organizationId: 'acme', userId: 'u1' });
  const data = await svc('api /v2/users/data/get -o json --data', scope);
  expect([data.code, JSON.parse(data.stdout)]).toEqual([
    0,
    { comments: [], reactions: [], recordings: [], notifications: [] },
  ]);
  const unknown = await svc('api /v2/teams/get --data {}');
  expect([unknown.code, unknown.stderr]).toEqual([
    5,
    expect.stringContaining('The embedded service has no operation at /v2/teams/get'),
  ]);
});

it('a precondition is shown with the command that meets it', async () => {
  const { svc } = await startUser();
  const { code, stderr } = await svc('webhooks endpoints list');
  expect(code).toBe(6);
  expect(stderr).toContain('Advanced webhooks are not configured for this workspace.');
  expect(stderr).toContain('svc webhooks advanced update --enable');
});

it('the result of an unknown user keeps its own ID', async () => {
  const { svc } = await startUser();
  const { code, stdout } = await svc('users update --org acme --user u9 --name Ada -o json');
  expect([code, JSON.parse(stdout).failures]).toMatchObject([
    5,
    [{ id: 'u9', message: 'User does not exist.' }],
  ]);
});

it.each([
  ['workspace create --owner-email ada@example.com --name', '--name is empty'],
  [
    'activities add --org acme --document d1 --feature-type custom --action-type x --action-user u1 --target-entity',
    '--target-entity is empty',
  ],
])('svc %s rejects an empty value', async (line, problem) => {
  const { svc, received } = await startUser();
  const { code, stderr } = await svc(line, '');
  expect([code, stderr, received]).toEqual([2, expect.stringContaining(problem), []]);
});

it('svc folders list shows each folder of a tree with its depth', async () => {
  const { call, svc } = await startUser();
  await call('/v2/organizations/folders/add', {
    organizationId: 'acme',
    createOrganization: true,
    folders: [
      { folderId: 'a' },
      { folderId: 'b', parentFolderId: 'a' },
      { folderId: 'c', parentFolderId: 'b' },
    ],
  });
  const { stdout } = await svc('folders list --org acme --folder a --max-depth 3 -o table');
  const [header, ...rows] = stdout.trimEnd().split('\n');
  expect(header).toMatch(/^FOLDER .* DEPTH$/);
  expect(rows.map((row) => [row[0], row.at(-1)])).toEqual([
    ['a', '0'],
    ['b', '1'],
    ['c', '2'],
  ]);
});
