import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newUserInProcess, runInProcess } from './in-process.ts';

const ADD = ['users', 'add', '--local', '--org', 'acme'];
const LATIN_1 = Buffer.from('{"users":[{"userId":"u1","name":"Zo\xeb"}]}', 'latin1');

async function openUser(files: Readonly<Record<string, string | Uint8Array>>) {
  const { home, env } = await newUserInProcess();
  for (const [name, content] of Object.entries(files)) await writeFile(join(home, name), content);
  return (words: readonly string[], stdin?: string | Uint8Array) =>
    runInProcess(words, { cwd: home, env, ...(stdin !== undefined && { stdin }) });
}

describe('text that is not UTF-8', () => {
  const message = (name: string) => `svc: ${name}:1:36: byte 0xeb is not UTF-8`;

  it('is refused in --data, with its position', async () => {
    const svc = await openUser({ 'users.json': LATIN_1 });
    const fromFile = await svc([...ADD, '--data', '@users.json']);
    expect([fromFile.code, fromFile.stderr]).toEqual([
      3,
      expect.stringContaining(message('users.json')),
    ]);
    const piped = await svc([...ADD, '--data', '-'], LATIN_1);
    expect([piped.code, piped.stderr]).toEqual([3, expect.stringContaining(message('stdin'))]);
  });

  it('is refused in --map-file and in a file of a secret', async () => {
    const svc = await openUser({
      'users.csv': 'Nr,name\nu1,Ada\n',
      'map.txt': Buffer.from('Nr\xf6=userId\n', 'latin1'),
      token: Buffer.from('tok\xe9n', 'latin1'),
    });
    const mapped = await svc([...ADD, '--file', 'users.csv', '--map-file', 'map.txt']);
    expect([mapped.code, mapped.stderr]).toEqual([
      3,
      expect.stringContaining('svc: map.txt:1:3: byte 0xf6 is not UTF-8'),
    ]);
    const login = ['login', 'p', '--base-url', 'https://example.com', '--api-key', 'k'];
    const saved = await svc([...login, '--auth-token-file', 'token']);
    expect([saved.code, saved.stderr]).toEqual([3, expect.stringContaining('is not UTF-8 text')]);
  });
});

describe('invalid JSON in --data', () => {
  it.each([
    ['{"users":[{"userId":"u1",}]}', ':1:26: expected a field name, found'],
    ['{\n"users":[{"userId":"u1"}', ':2:25: unexpected end of the text'],
    ['{"users":[{"userId":"u1","userId":"u2"}]}', ":1:26: the field 'userId' occurs twice"],
    [String.raw`{"users":[{"userId":"\ud800"}]}`, ':1:21: the text contains half of a surrogate'],
  ])('is refused with its position: %s', async (text, problem) => {
    const svc = await openUser({ 'users.json': text });
    const { code, stderr } = await svc([...ADD, '--data', '@users.json']);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`users.json${problem}`)]);
    expect(stderr).not.toContain('shell');
    const inline = await svc([...ADD, '--data', text]);
    expect([inline.code, inline.stderr]).toEqual([3, expect.stringContaining(`--data${problem}`)]);
  });
});
