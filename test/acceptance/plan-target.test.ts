import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startServing } from './serving.ts';

const SETTINGS = `svc: 1
config: { webhook: { useWebhookService: true } }
environments: { live: { profile: prod } }
`;

/** A user with a settings file in another folder, and a profile `prod` of a service. */
async function createUser() {
  const user = await newUserInProcess();
  const { env } = await startServing(user);
  await writeFile(join(user.home, 'acme.yaml'), SETTINGS);
  await writeFile(join(user.home, 'token.txt'), env.SVC_AUTH_TOKEN);
  const connection = ['--base-url', env.SVC_BASE_URL, '--api-key', env.SVC_API_KEY];
  const secret = ['--auth-token-file', 'token.txt', '--insecure-storage', '--no-verify'];
  expect((await user.svc(['profiles', 'add', 'prod', ...connection, ...secret])).code).toBe(0);
  return { ...user, url: env.SVC_BASE_URL };
}

it('names the target of plan, apply, and drift first, and the next command last', async () => {
  const { svc, url } = await createUser();
  const live = ['-f', 'acme.yaml', '--env', 'live'];
  const target = `live · ${url} · profile prod\n\n`;
  const change = '~ config webhook\n    useWebhookService: false → true\n';
  const plan = await svc(['plan', ...live]);
  expect(plan.stdout.startsWith(target + change)).toBe(true);
  expect(plan.stdout.endsWith('\napply: svc apply -f acme.yaml --env live\n')).toBe(true);
  const inCi = await svc(['plan', ...live], { env: { CI: 'true' } });
  expect(inCi.stdout.endsWith('\napply: svc apply -f acme.yaml --env live --yes\n')).toBe(true);
  const drift = await svc(['drift', ...live]);
  expect(drift.stdout.startsWith(target)).toBe(true);
  expect(drift.stdout.split('\n').slice(-4)).toEqual([
    'Drift: 1 changed',
    'restore: svc apply -f acme.yaml --env live',
    'accept: svc pull -f acme.yaml --env live',
    '',
  ]);
  const [, command = ''] = plan.stdout.trimEnd().split('\napply: svc ');
  const applied = await svc([...command.split(' '), '--yes']);
  expect(applied.stdout.startsWith(target + change)).toBe(true);
  const [, undo = ''] = /\nApplied: 1 updated\nundo: svc (.*)\n$/.exec(applied.stdout) ?? [];
  const undone = await svc(undo.split(' '));
  expect(undone.stdout.startsWith(`${url} · profile prod\n\n~ config webhook`)).toBe(true);
  const [, save = ''] = /\nsave: svc (.*)\n$/.exec(undone.stdout) ?? [];
  const saved = await svc(save.split(' '));
  expect(saved.stdout.endsWith('\napply: svc apply undo.json\n')).toBe(true);
  expect((await svc(['apply', 'undo.json', '--yes'])).code).toBe(0);
  expect((await svc(['drift', ...live])).code).toBe(20);
});

it('names them in JSON, with the flags that were given', SLOW, async () => {
  const { svc, url } = await createUser();
  const json = async (...words: readonly string[]) =>
    JSON.parse((await svc([...words, '-o', 'json'])).stdout);
  const base = ['plan', '-f', 'acme.yaml', '--env', 'live', '-p', 'prod'];
  const plan = await json(...base, '--only', 'config', '--prune', '--allow-replace');
  const named = { url, apiKey: expect.any(String), profile: 'prod' };
  expect(plan).toMatchObject({
    target: { ...named, environment: 'live' },
    next: {
      apply: 'svc -p prod apply -f acme.yaml --env live --only config --prune --allow-replace',
    },
  });
  expect(await json('drift', '-f', 'acme.yaml', '--env', 'live')).toMatchObject({
    target: { ...named, environment: 'live' },
    next: {
      restore: 'svc apply -f acme.yaml --env live',
      accept: 'svc pull -f acme.yaml --env live',
    },
  });
  const applied = await json('apply', '-f', 'acme.yaml', '--env', 'live', '--yes');
  expect(applied).toMatchObject({
    target: { ...named, environment: 'live' },
    next: { undo: `svc undo ${applied.job}` },
  });
  const none = await json(...base);
  expect(none).toMatchObject({ changes: [], target: named, next: {} });
});

