import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAILURES, type Failure } from '../../src/kernel/errors.ts';
import { saveDelivery } from './document-blocks.ts';
import { prepared, runAsUser, startAsUser } from './documented.ts';
import { type Answerer, failure, mockService } from './mock-service.ts';
import { HOME } from './svc.ts';

/** What answers where a section needs a service that misbehaves. */
const ANSWERS: { readonly [Name in Failure]?: Answerer } = {
  unauthenticated: () => failure(401, 'UNAUTHENTICATED', 'Auth token not found. Please check your auth token.'),
  permission_denied: () => failure(403, 'PERMISSION_DENIED', 'Invalid API key.'),
  resource_exhausted: () => failure(429, 'RESOURCE_EXHAUSTED', 'Too many requests.'),
  unusable_answer: (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>'),
  outcome_unknown: (_, response) => void response.destroy(),
  // Closed before it is called.
  unreachable: () => undefined,
};

/** Sections of what no command does by itself. */
const SAID_ELSEWHERE: readonly Failure[] = [
  ...(['bug', 'differs', 'reader_gone', 'unsupported_node', 'interrupted', 'terminated', 'hangup'] as const),
];

interface Example {
  readonly code: Failure;
  readonly command: string;
  readonly output: string;
}

/** The block of each section: a command, and what it says. */
function examplesOf(page: string): readonly Example[] {
  const sections = page.split(/^### /m).slice(1);
  return sections.flatMap((section) => {
    const [, code] = /^`(\w+)`/.exec(section) ?? [];
    const [, command, output] = /^```console\n\$ (.+)\n([\s\S]*?)^```$/m.exec(section) ?? [];
    return code !== undefined && command !== undefined && output !== undefined
      ? [{ code: code as Failure, command, output }]
      : [];
  });
}

const anySecret = () => `whsec_${randomBytes(24).toString('base64')}`;

async function said({ code, command }: Pick<Example, 'code' | 'command'>) {
  const { folder } = await prepared();
  const answer = ANSWERS[code];
  const service = answer && (await mockService(answer));
  const env = { ...service?.env, ...((service || code === 'no_credential') && { DIRECT: '1' }) };
  if (code === 'unreachable') service?.close();
  if (code === 'verification_failed') {
    await writeFile(join(folder, 'secret.txt'), anySecret());
    await saveDelivery(folder, '2026-03-01T12:00:00Z');
    await writeFile(join(folder, 'secret.txt'), anySecret());
  }
  if (code === 'locked') await startAsUser('exec svc serve --port 0', folder).says('http');
  const { code: exitCode, talk } = await runAsUser(command, folder, env);
  const host = service?.env.SVC_BASE_URL.replace('http://', '') ?? '';
  // Whoever has a profile types, and is told, no `--local`.
  const shown = talk
    .replaceAll('svc --local ', 'svc ')
    .replaceAll(folder, '~')
    .replaceAll(host || '\0', 'api.example.com');
  const settled = shown.replaceAll(/\d+\.\d s\)/g, '0.1 s)').replaceAll(/process \d+/g, 'process 4242');
  return { exitCode, shown: settled.replaceAll(/\d{8}-\d{6}-[0-9a-f]{6}/g, '20260131-094500-5f3a9c') };
}

const examples = examplesOf(await readFile(join(HOME, 'docs', 'troubleshooting.md'), 'utf8'));

describe('docs/troubleshooting.md', () => {
  it('shows what svc says for each failure that a command can meet', () => {
    const shown = new Set(examples.map(({ code }) => code));
    const missing = Object.keys(FAILURES).filter((code) => !shown.has(code as Failure));
    expect(missing).toEqual(Object.keys(FAILURES).filter((code) => SAID_ELSEWHERE.includes(code as Failure)));
  });

  it.each(examples)('$code: the command says that, and ends so', async ({ code, command, output }) => {
    const { exitCode, shown } = await said({ code, command });
    expect({ exitCode, shown }).toEqual({ exitCode: FAILURES[code].exitCode, shown: output });
  });
});
