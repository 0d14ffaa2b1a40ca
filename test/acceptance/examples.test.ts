import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../src/commands/definition.ts';
import { loadLeaf } from '../../src/commands/leaf.ts';
import { commandTree } from '../../src/commands/tree.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { BIN, HOME, newUser } from './svc.ts';

/** Everything that examples name, so that they find it. */
const SEED = {
  organizations: [{ organizationId: 'acme', organizationName: 'Acme' }],
  folders: [{ organizationId: 'acme', folderId: 'f1', folderName: 'Plans' }],
  documents: [
    { organizationId: 'acme', documentId: 'd1', documentName: 'Plan' },
    { organizationId: 'acme', documentId: 'd2', documentName: 'Other' },
  ],
  users: ['u1', 'u2', 'ada', '0123', 'no', '1e5', ...[3, 4, 5, 6, 7, 8].map((n) => `u-${n}`)].map((userId) => ({
    organizationId: 'acme',
    userId,
    name: userId,
  })),
  groups: [{ organizationId: 'acme', groupId: 'legal', groupName: 'Legal' }],
  activities: [{ organizationId: 'acme', documentId: 'd1', id: 'a1', featureType: 'custom', actionType: 'edit' }],
  crdt: [{ organizationId: 'acme', documentId: 'd1', editorId: 'e1', type: 'text', data: 'Hi' }],
  agents: [{ id: 'agent-1', name: 'Helper' }],
  endpoints: [{ id: 'ep_1', url: 'https://example.com/hook' }],
  config: { advancedWebhooks: { isEnabled: true } },
};

/** Examples that name what only the service can know, or that are meant to find nothing. */
const ENDS_WITH: ReadonlyMap<string, number> = new Map([
  ['svc api /v2/some/new/path --data @body.json --auth workspace', 5],
  ['svc documents migration-status --org acme --migration m1 --wait', 5],
  ['svc auth recover --save', 5],
]);

/** Examples that need what a test of their own gives them. */
const ELSEWHERE: ReadonlyMap<RegExp, string> = new Map([
  [/^svc serve/, 'stays until it is stopped: processes.test.ts'],
  [/svc completion (zsh|fish|powershell)/, 'for another shell: completion.test.ts'],
]);

async function examplesBelow(node: Node): Promise<readonly string[]> {
  const leaf = node.leaf && (await loadLeaf(node.leaf));
  const own = leaf?.kind === 'tool' ? leaf.definition.examples : leaf?.versions.flatMap(({ examples }) => examples);
  const inner = await Promise.all([...node.children.values()].map(examplesBelow));
  return [...(own ?? []).map(({ command }) => command), ...inner.flat()];
}

/** A folder with the files that examples name, and a store that holds the seed. */
async function prepared(): Promise<{ folder: string; apiKey: string }> {
  const { home, svc } = await newUser();
  await writeFile(join(home, 'seed.json'), JSON.stringify(SEED));
  expect(await svc(['local', 'import', 'seed.json'])).toMatchObject({ code: 0, stderr: '' });
  const base = ['--base-url', 'https://api.example.com', '--api-key', 'key-1'];
  expect(await svc(['profiles', 'add', 'staging', ...base])).toMatchObject({ code: 0 });
  for (const name of ['users.json', 'users.ndjson', 'users.csv', 'documents.csv']) {
    await cp(join(HOME, 'examples', name), join(home, name));
  }
  await writeFile(join(home, 'state.json'), JSON.stringify(SEED));
  await writeFile(join(home, 'state.yaml'), JSON.stringify(SEED));
  await writeFile(join(home, 'body.json'), '{}');
  await writeFile(join(home, 'token.txt'), 'not-a-real-one\n');
  await writeFile(join(home, 'package.json'), '{"scripts":{"test":"true"}}');
  await mkdir(join(home, 'bin'));
  await writeFile(join(home, 'bin', 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' --local "$@"\n`);
  await chmod(join(home, 'bin', 'svc'), 0o755);
  const { stdout } = await svc(['workspace', 'get', '--local', '--jq', '.apiKeyList | keys[0]']);
  return { folder: home, apiKey: stdout.trim() };
}

/** Runs an example in a copy of the prepared folder, as a person would who is not asked. */
async function runExample(command: string, prepared: string): Promise<{ code: number | null; talk: string }> {
  const home = await temporaryFolder();
  await cp(prepared, home, { recursive: true });
  const env = { HOME: home, PATH: `${join(home, 'bin')}:${process.env['PATH']}`, CI: '1' };
  const child = spawn('bash', ['-o', 'pipefail', '-c', command], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let talk = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      talk += text;
    });
  }
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, talk })));
}

describe('the examples of help', () => {
  it('run, each of them', { timeout: 120_000 }, async () => {
    const { folder, apiKey } = await prepared();
    const examples = [...new Set(await examplesBelow(commandTree()))];
    expect(examples.length).toBeGreaterThan(60);
    const waiting = examples.filter((command) => ![...ELSEWHERE.keys()].some((kind) => kind.test(command)));
    const failed: string[] = [];
    const work = async () => {
      for (let command = waiting.shift(); command; command = waiting.shift()) {
        const { code, talk } = await runExample(command.replace('--api-key K', `--api-key ${apiKey}`), folder);
        if (code !== (ENDS_WITH.get(command) ?? 0)) failed.push(`${command}\n  ended with ${code}: ${talk.trim()}`);
      }
    };
    await Promise.all([work(), work(), work()]);
    expect(failed.join('\n')).toBe('');
  });
});
