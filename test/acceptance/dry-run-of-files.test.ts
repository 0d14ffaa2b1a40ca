import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { startDialogue } from './dialogue.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';

const TENANTS = `userId,name,organizationId
${Array.from({ length: 150 }, (_, at) => `a${at},Ada,acme\nb${at},Bob,beta\n`).join('')}stray,Cy,Acme Ltd
`;

async function openUser() {
  const user = await newUserInProcess();
  const service = await startMockService(({ body }) => {
    const users = body.data['users'] as readonly { readonly userId: string }[];
    return success(Object.fromEntries(users.map(({ userId }) => [userId, { success: true }])));
  });
  await writeFile(join(user.home, 'users.csv'), TENANTS);
  const svc = (...words: readonly string[]) => user.svc(words, { env: service.env });
  return { user, svc, env: service.env, received: service.received };
}

/** A file with a likely typo in one cell. */
const STRAY = 'userId,organizationId\na,acme\nb,acme\nc,beta\nd,Acme Ltd\n';
const COUNTS = 'acme 2 · beta 1 · Acme Ltd 1 (new)';

async function openUserOfOrganizations() {
  const opened = await openUser();
  const { svc, user } = opened;
  for (const org of ['acme', 'beta']) await svc('users', 'add', '--org', org, '--user', 'u0');
  await writeFile(join(user.home, 'stray.csv'), STRAY);
  return { ...opened, sent: opened.received.length };
}

describe('an import with a new organization', () => {
  it('marks it in the summary, the job, its page, and the step summary, and warns', async () => {
    const { user, svc, env } = await openUserOfOrganizations();
    const add = ['users', 'add', '--file', 'stray.csv'];
    const steps = join(user.home, 'steps.md');
    const { code, stdout, stderr } = await user.svc(add, {
      env: { ...env, GITHUB_STEP_SUMMARY: steps },
    });
    expect(code, stderr).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(COUNTS);
    expect(stderr).toBe(
      "warning: organization 'Acme Ltd' is not known on this machine and will be created if it does not exist (--create-organization suppresses this warning)\n",
    );
    expect((await svc('jobs', 'show')).stdout).toContain(`organizations  ${COUNTS}\n`);
    const page = (await svc('jobs', 'show', '--html', '--file', '-')).stdout;
    expect(page).toContain('<code>Acme Ltd</code> (new)</th>');
    expect(page).toContain('<code>acme</code></th>');
    expect(await readFile(steps, 'utf8')).toContain(
      'Organizations: acme 2 · beta 1 · Acme Ltd 1 (new)\n',
    );
    expect((await svc(...add)).stderr).toBe('');
  });

  it.each([
    ['over HTTP', [], 'names 1 organization that is not known on this machine'],
    ['with --local', ['--local'], 'names 1 organization that does not exist'],
  ])(
    'asks first on a terminal %s, and sends nothing without consent',
    SLOW,
    async (_, flags, question) => {
      const { user, env, received, sent } = await openUserOfOrganizations();
      for (const org of ['acme', 'beta'])
        await user.svc(['organizations', 'add', '--local', '--org', org]);
      const words = ['users', 'add', '--file', join(user.home, 'stray.csv'), ...flags];
      const asked = startDialogue(words, { ...user.env, ...env });
      await asked.answer(question, '\r');
      expect(await asked.ended, asked.text()).toBe(2);
      expect(received).toHaveLength(sent);
      const agreed = startDialogue(words, { ...user.env, ...env });
      await agreed.answer(question, '\u001b[A\u001b[A\r');
      expect(await agreed.ended, agreed.text()).toBe(0);
      expect(agreed.text()).toContain(COUNTS);
    },
  );

  it('asks also if this machine knows no organization, unless a flag answers', SLOW, async () => {
    const { user, env } = await openUser();
    await writeFile(join(user.home, 'stray.csv'), STRAY);
    const words = ['users', 'add', '--file', join(user.home, 'stray.csv')];
    const asked = startDialogue(words, { ...user.env, ...env }, 40);
    await asked.answer('names 3 organizations that are not known on this machine', '\r');
    expect(await asked.ended, asked.text()).toBe(2);
    const flagged = startDialogue([...words, '--create-organization'], { ...user.env, ...env });
    expect(await flagged.ended, flagged.text()).toBe(0);
  });
});

