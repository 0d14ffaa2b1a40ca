import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import type { Finding } from '../../../src/commands/doctor/check.ts';
import { checklist } from '../../../src/commands/doctor/checklist.ts';
import { PLAIN_LOOK } from '../../../src/output/look.ts';

const findings: readonly Finding[] = [
  { name: 'config-folder', state: 'ok', detail: '/home/ada/.config/svc (not there yet; /home/ada can be written)' },
  { name: 'dns', state: 'fail', detail: 'the name 設計.example is unknown', fix: 'check the base URL and the network' },
];

function list(width?: number): Promise<string> {
  const view = { headers: true, color: false, isTerminal: width !== undefined, width, look: PLAIN_LOOK };
  return checklist(findings, view, {});
}

it('wraps what was found beside its name on a terminal, and in a narrow one below it', async () => {
  expect(await list(60)).toBe(
    [
      '✓ config-folder  /home/ada/.config/svc (not there yet;',
      '                 /home/ada can be written)',
      '✗ dns            the name 設計.example is unknown',
      '                 fix: check the base URL and the network',
      '',
    ].join('\n'),
  );
  expect(await list(36)).toBe(
    [
      '✓ config-folder',
      '  /home/ada/.config/svc (not there',
      '  yet; /home/ada can be written)',
      '✗ dns',
      '  the name 設計.example is unknown',
      '  fix: check the base URL and the',
      '       network',
      '',
    ].join('\n'),
  );
  for (const line of (await list(36)).split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(36);
});

it('wraps nothing in a pipe', async () => {
  expect((await list()).split('\n')[0]).toBe(`ok      config-folder  ${findings[0]?.detail}`);
});
