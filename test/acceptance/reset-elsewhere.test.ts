import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startDialogueInProcess } from './dialogue.ts';
import { newUserInProcess } from './in-process.ts';
import { startTokenService } from './token-service.ts';

const RESET = ['auth-tokens', 'reset', '--api-key', 'key-1'];

/** Creates a user with a profile that has the current token. */
async function createUser() {
  const user = await newUserInProcess();
  const service = await startTokenService();
  await writeFile(join(user.home, 'old.txt'), String(service.env.SVC_AUTH_TOKEN));
  const address = ['--base-url', service.env.SVC_BASE_URL, '--api-key', 'key-1'];
  const secret = ['--auth-token-file', 'old.txt', '--insecure-storage', '--no-verify'];
  const added = await user.svc(['profiles', 'add', 'prod', ...address, ...secret]);
  expect(added.code, added.stderr).toBe(0);
  const saved = async () => {
    const text = await readFile(join(user.home, '.config', 'svc', 'secrets.json'), 'utf8');
    return Object.values<{ readonly authToken: string }>(JSON.parse(text))[0]?.authToken;
  };
  const { SVC_WORKSPACE_ID, SVC_WORKSPACE_AUTH_TOKEN } = service.env;
  const workspace = { SVC_WORKSPACE_ID, SVC_WORKSPACE_AUTH_TOKEN };
  return {
    ...user,
    env: { ...user.env, ...workspace },
    service,
    saved,
    reset: (...words: readonly string[]) =>
      user.svc([...RESET, '--yes', ...words], { env: workspace }),
  };
}

describe('a reset whose new token goes elsewhere', () => {
  it('warns that the profile has the old token, and a later rejection names the cause', async () => {
    const { svc, reset, service, saved } = await createUser();
    const run = await reset('--output-file', 'new.txt');
    expect(run).toMatchObject({ code: 0, stdout: '' });
    const command = 'svc profiles update prod --auth-token-file new.txt';
    expect(run.stderr).toContain(
      `warning: profile 'prod' still has the old token; to save the new one, run ${command}\n`,
    );
    expect(await saved()).not.toBe(service.current());
    const rejected = await svc(['folders', 'list', '--org', 'acme']);
    expect(rejected.code).toBe(4);
    expect(rejected.stderr).toMatch(
      /the auth token of profile 'prod' was replaced at \d{4}-\d\d-\d\dT[\d:.]+Z; to save the new one, run svc profiles update prod --auth-token-stdin/,
    );
    expect(await svc([...command.split(' ').slice(1), '--no-verify'])).toMatchObject({ code: 0 });
    expect(await saved()).toBe(service.current());
    const accepted = await svc(['folders', 'list', '--org', 'acme']);
    expect(accepted.stderr).not.toContain('was replaced at');
  });

  it('names a command for stdin if the token is only printed', async () => {
    const { reset } = await createUser();
    const { stderr } = await reset('-q');
    expect(stderr).toContain('run svc profiles update prod --auth-token-stdin\n');
  });

  it('says nothing if --save stores the token, or without a profile of the key', async () => {
    const { svc, reset, service, saved } = await createUser();
    expect(await reset('--save', '-q')).toMatchObject({ code: 0, stderr: '' });
    expect(await saved()).toBe(service.current());
    const env = { ...service.env, SVC_AUTH_TOKEN: service.current() };
    const other = await svc(['auth-tokens', 'reset', '--api-key', 'key-2', '--yes', '-q'], { env });
    expect(other.stderr).not.toContain('still has the old token');
  });

  it('offers to save the token on a terminal', async () => {
    const { env, service, saved } = await createUser();
    const dialogue = startDialogueInProcess(RESET, env);
    await dialogue.answer('Replace the auth token', 'y\r');
    await dialogue.answer("Save the new token in profile 'prod'?", '\r');
    expect(await dialogue.ended, dialogue.text()).toBe(0);
    await dialogue.shows("Saved the new token in profile 'prod'");
    expect(await saved()).toBe(service.current());
  });

  it('does not accept the offer with --yes', async () => {
    const { env, service, saved } = await createUser();
    const dialogue = startDialogueInProcess([...RESET, '--yes'], env);
    expect(await dialogue.ended, dialogue.text()).toBe(0);
    await dialogue.shows("profile 'prod' still has the old token");
    expect(dialogue.text()).not.toContain('Save the new token');
    expect(await saved()).not.toBe(service.current());
  });
});
