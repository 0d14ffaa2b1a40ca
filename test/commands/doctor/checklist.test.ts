import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import type { DoctorFinding } from '../../../src/commands/doctor/check.ts';
import { formatChecklist } from '../../../src/commands/doctor/doctor.ts';
import { PIPE_DISPLAY } from '../../../src/output/display-options.ts';

const findings: readonly DoctorFinding[] = [
  {
    name: 'config-folder',
    state: 'ok',
    detail: '/home/ada/.config/svc (does not exist yet; /home/ada is writable)',
  },
  {
    name: 'dns',
    state: 'fail',
    detail: 'the name 設計.example is unknown',
    fix: 'check the base URL and the network',
  },
];

function list(width?: number): Promise<string> {
  const view = {
    headers: true,
    color: false,
    isTerminal: width !== undefined,
    width,
    display: PIPE_DISPLAY,
  };
  return formatChecklist(findings, view, {});
}

it('wraps details next to the names on a terminal, and below them on a narrow one', async () => {
  expect(await list(60)).toBe(
    [
      '✓ config-folder  /home/ada/.config/svc (does not exist yet;',
      '                 /home/ada is writable)',
      '✗ dns            the name 設計.example is unknown',
      '                 fix: check the base URL and the network',
      '',
    ].join('\n'),
  );
  expect(await list(36)).toBe(
    [
      '✓ config-folder',
      '       /home/ada/.config/svc (does',
      '       not exist yet; /home/ada is',
      '       writable)',
      '✗ dns  the name 設計.example is',
      '       unknown',
      '       fix: check the base URL and',
      '       the network',
      '',
    ].join('\n'),
  );
  for (const line of (await list(36)).split('\n'))
    expect(stringWidth(line)).toBeLessThanOrEqual(36);
});

it('shows checks that were skipped for one cause in one line', async () => {
  const because = (name: string, detail: string) => ({ name, state: 'skipped', detail }) as const;
  const skipped = [
    because('dns', 'skipped because proxy failed'),
    because('workspace', 'not configured'),
    because('clock', 'skipped because proxy failed'),
  ];
  const view = { headers: true, color: false, isTerminal: true, width: 40, display: PIPE_DISPLAY };
  expect(await formatChecklist(skipped, view, {})).toBe(
    [
      '– 2 checks   skipped because proxy',
      '             failed: dns, clock',
      '– workspace  not configured',
      '',
    ].join('\n'),
  );
});

it('wraps nothing in a pipe', async () => {
  expect((await list()).split('\n')[0]).toBe(`ok      config-folder  ${findings[0]?.detail}`);
});
