import { execFileSync } from 'node:child_process';
import { chmod, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createApplyUser } from './apply-user.ts';
import { newUserInProcess } from './in-process.ts';

const TOKEN = 'pull-secret-91c4-7d1f';
const LIVE = `svc: 1
stack: acme
config:
  advancedWebhooks: { isEnabled: true }
  webhook: { useWebhookService: true, webhookServiceConfig: { authToken: { env: TOKEN }, triggers: { comment.add: true } } }
organizations: [{ organizationId: acme }]
endpoints:
  - { uid: acme.one, url: "https://x.example/one" }
  - { id: ep_2, url: "https://x.example/two", filterTypes: [comment.add], rateLimit: 5 }
folders:
  - { organizationId: acme, folderId: plans, folderName: "Plans $\${x}" }
  - { organizationId: acme, folderId: q3, folderName: Q3, parentFolderId: plans, accessType: restricted }
documents: [{ organizationId: acme, documentId: d1, documentName: One, folderId: q3 }]
`;

async function newLocalUser() {
  const user = await newUserInProcess();
  const at = (name: string) => join(user.home, name);
  const env = { ...user.env, TOKEN, SVC_WEBHOOK_AUTH_TOKEN: TOKEN };
  const svc = (...words: readonly string[]) => user.svc(words, { env });
  await writeFile(at('live.yaml'), LIVE);
  expect(await svc('local', 'import', 'live.yaml')).toMatchObject({ code: 0 });
  return { at, svc, read: (name: string) => readFile(at(name), 'utf8') };
}

