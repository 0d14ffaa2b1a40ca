import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startDialogue } from './dialogue.ts';
import { newUserInProcess } from './in-process.ts';

const GITHUB = { GITHUB_ACTIONS: 'true' };
const DOCUMENTS = [
  { documentId: '::error::deploy failed', documentName: '##[error]x' },
  { documentId: 'plain', documentName: '::add-mask::acme' },
];

async function createUser() {
  const user = await newUserInProcess();
  await writeFile(join(user.home, 'd.json'), JSON.stringify({ documents: DOCUMENTS }));
  const svc = (...words: readonly string[]) =>
    user.svc([...words, '--local', '--org', 'a'], { env: GITHUB, cwd: user.home });
  await svc('documents', 'add', '--data', '@d.json');
  return { svc, plain: user.svc };
}

const isObeyed = (text: string) => /^\s*::|##\[/m.test(text);

describe('a log of GitHub Actions', () => {
  it('shows no command in tables and messages', async () => {
    const { svc } = await createUser();
    const list = await svc('documents', 'list');
    expect(list.stdout).toContain('\\::error::deploy failed');
    expect(list.stdout).toContain('#\\#[error]x');
    const failed = await svc('documents', 'add', '--data', '@d.json');
    expect(failed.code).toBe(10);
    const get = await svc('documents', 'list', '--document', '##[error]y');
    for (const { stdout, stderr } of [list, failed, get])
      expect([isObeyed(stdout), isObeyed(stderr)]).toEqual([false, false]);
    const json = await svc('documents', 'list', '--folder', '##[error]y', '-o', 'json');
    expect(isObeyed(json.stderr)).toBe(false);
    for (const line of json.stderr.trim().split('\n')) expect(JSON.parse(line)).toBeDefined();
  });

  it('keeps the columns of tables aligned, and shows no command in Markdown', async () => {
    const { svc } = await createUser();
    const { stdout } = await svc('documents', 'list', '--fields', 'documentId,documentName');
    const [head = '', ...rows] = stdout.trimEnd().split('\n');
    const start = head.indexOf(head.trim().split(/ {2,}/)[1] ?? '');
    expect(rows.map((row) => row.slice(start - 2, start + 1))).toEqual(
      rows.map(() => expect.stringMatching(/^ {2}\S$/)),
    );
    const markdown = await svc('documents', 'list', '-o', 'markdown');
    expect(isObeyed(markdown.stdout)).toBe(false);
  });

  it('has data unchanged, with one warning', async () => {
    const { svc, plain } = await createUser();
    const names = await svc('documents', 'list', '--jq', '.[].documentName');
    expect(names.stdout).toBe('##[error]x\n::add-mask::acme\n');
    expect(names.stderr.match(/warning: a value looks like a command/g)).toHaveLength(1);
    const json = await svc('documents', 'list', '-o', 'json');
    expect(JSON.parse(json.stdout).map(({ id }: { id: string }) => id)).toEqual(
      DOCUMENTS.map(({ documentId }) => documentId),
    );
    const exported = await plain(['local', 'export'], { env: GITHUB });
    expect(JSON.parse(exported.stdout).documents).toMatchObject(DOCUMENTS);
    const planned = await svc('folders', 'update', '--folder', 'f', '--name', '##[x]', '--dry-run');
    expect(planned.stdout).toContain('"##[x]"');
    for (const { stderr } of [exported, planned])
      expect(stderr.match(/warning: a value looks like a command/g)).toHaveLength(1);
  });
});

it('asks on a terminal with CI=false, and says that CI is why it does not ask', async () => {
  const user = await newUserInProcess();
  const reset = ['local', 'reset'];
  const asked = startDialogue(reset, { ...user.env, CI: 'false' });
  await asked.answer('(y/N)', 'n\r');
  expect(await asked.ended).toBe(2);
  expect(await user.svc(reset, { env: { CI: 'true' } })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('svc never asks while CI is set'),
  });
});
