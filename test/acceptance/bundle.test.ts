import { expect, it } from 'vitest';
import { newUserInProcess } from './in-process.ts';
import { newUser } from './svc.ts';

it('the built svc has the commands, flags, and choices of the source', async () => {
  const [built, source] = [await newUser(), await newUserInProcess()];
  const words = ['commands', '-o', 'json'];
  const { code, stdout } = await built.svc(words);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(JSON.parse((await source.svc(words)).stdout));
});

it.each(['cobol', 'constructor', '__proto__', ''])(
  'svc webhooks snippet rejects an unknown language: %j',
  async (language) => {
    const { svc } = await newUser();
    expect(await svc(['webhooks', 'snippet', '--lang', language])).toMatchObject({
      code: 2,
      stderr: `svc: --lang must be one of node, python, go, ruby, php, got '${language}'\n`,
    });
  },
);