describe('svc pull', () => {
  it('writes a file that matches the live service, and later only changes what differs', async () => {
    const { at, svc, read } = await newLocalUser();
    const created = await svc('pull', '--local', '--org', 'acme', '-o', 'json');
    expect(created, created.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(created.stdout)).toMatchObject({
      result: 'created',
      variables: ['SVC_WEBHOOK_AUTH_TOKEN'],
    });
    expect((await stat(at('svc.yaml'))).mode & 0o777).toBe(0o644);
    const text = await read('svc.yaml');
    const { config, endpoints, folders } = parse(text);
    const records = [Object.keys(config), endpoints, folders].flat().length;
    expect(created.stderr).toContain(`"Created svc.yaml with ${records} records"`);
    expect(text).not.toContain(TOKEN);
    expect(text).toMatch(/^# yaml-language-server: \$schema=svc\.schema\.json\n/);
    expect(created.stderr).toContain(
      '"to check the file in an editor, run svc schema settings --out svc.schema.json"',
    );
    const saved = await svc('schema', 'settings', '--out', 'svc.schema.json');
    expect([saved.code, saved.stdout]).toEqual([0, '']);
    expect(JSON.parse(await read('svc.schema.json'))).toMatchObject({
      title: 'Settings file of svc',
    });
    expect(text).toContain(
      '  - uid: acme.one\n    url: https://x.example/one\n    disabled: false\n',
    );
    expect(text).toContain(
      '    folderName: Q3\n    parentFolderId: plans\n    accessType: restricted\n',
    );
    expect(await svc('plan', '--local', '--exit-code')).toMatchObject({ code: 0 });

    const edited = `\ufeff# ours\r\n${text.replaceAll('\n', '\r\n').replace('rateLimit: 5', "'rateLimit': 5 # slow")}\r\n# end\r\n`;
    await writeFile(at('real.yaml'), edited);
    await chmod(at('real.yaml'), 0o600);
    await symlink(at('real.yaml'), at('link.yaml'));
    const change = ['webhooks', 'endpoints', 'update', '--local', 'ep_2'];
    expect(
      await svc(...change, '--rate-limit', '7', '--filter-type', 'comment.delete'),
    ).toMatchObject({ code: 0 });
    expect(await svc('plan', '-f', 'link.yaml', '--local', '--exit-code')).toMatchObject({
      code: 20,
    });
    const updated = await svc('pull', 'link.yaml', '--local');
    expect(updated.stderr).toBe(
      'Updated link.yaml: 2 values changed, 0 records added, 0 removed\n',
    );
    expect(await read('real.yaml')).toBe(
      edited.replace(': 5', ': 7').replace('- comment.add', '- comment.delete'),
    );
    expect((await stat(at('real.yaml'))).mode & 0o777).toBe(0o600);
    const { mtimeMs } = await stat(at('real.yaml'));
    expect((await svc('pull', 'link.yaml', '--local')).stderr).toBe('link.yaml is unchanged\n');
    expect((await stat(at('real.yaml'))).mtimeMs).toBe(mtimeMs);
    expect(await svc('plan', '-f', 'link.yaml', '--local', '--exit-code')).toMatchObject({
      code: 0,
    });
  });

  it('selects kinds, and names those that it cannot pull', async () => {
    const { svc, read } = await newLocalUser();
    const pull = async (file: string, ...words: readonly string[]) => {
      const run = await svc('pull', file, '--local', ...words);
      expect(run, run.stderr).toMatchObject({ code: 0 });
      return read(file);
    };
    expect(await pull('d.yaml', '--only', 'documents', '--org', 'acme')).toBe(
      '# yaml-language-server: $schema=svc.schema.json\n\nsvc: 1\ndocuments:\n  - organizationId: acme\n    documentId: d1\n    documentName: One\n',
    );
    expect(await pull('f.yaml', '--only', 'folders', '--org', 'acme')).toMatch(
      /\nsvc: 1\nfolders:\n(?!.*endpoints)/s,
    );
    expect(await pull('c.yaml')).not.toContain('folders');
    for (const [words, code, message] of [
      [['--only', 'users'], 2, '--only users: users cannot be read back'],
      [['--only', 'documents'], 2, 'documents require an organization'],
      [['--env', 'prod'], 2, "none.yaml does not exist, so it has no environment 'prod'"],
    ] as const) {
      const run = await svc('pull', 'none.yaml', '--local', ...words);
      expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(message)]);
    }
  });

  it.each([
    ['of its stack', 'stack: acme\nendpoints: []', ['one'], 1],
    [
      'that it declares by ID',
      'endpoints: [{ id: ep_2, url: "https://x.example/old" }]',
      ['two'],
      1,
    ],
    [
      'that it declares by uid',
      'endpoints: [{ uid: acme.one, url: "https://x.example/old" }]',
      ['one'],
      1,
    ],
    ['of no stack if it has none: none', 'endpoints: []', [], 2],
  ])('adds to a file the endpoints %s; with --all, every one', async (_, text, own, others) => {
    const { at, svc, read } = await newLocalUser();
    await writeFile(at('own.yaml'), `svc: 1\n${text}\n`);
    const pulled = async (...words: readonly string[]) => {
      const run = await svc('pull', 'own.yaml', '--local', ...words);
      expect(run, run.stderr).toMatchObject({ code: 0 });
      const urls = Array.from(
        (await read('own.yaml')).matchAll(/x\.example\/(\w+)/g),
        ([, name]) => name,
      );
      return { urls, stderr: run.stderr };
    };
    const { urls, stderr } = await pulled();
    expect(urls).toEqual(own);
    expect(stderr).toContain(
      `left out ${others === 1 ? '1 endpoint' : `${others} endpoints`} that the stack does not own; to pull them too, add --all`,
    );
    const all = await pulled('--all');
    expect(all.urls.toSorted()).toEqual(['one', 'two']);
    expect(all.stderr).not.toContain('left out');
  });

  it('keeps a file that another program changes while svc reads the service', async () => {
    const user = await createApplyUser();
    const path = join(user.home, 'svc.yaml');
    await writeFile(path, 'svc: 1\nconfig: { advancedWebhooks: { isEnabled: true } }\n');
    const changed = 'svc: 1\n# by another program\n';
    user.control.intercept = async () => {
      await writeFile(path, changed);
      return undefined;
    };
    expect(await user.svc(['pull'])).toMatchObject({
      code: 12,
      stderr: expect.stringContaining('svc.yaml changed while svc was running'),
    });
    expect(await readFile(path, 'utf8')).toBe(changed);
  });

  it('takes the file as an argument or as --file, and refuses what is not a file', async () => {
    const { at, svc, read } = await newLocalUser();
    expect(await svc('pull', '-f', 'named.yaml', '--local')).toMatchObject({ code: 0 });
    expect(await svc('pull', 'same.yaml', '-f', 'same.yaml', '--local')).toMatchObject({ code: 0 });
    expect(await read('named.yaml')).toBe(await read('same.yaml'));
    const both = await svc('pull', 'a.yaml', '-f', 'b.yaml', '--local');
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--file names b.yaml')]);
    if (process.platform === 'win32') return;
    execFileSync('mkfifo', [at('pipe.yaml')]);
    await symlink(at('pipe.yaml'), at('pipe-link.yaml'));
    for (const file of ['pipe.yaml', 'pipe-link.yaml', '/dev/null']) {
      const run = await svc('pull', file, '--local');
      expect([run.code, run.stderr]).toEqual([
        12,
        expect.stringContaining(`cannot edit ${file}: it is not a regular file`),
      ]);
      expect((await stat(at('pipe.yaml'))).isFIFO()).toBe(true);
    }
  });
});
