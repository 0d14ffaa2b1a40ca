import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BulkSummary } from '../../../src/bulk/summary.ts';
import { renderStepSummary } from '../../../src/commands/bulk/print-summary.ts';
import { appendStepSummary } from '../../../src/commands/outputs/append-step-summary.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { fakeContext } from '../fake-context.ts';

const SUMMARY: BulkSummary = {
  operation: 'users.add',
  job: '20260131-094500-5f3a9c',
  total: 1_200,
  succeeded: 1_150,
  failed: 49,
  unknown: 1,
  skipped: 0,
  requests: 14,
  retries: 2,
  seconds: 3.26,
  failures: Array.from({ length: 50 }, (_, at) => ({
    id: `u${at}|x`,
    line: at + 2,
    code: 'not-found',
    message: at === 0 ? 'no\n`such` <img src=x> [folder](http://x) @all \u001b[31m' : null,
  })),
  failuresTruncated: false,
  rejects: 'users.rejects.csv',
};

describe('the summary of a CI step', () => {
  it('is appended as Markdown in which text from the service is escaped', async () => {
    const path = join(await createTemporaryFolder(), 'step.md');
    const context = await fakeContext({ environment: { GITHUB_STEP_SUMMARY: path } });
    const append = (summary: BulkSummary) =>
      appendStepSummary(context, () => renderStepSummary('user', summary));
    await append({
      ...SUMMARY,
      failures: [],
      failed: 0,
      unknown: 0,
      rejects: null,
    });
    await append(SUMMARY);
    const [first = '', second = ''] = (await readFile(path, 'utf8')).split(/(?=^###)/m);
    expect(first.split('\n')).toEqual([
      '### svc users add: 1,200 users',
      '',
      '| Succeeded | Failed | Unknown | Not sent | Requests | Retries | Time |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      '| 1,150 | 0 | 0 | 0 | 14 | 2 | 3.3 s |',
      '',
      'Job `20260131-094500-5f3a9c`',
      '',
      '',
    ]);
    expect(second).toContain(
      '\n| Line | ID | Message | Code |\n| --- | --- | --- | --- |\n| 2 | u0\\|x | no',
    );
    expect(second).toContain('\\`such\\` \\<img src=x\\> \\[folder\\](http\\://x) \\@&#8203;all');
    expect(second).toContain('\nand 30 more\n');
    expect(second).toContain('\nJob `20260131-094500-5f3a9c`, rejects: users.rejects.csv\n');
  });

  it('counts the effects where they are known', () => {
    const counted = { ...SUMMARY, created: 1_100, updated: 20, unchanged: 30 };
    const text = renderStepSummary('folder', counted);
    expect(text).toContain('| Succeeded | Created | Updated | Unchanged | Failed |');
    expect(text).toContain('| 1,150 | 1,100 | 20 | 30 | 49 |');
  });

  it('warns if it cannot be written', async () => {
    const path = await createTemporaryFolder();
    await mkdir(join(path, 'x'));
    const context = await fakeContext({ environment: { GITHUB_STEP_SUMMARY: path } });
    await appendStepSummary(context, () => renderStepSummary('user', SUMMARY));
    expect(context.stderr()).toMatch(/^warning: GITHUB_STEP_SUMMARY: cannot write /);
  });

  it('stays below the size at which GitHub discards it', async () => {
    const path = join(await createTemporaryFolder(), 'step.md');
    const context = await fakeContext({ environment: { GITHUB_STEP_SUMMARY: path } });
    const part = 'é'.repeat(200_000);
    for (let parts = 0; parts < 4; parts += 1) await appendStepSummary(context, () => part);
    expect(await readFile(path, 'utf8')).toBe(`${part}\n`.repeat(2));
    expect(context.stderr()).toBe(
      'warning: GITHUB_STEP_SUMMARY: the summary of the step is full\n'.repeat(2),
    );
  });
});
