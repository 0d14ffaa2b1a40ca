import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { BIN, HOME, newUser } from './svc.ts';

/** Everything that help and documents name, so that they find it. */
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

/** A folder with the files that help and documents name, and a store that holds the seed. */
export async function prepared(): Promise<{ folder: string; apiKey: string }> {
  const { home, svc } = await newUser();
  await writeFile(join(home, 'seed.json'), JSON.stringify(SEED));
  expect(await svc(['local', 'import', 'seed.json'])).toMatchObject({ code: 0, stderr: '' });
  const base = ['--base-url', 'https://api.example.com', '--api-key', 'key-1'];
  expect(await svc(['profiles', 'add', 'staging', ...base])).toMatchObject({ code: 0 });
  for (const name of ['users.json', 'users.ndjson', 'users.csv', 'documents.csv']) {
    await cp(join(HOME, 'examples', name), join(home, name));
  }
  await writeFile(join(home, 'state.json'), JSON.stringify(SEED));
  for (const name of ['state.yaml', 'seed.yaml']) await writeFile(join(home, name), JSON.stringify(SEED));
  await writeFile(join(home, 'body.json'), '{}');
  await writeFile(join(home, 'token.txt'), 'not-a-real-one\n');
  await writeFile(join(home, 'package.json'), '{"scripts":{"test":"true"}}');
  await mkdir(join(home, 'bin'));
  await program(home, 'svc', `[ "$1" = --version ] || set -- --local "$@"; exec '${process.execPath}' '${BIN}' "$@"`);
  await program(home, 'npx', 'exec "$@"');
  // Its own commands are run by CI.
  await program(home, 'npm', 'exit 0');
  await program(home, 'gh', 'exit 0');
  await cp(join(HOME, 'examples'), join(home, 'examples'), { recursive: true });
  const { stdout } = await svc(['workspace', 'get', '--local', '--jq', '.apiKeyList | keys[0]']);
  return { folder: home, apiKey: stdout.trim() };
}

/** A copy of a prepared folder, for commands that shall not see what others did. */
export async function copied(folder: string): Promise<string> {
  const home = await temporaryFolder();
  await cp(folder, home, { recursive: true });
  return home;
}

/** Runs a line, or lines, of bash in a prepared folder, as a person would who is not asked. */
export function runAsUser(lines: string, home: string): Promise<{ code: number | null; talk: string }> {
  const env = { HOME: home, PATH: `${join(home, 'bin')}:${process.env['PATH']}`, CI: '1' };
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', lines], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let talk = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      talk += text;
    });
  }
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, talk })));
}

async function program(home: string, name: string, script: string): Promise<void> {
  const path = join(home, 'bin', name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}