it('offers no command that would read stdin again', async () => {
  const { svc } = await createUser();
  for (const command of ['plan', 'drift']) {
    const words = [command, '-f', '-', '--env', 'live', '-o', 'json'];
    expect(JSON.parse((await svc(words, { stdin: SETTINGS })).stdout)).toMatchObject({ next: {} });
  }
});

it('names the target and the next command of a saved plan', async () => {
  const { svc, home, url } = await createUser();
  const planned = await svc(['plan', '-f', 'acme.yaml', '--env', 'live', '--out', 'my plan.json']);
  expect(planned.stderr).toBe('Saved the plan as my plan.json\n');
  const shown = await svc(['plan', 'show', 'my plan.json']);
  expect(shown.stdout).toBe(planned.stdout);
  expect(shown.stdout.startsWith(`live · ${url} · profile prod\n\n`)).toBe(true);
  expect(shown.stdout.endsWith("\napply: svc apply 'my plan.json'\n")).toBe(true);
  expect(await readFile(join(home, 'my plan.json'), 'utf8')).toContain('"environment": "live"');
});

it('names the command for the target of a saved plan, also if the given one is unreachable', async () => {
  const { svc, home } = await createUser();
  await writeFile(join(home, 'plain.yaml'), SETTINGS.replace(/environments.*/, ''));
  await svc(['plan', '-f', 'plain.yaml', '-p', 'prod', '--out', 'plan.json']);
  const other = ['--base-url', 'http://127.0.0.1:1', '--api-key', 'other', '--no-verify'];
  const secret = ['--auth-token-file', 'token.txt', '--insecure-storage'];
  await svc(['login', 'other', ...other, ...secret]);
  expect(await svc(['apply', 'plan.json', '-p', 'other', '--yes'])).toMatchObject({
    code: 15,
    stderr: expect.stringMatching(
      /\nhint: to apply it to its target, run svc (-p prod )?apply plan\.json\n/,
    ),
  });
});

it('prints Markdown for a pull request, and adds it to the summary of a step', async () => {
  const { svc, home, url } = await createUser();
  const GITHUB_STEP_SUMMARY = join(home, 'summary.md');
  const run = async (...words: readonly string[]) => {
    const given = [...words, '-f', 'acme.yaml', '--env', 'live'];
    return (await svc(given, { env: { GITHUB_STEP_SUMMARY } })).stdout;
  };
  const plan = await run('plan', '-o', 'markdown');
  expect(plan).toBe(`### Plan: 1 to update

\`\`\`diff
live · ${url} · profile prod

~ config webhook
    useWebhookService: false → true

Predicted effects:
  enabling webhook for the first time turns on 17 triggers

apply: svc apply -f acme.yaml --env live
\`\`\`
`);
  const drift = await run('drift', '-o', 'markdown');
  expect(drift).toContain('### Drift: 1 changed\n');
  expect(drift).toContain('useWebhookService: true in acme.yaml, false in the service\n');
  expect(await run('apply', '--yes')).toContain('\nApplied: 1 updated\n');
  const [first, second, third] = (await readFile(GITHUB_STEP_SUMMARY, 'utf8')).split(/(?=^###)/m);
  expect([first, second]).toEqual([`${plan}\n`, `${drift}\n`]);
  expect(third).toMatch(/^### Applied: 1 updated\n[\s\S]*\nundo: svc undo \S+\n```\n\n$/);
  expect(await run('apply', '--yes', '-o', 'markdown')).toMatch(/^### Plan: no changes\n/);
});
