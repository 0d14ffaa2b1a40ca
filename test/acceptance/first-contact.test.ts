import { describe, expect, it } from 'vitest';
import { startMockService, success } from './mock-service.ts';
import { renderScreen } from './screen.ts';
import { newUser } from './svc.ts';
import { startTerminal } from './terminal.ts';

/** Runs a command in a terminal until it exits, and returns all output. */
async function rawOutput(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  columns = 80,
) {
  const { ended, raw } = startTerminal(words, env, columns);
  expect(await ended).toBe(0);
  return raw();
}

describe('svc without a command', () => {
  it('fits a terminal of 24 lines, with bold headings', async () => {
    const { env } = await newUser();
    const raw = await rawOutput([], env);
    const lines = renderScreen(raw, 80);
    // The last line is the one of the next prompt.
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines[0]).toMatch(/^svc administers a collaboration backend/);
    for (const heading of ['First steps:', 'Commands:'])
      expect(raw).toContain(`\u001b[1m${heading}\u001b[22m`);
    for (const word of [
      'Manage',
      'Settings as code',
      'Run a service',
      'Automate',
      'Settings',
      'For developers',
    ]) {
      expect(lines.filter((line) => line.startsWith(`  ${word}  `)).length, word).toBe(1);
    }
  });

  it('prints the version for -v, and as a command', async () => {
    const { svc } = await newUser();
    const { stdout } = await svc(['-v']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
    expect(await svc(['version'])).toEqual({ code: 0, stdout, stderr: '' });
  });
});

describe('help', () => {
  it('dims defaults on a terminal, and is plain in a pipe and with NO_COLOR', async () => {
    const { env, svc } = await newUser();
    const raw = await rawOutput(['users', 'add', '--help'], env, 60);
    expect(raw).toContain('\u001b[1mFlags:\u001b[22m');
    expect(raw).toContain('\u001b[2m(default: fail)\u001b[22m');
    const plain = [
      (await svc(['users', 'add', '--help'])).stdout,
      await rawOutput(['users', 'add', '--help'], { ...env, NO_COLOR: '1' }),
      await rawOutput(['users', 'add', '--help', '--color', 'never'], env),
    ];
    expect(plain.filter((text) => text.includes('\u001b') || !text.includes('\nFlags:'))).toEqual(
      [],
    );
    expect((await svc(['help', 'flags', '--color', 'always'])).stdout).toContain(
      '\u001b[1mOutput:\u001b[22m',
    );
  });

  it('ends with the tuning flags of a bulk command', async () => {
    const { stdout } = await (await newUser()).svc(['users', 'add', '--help']);
    const [, tuning = ''] = stdout.split('\nSpeed, errors, and sharding');
    expect(tuning).toMatch(/--batch-size[\s\S]*--max-errors/);
    expect(stdout.indexOf('--data <json>')).toBeLessThan(stdout.indexOf('--batch-size'));
    expect(stdout).not.toContain('--api-version');
  });
});

describe('words that people try', () => {
  it('run the obvious command', async () => {
    const user = await newUser();
    const service = await startMockService(() => success([{ id: 'd1', documentName: 'One' }]));
    const env = { ...service.env, SVC_API_KEY: 'key-1' };
    const line = `API key key-1 at ${service.env['SVC_BASE_URL']} (SVC_API_KEY)\n`;
    expect(await user.svc(['whoami'], { env })).toEqual({ code: 0, stdout: line, stderr: '' });
    const { stdout } = await user.svc(['document', 'ls', '--org', 'acme', '--fields', 'id'], {
      env,
    });
    expect(stdout).toBe('ID\nd1\n');
    expect((await user.svc(['trigger', 'comment.add', '--dry-run'])).stderr).toContain('--url');
    expect((await user.svc(['user'])).stdout).toContain('Usage:\n  svc users <command>');
  });

  it('name the reason if there is no such operation', async () => {
    expect(await (await newUser()).svc(['user', 'list'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'svc: the service has no operation that lists users\nhint: to list those of the embedded service, run svc local list users\n',
    });
  });
});
