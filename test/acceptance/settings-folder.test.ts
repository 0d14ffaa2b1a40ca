import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newUserInProcess } from './in-process.ts';

const URL = 'https://h.example.com/a';
const ENABLED = 'svc: 1\nstack: sf\nconfig: { advancedWebhooks: { isEnabled: true } }\n';

async function createUser(files: Readonly<Record<string, string>>) {
  const user = await newUserInProcess();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(user.home, name, '..'), { recursive: true });
    await writeFile(join(user.home, name), text);
  }
  const svc = (...words: readonly string[]) => user.svc([...words, '--local']);
  const createEndpoint = async (uid: string) => {
    const run = await svc('webhooks', 'endpoints', 'create', '--url', URL, '--uid', uid);
    expect(run, run.stderr).toMatchObject({ code: 0 });
  };
  const uids = async () => {
    const { stdout } = await svc('webhooks', 'endpoints', 'list', '--jq', '[.[].uid] | sort');
    return JSON.parse(stdout);
  };
  return { ...user, svc, createEndpoint, uids };
}

describe('a folder of settings', () => {
  it('includes its subfolders, so that --prune keeps their endpoints', async () => {
    const { svc, uids, createEndpoint } = await createUser({
      'env/a.yaml': `${ENABLED}endpoints: [{ uid: sf.a, url: "${URL}" }]\n`,
      'env/sub/deep/c.yml': `endpoints: [{ uid: sf.c, url: "${URL}" }]\n`,
      'env/.hidden/d.yaml': 'not settings',
    });
    expect(await svc('apply', '-f', 'env', '--yes')).toMatchObject({ code: 0 });
    await createEndpoint('sf.gone');
    expect(await uids()).toEqual(['sf.a', 'sf.c', 'sf.gone']);
    const pruned = await svc('apply', '-f', 'env', '--yes', '--prune', '--prune-limit', '3');
    expect(pruned, pruned.stderr).toMatchObject({ code: 0 });
    expect(await uids()).toEqual(['sf.a', 'sf.c']);
  });
});

describe('endpoints outside the file or its stack', () => {
  it('are named in a warning if only the file has them', async () => {
    const { svc } = await createUser({
      'svc.yaml': `${ENABLED}endpoints: [{ uid: sf.a, url: "${URL}" }, { uid: other.b, url: "${URL}" }]\n`,
    });
    const { code, stderr } = await svc('plan');
    expect([code, stderr]).toEqual([
      0,
      'warning: svc.yaml: 1 endpoint outside stack sf: other.b; --prune deletes only sf.<name>\n',
    ]);
  });

  it('are drift if the stack owns them, and one note if no stack does', async () => {
    const { svc, createEndpoint } = await createUser({
      'svc.yaml': `${ENABLED}endpoints: [{ uid: sf.a, url: "${URL}" }]\n`,
    });
    await svc('apply', '--yes');
    await createEndpoint('other.b');
    await createEndpoint('loose');
    expect(await svc('drift')).toMatchObject({
      code: 0,
      stderr: '1 undeclared endpoint without a stack: loose\n',
    });
    await createEndpoint('sf.new');
    const drift = await svc('drift');
    expect(drift).toMatchObject({
      code: 20,
      stdout: expect.stringMatching(/^- endpoint sf\.new$/m),
    });
    const [, restore = ''] = /^restore: svc (.*)$/m.exec(drift.stdout) ?? [];
    expect(restore.split(' ')).toEqual(['--local', 'apply', '--prune']);
  });

  it('are pulled only if the stack owns them, or with --all', async () => {
    const { svc, createEndpoint, home } = await createUser({
      'svc.yaml': `${ENABLED}endpoints: [{ uid: kept.a, url: "${URL}" }]\n`,
    });
    await svc('apply', '--yes');
    for (const uid of ['sf.new', 'other.b', 'loose']) await createEndpoint(uid);
    const file = () => readFile(join(home, 'svc.yaml'), 'utf8');
    expect(await svc('pull')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        'left out 2 endpoints that the stack does not own; to pull them too, add --all\n',
      ),
    });
    expect((await file()).match(/uid: [\w.]+/g)).toEqual(['uid: kept.a', 'uid: sf.new']);
    await svc('pull', '--all');
    expect((await file()).match(/uid: [\w.]+/g)).toHaveLength(4);
  });
});

describe('a variable', () => {
  it('keeps its type in fields that expect a number or a switch, and is text elsewhere', async () => {
    const { svc } = await createUser({
      'svc.yaml': `${ENABLED}vars: { n: 5, off: true, w: "5" }
endpoints:
  - { uid: sf.a, url: "${URL}", rateLimit: "\${n}", disabled: "\${off}", description: "\${n}" }
environments: { big: { vars: { n: 9 } } }
`,
      'text.yaml': `${ENABLED}vars: { w: "5" }\nendpoints: [{ uid: sf.a, url: "${URL}", rateLimit: "\${w}" }]\n`,
    });
    for (const [words, n] of [
      [[], 5],
      [['--env', 'big'], 9],
    ] as const) {
      const { stdout, stderr } = await svc('plan', ...words, '-o', 'json');
      const created = JSON.parse(stdout || '{}').changes?.find(
        ({ kind }: { kind: string }) => kind === 'endpoints',
      );
      expect(created?.after, stderr).toMatchObject({
        rateLimit: n,
        disabled: true,
        description: String(n),
      });
    }
    expect(await svc('plan', '-f', 'text.yaml')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('rateLimit'),
    });
  });
});

describe('values that look alike', () => {
  it('are shown with the characters that make them different', async () => {
    const declare = (name: string) =>
      `svc: 1\nfolders: [{ organizationId: acme, folderId: f, folderName: "${name}" }]\n`;
    const { svc, home } = await createUser({ 'svc.yaml': declare('Cafe\u0301 \u00fc b') });
    await svc('apply', '--yes');
    await writeFile(join(home, 'svc.yaml'), declare('Caf\u00e9 \u00fc\u00a0b'));
    const { stdout } = await svc('plan');
    expect(stdout).toContain('folderName: "Cafe\\u0301 \\u00fc b" → "Caf\\u00e9 \\u00fc\\u00a0b"');
  });
});
