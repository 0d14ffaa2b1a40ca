import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAILURES, type Failure } from '../../src/kernel/errors.ts';
import { saveDelivery } from './document-blocks.ts';
import { prepareFolder, runLine, startAsUser } from './documented.ts';
import { failure, type ResponseHandler, startMockService } from './mock-service.ts';
import { HOME } from './svc.ts';

/** Responses for sections that need a misbehaving service. */
const RESPONSES: { readonly [Name in Failure]?: ResponseHandler } = {
  unauthenticated: () =>
    failure(401, 'UNAUTHENTICATED', 'Auth token not found. Please check your auth token.'),
  permission_denied: () => failure(403, 'PERMISSION_DENIED', 'Invalid API key.'),
  resource_exhausted: () => failure(429, 'RESOURCE_EXHAUSTED', 'Too many requests.'),
  invalid_response: (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>'),
  outcome_unknown: (_, response) => void response.destroy(),
  // The service is closed before the call.
  unreachable: () => undefined,
};

/** Sections without an example command. */
const WITHOUT_EXAMPLE: readonly Failure[] = [
  ...([
    'bug',
    'approval_required',
    'differs',
    'stdout_closed',
    'unsupported_node',
    'interrupted',
    'terminated',
    'hangup',
  ] as const),
];

interface Example {
  readonly code: Failure;
  readonly command: string;
  readonly output: string;
}

/** Parses the command and the output in the block of each section. */
function parseExamples(page: string): readonly Example[] {
  const sections = page.split(/^### /m).slice(1);
  return sections.flatMap((section) => {
    const [, code] = /^`(\w+)`/.exec(section) ?? [];
    const [, command, output] = /^```console\n\$ (.+)\n([\s\S]*?)^```$/m.exec(section) ?? [];
    return code !== undefined && command !== undefined && output !== undefined
      ? [{ code: code as Failure, command, output }]
      : [];
  });
}

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

async function runExample({ code, command }: Pick<Example, 'code' | 'command'>) {
  const { folder } = await prepareFolder();
  const answer = RESPONSES[code];
  const service = answer && (await startMockService(answer));
  const env = { ...service?.env, ...((service || code === 'no_credential') && { DIRECT: '1' }) };
  if (code === 'unreachable') service?.close();
  if (code === 'verification_failed') {
    await writeFile(join(folder, 'secret.txt'), newSecret());
    await saveDelivery(folder, '2026-03-01T12:00:00Z');
    await writeFile(join(folder, 'secret.txt'), newSecret());
  }
  if (code === 'locked') await startAsUser('exec svc serve --port 0', folder).prints('http');
  const { code: exitCode, output } = await runLine(command, folder, env);
  const host = service?.env.SVC_BASE_URL.replace('http://', '') ?? '';
  // A user with a profile neither types nor sees `--local`.
  const shown = output
    .replaceAll('svc --local ', 'svc ')
    .replaceAll(folder, '~')
    .replaceAll(host || '\0', 'api.example.com');
  const settled = shown
    .replaceAll(/\d+\.\d s\)/g, '0.1 s)')
    .replaceAll(/process \d+/g, 'process 4242');
  return {
    exitCode,
    shown: settled.replaceAll(/\d{8}-\d{6}-[0-9a-f]{6}/g, '20260131-094500-5f3a9c'),
  };
}

const examples = parseExamples(await readFile(join(HOME, 'docs', 'troubleshooting.md'), 'utf8'));

describe('docs/troubleshooting.md', () => {
  it('quotes an error for each failure that a command can produce', () => {
    const shown = new Set(examples.map(({ code }) => code));
    const missing = Object.keys(FAILURES).filter((code) => !shown.has(code as Failure));
    expect(missing).toEqual(
      Object.keys(FAILURES).filter((code) => WITHOUT_EXAMPLE.includes(code as Failure)),
    );
  });

  it.each(examples)(
    '$code: the command prints the quoted output and returns the exit code',
    async ({ code, command, output }) => {
      const { exitCode, shown } = await runExample({ code, command });
      expect({ exitCode, shown }).toEqual({ exitCode: FAILURES[code].exitCode, shown: output });
    },
  );
});