describe('a dry run of a file', () => {
  it('checks every record, and counts what would be sent by organization', async () => {
    const { svc, received } = await openUser();
    const add = ['users', 'add', '--file', 'users.csv', '--dry-run'];
    const { code, stdout, stderr } = await svc(...add);
    expect([code, stdout, stderr]).toEqual([
      0,
      'users.csv: 301 users, no problems found\n' +
        'dry run: 301 users in 5 requests: acme 150 (new) · beta 150 (new) · Acme Ltd 1 (new)\n',
      '',
    ]);
    const json = await svc(...add, '-o', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      file: 'users.csv',
      records: 301,
      valid: true,
      findings: [],
      requests: 5,
      organizations: [
        { id: 'acme', total: 150, new: true },
        { id: 'beta', total: 150, new: true },
        { id: 'Acme Ltd', total: 1, new: true },
      ],
    });
    expect(received).toEqual([]);
  });

  it('marks organizations that no earlier import was sent to', async () => {
    const { user, svc } = await openUser();
    await writeFile(join(user.home, 'old.csv'), TENANTS.replace(/.*Acme Ltd\n/, ''));
    const first = await svc('users', 'add', '--file', 'old.csv');
    expect(first.stdout.split('\n')[1]).toBe('acme 150 (new) · beta 150 (new)');
    const organizations = [
      { id: 'Acme Ltd', new: true },
      { id: 'acme', new: false },
      { id: 'beta', new: false },
    ];
    const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);
    for (const flags of [['--dry-run'], ['--dry-run'], []]) {
      const run = await svc('users', 'add', '--file', 'users.csv', ...flags, '-o', 'json');
      const found: typeof organizations = JSON.parse(run.stdout).organizations;
      expect(found.map(({ id, new: isNew }) => ({ id, new: isNew })).toSorted(byId)).toEqual(
        organizations,
      );
    }
    const last = await svc('users', 'add', '--file', 'users.csv');
    expect(last.stdout.split('\n')[1]).toBe('Acme Ltd 1 · acme 150 · beta 150');
  });

  it('knows which organizations exist in the embedded service', async () => {
    const { user } = await openUser();
    const add = ['users', 'add', '--local', '--org', 'acme'];
    expect((await user.svc([...add, '--user', 'u1'])).code).toBe(0);
    const words = ['users', 'add', '--local', '--file', 'users.csv', '--dry-run'];
    const { stdout } = await user.svc(words);
    expect(stdout.split('\n')[1]).toBe(
      'dry run: 301 users in 5 requests: acme 150 · beta 150 (new) · Acme Ltd 1 (new)',
    );
  });

  it('reports all problems and suspicious values', async () => {
    const { user, svc } = await openUser();
    const rows = ['userId,email', 'a,ada@example', 'b,', 'a,x@example.com', ',y@example.com', ','];
    await writeFile(join(user.home, 'bad.csv'), rows.join('\n'));
    const add = ['users', 'add', '--org', 'acme', '--file', 'bad.csv', '--dry-run'];
    const { code, stdout, stderr } = await svc(...add);
    expect([code, stdout]).toEqual([
      3,
      "bad.csv:4: userId: 'a' is already on line 2\nbad.csv:5: userId: is required\n",
    ]);
    expect(stderr).toContain("email: 'ada@example' is not a valid email address");
    expect(stderr).toContain('bad.csv:6: 1 row without values is skipped');
    expect(stderr).toContain('svc: bad.csv: 2 problems in 4 records');
  });

  it.each([
    [[], 'bad.csv:3: userId: is required\n'],
    [['-o', 'json'], '"valid": false'],
  ])('annotates the file in GitHub Actions, with %j', async (flags, printed) => {
    const { user, env } = await openUser();
    await writeFile(join(user.home, 'bad.csv'), 'userId,email\na,ada@example\n,b@example.com\n');
    const words = ['users', 'add', '--org', 'acme', '--file', 'bad.csv', '--dry-run', ...flags];
    const { code, stdout, stderr } = await user.svc(words, {
      env: { ...env, GITHUB_ACTIONS: 'true' },
    });
    expect([code, stdout]).toEqual([3, expect.stringContaining(printed)]);
    expect(stderr).toContain('::error file=bad.csv,line=3,col=1::userId: is required\n');
    expect(stderr).toContain('::warning file=bad.csv,line=2,col=1::email: ');
    expect((await user.svc(words, { env })).stderr).not.toContain('::');
  });

  it('lists the suspicious values that the import only counts', async () => {
    const { user, svc } = await openUser();
    const rows = Array.from({ length: 12 }, (_, at) => `u${at},Ada ,u${at}@example.com`);
    const text = ['userId,name,email', ...rows, 'last,Bo,nobody', 'fine,Cy,c@example.com'];
    await writeFile(join(user.home, 'new.csv'), text.join('\n'));
    const words = ['users', 'add', '--org', 'acme', '--file', 'new.csv'];
    const summary =
      'warning: new.csv: 13 suspicious values (lines 2, 3, 4, …); to list them, add --dry-run\n';
    const added = await svc(...words);
    expect([added.code, added.stderr]).toEqual([0, expect.stringContaining(summary)]);
    expect(added.stderr).not.toContain('begins or ends');
    const dry = await svc(...words, '--dry-run');
    expect(dry.stderr).toContain("new.csv:2: name: 'Ada ' begins or ends with a space\n");
    expect(dry.stderr).toContain("new.csv:14: email: 'nobody' is not a valid email address\n");
    await writeFile(join(user.home, 'new.csv'), 'userId,name\nlast,Bo \n');
    expect((await svc(...words)).stderr).toContain(
      'warning: new.csv: 1 suspicious value (line 2); to list them, add --dry-run\n',
    );
  });

  it('needs no credentials, no state folder, and leaves no temporary files', async () => {
    const { user } = await openUser();
    const temporary = await createTemporaryFolder();
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    await chmod(user.home, 0o500);
    const words = ['users', 'add', '--org', 'acme', '--file', '-', '--dry-run'];
    const setting = { stdin: TENANTS.replaceAll('Acme Ltd', 'acme'), env: { SVC_OUTPUT: 'table' } };
    const { code, stdout } = await user.svc(
      [...words.slice(0, 2), ...words.slice(4), '--input-format', 'csv'],
      setting,
    );
    await chmod(user.home, 0o700);
    expect([code, stdout]).toEqual([0, expect.stringContaining('dry run: 301 users')]);
    expect(await readdir(temporary)).toEqual([]);
    expect(await readdir(user.home)).toEqual(['users.csv']);
  });
});
