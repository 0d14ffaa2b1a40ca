import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TestFlags } from '../../../src/commands/webhooks/flags.ts';
import { testCommand } from '../../../src/commands/webhooks/test.ts';
import { borrowAuthority } from '../../client/certificates.ts';
import { listen } from '../../listen.ts';
import { SLOW } from '../../slow.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { listening, newSecret, target } from '../../webhooks/listener-fixture.ts';
import { type FakeContextOptions, fakeContext } from '../fake-context.ts';

async function testing(url: string, options: TestFlags, world: FakeContextOptions = {}) {
  const context = await fakeContext({ ...world, options: { output: 'json', ...world.options } });
  return { context, run: testCommand(context, { arguments: [url], options }) };
}

async function secretFile(secret = newSecret()) {
  const path = join(await createTemporaryFolder(), 'secret');
  await writeFile(path, secret);
  return path;
}

const NOWHERE = 'http://127.0.0.1:1/hook';

describe('svc webhooks test', () => {
  it("passes svc's own listener", SLOW, async () => {
    const { url, secret } = await listening();
    const { context, run } = await testing(url, { secretFile: await secretFile(secret) });
    await run;
    const grades: { verdict: string; case: string }[] = JSON.parse(context.stdout());
    expect(grades.filter(({ verdict }) => verdict !== 'ok')).toMatchObject([
      { case: 'encrypted', verdict: 'skipped' },
    ]);
  });

  it('sends no profile credentials, and nothing with --dry-run', async () => {
    const to = await target();
    const environment = {
      SVC_API_KEY: 'stored-key',
      SVC_AUTH_TOKEN: 'stored-token',
      SVC_BASE_URL: to.url.href,
    };
    const options: TestFlags = { form: 'basic', only: ['valid', 'get', 'unknown-event'] };
    const { run } = await testing(to.url.href, options, { environment });
    await expect(run).rejects.toMatchObject({
      failure: 'records_failed',
      message: '1 of 3 cases failed: get',
    });
    expect(to.received.length).toBe(3);
    expect(
      to.received.map(({ rawHeaders, body }) => `${rawHeaders.join()}${body}`).join(),
    ).not.toContain('stored');
    const planned = await testing(to.url.href, options, { environment, options: { dryRun: true } });
    await planned.run;
    const { cases } = JSON.parse(planned.context.stdout());
    expect(cases.map((one: { case: string }) => one.case)).toEqual([
      'valid',
      'unknown-event',
      'get',
    ]);
    expect(to.received.length).toBe(3);
  });

  it.each<[string, TestFlags, string]>([
    ['nonsense', {}, "url must be an http or https URL, got 'nonsense'"],
    [NOWHERE, {}, '--secret-file is required to sign deliveries'],
    [
      NOWHERE,
      { form: 'basic', effectsUrl: 'ftp://x' },
      "--effects-url must be an http or https URL, got 'ftp://x'",
    ],
    [
      NOWHERE,
      { form: 'basic', only: ['stale'] },
      '--only stale: the case applies only to advanced deliveries',
    ],
    [
      NOWHERE,
      { form: 'basic', only: ['wrong-token'] },
      '--only wrong-token: requires --auth-token-file',
    ],
    [NOWHERE, { form: 'basic', only: ['encrypted'] }, '--only encrypted: requires --encrypt-for'],
    [
      NOWHERE,
      { form: 'basic', only: ['valid'], skip: ['valid'] },
      '--only and --skip leave no cases to run',
    ],
  ])('rejects %s %j before sending anything', async (url, options, message) => {
    const { run } = await testing(url, options);
    await expect(run).rejects.toMatchObject({
      failure: 'usage',
      message: expect.stringContaining(message),
    });
  });

  it.each([
    { expected: 'Basic other', fix: 'the same secret or token' },
    { expected: 'right', fix: "compare the Authorization header with 'Basic ' followed by the" },
  ])('explains a rejected token once: $expected', async ({ expected, fix }) => {
    const to = await target((response, _, { headers }) => {
      response.statusCode = headers.authorization === expected ? 200 : 401;
      response.end();
    });
    const options: TestFlags = { authTokenFile: await secretFile('right') };
    const { run, context } = await testing(to.url.href, options);
    await expect(run).rejects.toMatchObject({
      message: '1 of 1 case failed: valid',
      hint: expect.stringContaining(fix),
    });
    const grades: { verdict: string; fix: string }[] = JSON.parse(context.stdout());
    const [valid, ...others] = grades;
    expect(valid).toMatchObject({ verdict: 'fail', fix: expect.stringContaining(fix) });
    expect(new Set(others.map(({ verdict }) => verdict))).toEqual(new Set(['skipped']));
  });

  it('accepts only a JSON list from --effects-url', async () => {
    for (const answer of ['{}', 'no', '[1]', '[{"event":"x"}]']) {
      const to = await target((response) => response.end(answer));
      const { run } = await testing(to.url.href, { form: 'basic', effectsUrl: to.url.href });
      await expect(run).rejects.toMatchObject({
        failure: 'invalid_response',
        hint: expect.stringContaining('JSON list'),
      });
    }
  });

  it('trusts the authority of --ca-file', SLOW, async () => {
    const authority = await borrowAuthority();
    const server = createServer(await authority.issue('IP:127.0.0.1'), (request, response) => {
      request.resume().on('end', () => response.end());
    });
    const url = `https://${await listen(server)}/hook`;
    const options: TestFlags = { form: 'basic', only: ['valid', 'slow', 'encoded'] };
    const strange = await testing(url, options);
    await expect(strange.run).rejects.toMatchObject({ failure: 'unreachable' });
    await (await testing(url, options, { options: { caFile: authority.file } })).run;
  });
});
