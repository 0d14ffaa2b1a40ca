import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';

const DAY = 86_400_000;

/** Lists tokens on a machine with a history of resets, given as days ago, API key, and exit code. */
async function listTokens(
  names: readonly string[],
  resets: readonly (readonly [days: number, apiKey: string, exitCode: number])[],
) {
  const { svc, home } = await newUserInProcess();
  const { env } = await startMockService(() =>
    success({
      apiKey: 'key-1',
      authTokens: names.map((name) => ({ name, token: `${name}-0123456789`, domains: [] })),
    }),
  );
  const folder = join(home, '.local', 'state', 'svc', 'history');
  await mkdir(folder, { recursive: true });
  const lines = resets.map(([days, apiKey, exitCode]) =>
    JSON.stringify({
      at: new Date(Date.now() - days * DAY - 1_000).toISOString(),
      host: new URL(env.SVC_BASE_URL).host,
      command: `svc auth-tokens reset --api-key ${apiKey}`,
      ids: [apiKey],
      outcome: exitCode === 0 ? 'done' : 'failed',
      exitCode,
    }),
  );
  await writeFile(join(folder, 'history.ndjson'), `${lines.join('\n')}\n`);
  const workspace = { SVC_WORKSPACE_ID: 'w1', SVC_WORKSPACE_AUTH_TOKEN: 'token-of-workspace-1' };
  const words = ['auth-tokens', 'list', '--api-key', 'key-1'];
  const run = (...more: readonly string[]) =>
    svc([...words, ...more], { env: { ...env, ...workspace } });
  const [{ stdout: table }, { stdout: json }] = [await run(), await run('-o', 'json')];
  return { table, tokens: JSON.parse(json) as readonly { readonly resetBySvc?: string }[] };
}

it('shows the last reset by svc on this machine, and nothing if it is not known', async () => {
  const known = await listTokens(
    ['Default Auth Token', 'other'],
    [
      [200, 'key-1', 0],
      [83, 'key-1', 0],
      [2, 'key-2', 0],
      [1, 'key-1', 4],
    ],
  );
  expect(known.table).toMatch(/Default Auth Token .*reset by svc 83 d ago \(this machine\)/);
  expect(known.table.match(/reset by svc/g)).toHaveLength(1);
  const [first, second] = known.tokens;
  expect(Date.now() - Date.parse(first?.resetBySvc ?? '')).toBeGreaterThan(83 * DAY);
  expect(second).not.toHaveProperty('resetBySvc');
  for (const { table, tokens } of [
    await listTokens(['Default Auth Token'], []),
    await listTokens(['a', 'b'], [[83, 'key-1', 0]]),
    await listTokens(
      ['Default Auth Token'],
      [
        [83, 'key-1', 0],
        [1, 'key-1', 9],
      ],
    ),
  ]) {
    expect(table).not.toContain('RESET');
    expect(tokens.filter((token) => 'resetBySvc' in token)).toEqual([]);
  }
});
