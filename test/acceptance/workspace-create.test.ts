import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createApplyUser } from './apply-user.ts';

const CREATE = ['workspace', 'create', '--owner-email', 'ada@example.com'];

/** Credentials of another target, which a saved profile must not be mixed with. */
const WITHOUT_VARIABLES = { SVC_BASE_URL: '', SVC_API_KEY: '', SVC_AUTH_TOKEN: '' };

async function createUser() {
  const user = await createApplyUser();
  const config = join(user.home, '.config', 'svc');
  return {
    ...user,
    readProfiles: async () =>
      JSON.parse(await readFile(join(config, 'profiles.json'), 'utf8').catch(() => '{}')),
    readSecrets: async () => readFile(join(config, 'secrets.json'), 'utf8').catch(() => ''),
  };
}

it('saves the token of a new workspace in a profile that works', async () => {
  const { svc, service, readSecrets } = await createUser();
  const { code, stdout, stderr } = await svc([...CREATE, '--save', 'new', '-o', 'json']);
  expect([code, stderr], stderr).toEqual([0, expect.stringContaining("Saved profile 'new'")]);
  const { id, authToken, apiKeyList } = JSON.parse(stdout);
  const [apiKey] = Object.keys(apiKeyList);
  expect(stderr).toContain(`svc -p new auth-tokens reset --api-key ${apiKey} --save`);
  expect(authToken).toMatch(/^\*{4}/);
  const [saved] = Object.values<Readonly<Record<string, string>>>(JSON.parse(await readSecrets()));
  const token = saved?.['workspaceAuthToken'] ?? '';
  expect(token.endsWith(authToken.replaceAll('*', ''))).toBe(true);
  const headers = { 'x-svc-workspace-id': id, 'x-svc-workspace-auth-token': token };
  const { body } = await service.call('/v2/workspace/get', {}, headers);
  expect(body.result?.data.id).toBe(id);
  const shown = await svc(['workspace', 'get', '-p', 'new', '-o', 'json'], WITHOUT_VARIABLES);
  expect(shown.code, shown.stderr).toBe(0);
});

it.each([
  ['new', 'ALREADY_EXISTS', 3],
  ['new', 'PERMISSION_DENIED', 4],
])('keeps no profile %s if the service answers %s', async (name, status, exitCode) => {
  const { svc, control, readProfiles } = await createUser();
  control.intercept = () => ({ status, message: 'no' });
  expect(await svc([...CREATE, '--save', name])).toMatchObject({ code: exitCode });
  expect((await readProfiles()).profiles ?? {}).toEqual({});
});

it.each([
  ['an existing profile', ['--save', 'old'], 3],
  ['an invalid name', ['--save', 'a b'], 2],
  ['the embedded service', ['--save', 'x', '--local'], 2],
])('sends nothing for %s', async (_, words, exitCode) => {
  const { svc, requests, env } = await createUser();
  await svc(['profiles', 'add', 'old', '--base-url', env.SVC_BASE_URL, '--no-verify']);
  requests.length = 0;
  expect(await svc([...CREATE, ...words])).toMatchObject({ code: exitCode });
  expect(requests).toEqual([]);
});
