import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTestService } from '../service/test-service.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService } from './mock-service.ts';

const settings = (version: number) => `svc: 1
stack: acme
folders: [{ organizationId: acme, folderId: a, folderName: A${version} }]
config:
  email: { emailServiceConfig: { fromEmail: a${version}@example.com } }
  advancedWebhooks: { isEnabled: true }
endpoints: [{ uid: acme.a, url: "https://x.example/${version}" }]
`;

type Fields = Record<string, unknown>;

/** Adds fields of a newer version of the service to the records in a response. */
function addFields(path: string, data: unknown): void {
  const { endpoints = Array.isArray(data) ? data : [] } = Object(data) as { endpoints?: Fields[] };
  for (const record of endpoints) record['color'] = { name: 'red' };
  if (!path.endsWith('/emailconfig/get')) return;
  const config = data as Fields;
  config['region'] = 'eu';
  Object.assign(config['emailServiceConfig'] as Fields, { replyTo: 'help@example.com' });
}

it('keeps or names the fields of a newer service in svc apply and svc pull', async () => {
  const service = await startTestService();
  const user = await newUserInProcess();
  const { env, received } = await startMockService(async ({ path, body }) => {
    const { http, body: answer } = await service.call(path, body.data);
    if (path.endsWith('/get')) addFields(path, answer.result?.data);
    return { status: http, body: answer };
  });
  const { apiKey, authToken } = service.credentials;
  const svc = (...words: readonly string[]) =>
    user.svc(words, { env: { ...env, SVC_API_KEY: apiKey, SVC_AUTH_TOKEN: authToken } });
  for (const version of [1, 2]) {
    await writeFile(join(user.home, 'svc.yaml'), settings(version));
    expect(await svc('apply', '--yes')).toMatchObject({ code: 0, stderr: '' });
  }
  const sent = received.findLast(({ path }) => path.endsWith('/emailconfig/update'))?.body.data;
  expect(sent).toMatchObject({
    emailServiceConfig: { fromEmail: 'a2@example.com', replyTo: 'help@example.com' },
  });

  const { code, stderr } = await svc('pull', 'new.yaml', '--org', 'acme');
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(
      'left out fields that a settings file does not have: config.email.region, config.email.emailServiceConfig.replyTo, folders.color, endpoints.color\n',
    ),
  ]);
  expect(await readFile(join(user.home, 'new.yaml'), 'utf8')).not.toMatch(/color|region|replyTo/);
  expect(await svc('plan', '--file', 'new.yaml', '--exit-code')).toMatchObject({ code: 0 });
});
