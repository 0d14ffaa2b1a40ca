import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JobReceipt } from '../../../../src/commands/jobs/receipt/read-receipt.ts';
import { createScale } from '../../../../src/commands/jobs/report/chart.ts';
import { renderReport } from '../../../../src/commands/jobs/report/render-report.ts';
import { rememberSecret } from '../../../../src/kernel/redact.ts';
import { codePoint } from '../../../code-point.ts';
import { repeats } from '../../../repeats.ts';
import { RECEIPT } from '../receipt/receipts.ts';

const VOID = new Set(['meta', 'line', 'rect', 'br']);

/** The elements of a page in order; throws where one is not closed, or closed out of turn. */
function elementsOf(page: string): readonly string[] {
  const open: string[] = [];
  const all: string[] = [];
  for (const [, closing, name = '', rest = ''] of page
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .matchAll(/<(\/?)([a-z][a-z0-9]*)((?:[^<>"]|"[^"]*")*)>/g)) {
    if (closing) {
      if (open.pop() !== name) throw new Error(`</${name}> closes nothing`);
    } else {
      all.push(name);
      if (!VOID.has(name) && !rest.endsWith('/')) open.push(name);
    }
  }
  if (open.length > 0) throw new Error(`not closed: ${open.join()}`);
  return all;
}

/** A receipt in which a foreign text stands wherever one can. */
function holding(text: string): JobReceipt {
  return {
    ...RECEIPT,
    operation: text,
    input: text,
    inputs: RECEIPT.inputs.map((input) => ({ ...input, name: text })),
    target: { profile: text, origin: text, apiKey: text },
    data: { [text]: text, deep: { [text]: [text] } },
    options: { file: text },
    reasons: {
      most: [
        {
          status: 'failed',
          message: text,
          code: text,
          count: 3,
          examples: [{ id: text, line: 1 }],
        },
      ],
      others: 1,
    },
    organizations: [{ id: text, total: 1, succeeded: 1, failed: 0 }],
    rejects: text,
  };
}

describe('the report of a job', () => {
  it('is one page without external resources or scripts', async () => {
    const page = await renderReport(RECEIPT);
    expect(new Set(elementsOf(page)).has('script')).toBe(false);
    expect(page).not.toMatch(/\b(src|href|srcset|action|style|on\w+)=|@import|url\(/i);
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page).toContain(
      `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
    );
  });

  it('shows the outcome, the organizations, and the throughput with a table', async () => {
    const page = await renderReport(RECEIPT);
    const elements = elementsOf(page);
    expect(elements.filter((name) => name === 'figure')).toHaveLength(1);
    expect(elements.filter((name) => name === 'details')).toHaveLength(1);
    for (const [svg] of page.matchAll(/<svg[^>]*>/g))
      expect(svg).toMatch(/role="img" aria-label="[^"]+"/);
    for (const said of [
      '997',
      'no such folder',
      'Average 95, peak 200.',
      'u5',
      'Acme Ltd',
      'ab'.repeat(32),
    ]) {
      expect(page).toContain(said);
    }
  });

  it.each([
    ['users.add', 'users add'],
    ['users.update.v2', 'users update'],
    ['users.dossier', 'users dossier'],
    ['apply', 'apply'],
  ])('names %s by its command', async (operation, command) => {
    const page = await renderReport({ ...RECEIPT, operation });
    expect(page).toContain(`<title>${command}, job ${RECEIPT.id}</title>`);
    expect(page).toContain(`<h1>${command} <span`);
  });

  it('begins with the failures, and counts each organization', async () => {
    const page = await renderReport(RECEIPT);
    const titles = [...page.matchAll(/<h2[^>]*>([^<]+)/g)].map(([, title]) => title);
    expect(titles).toEqual(['Failures', 'Result', 'Organizations', 'Progress', 'Receipt']);
    for (const counts of ['995 of 998', '2 of 2']) expect(page).toContain(`<td>${counts}</td>`);
  });

  it('is deterministic', async () => {
    expect(await renderReport(RECEIPT)).toBe(await renderReport(structuredClone(RECEIPT)));
  });

  it('escapes all foreign text', async () => {
    const hostile = `</style></title>'"\`<script>alert(1)</script><img src=x onerror=alert(1)>&lt;\u202eevil\u0000`;
    const page = await renderReport(holding(hostile));
    expect(elementsOf(page)).toEqual(elementsOf(await renderReport(holding('plain'))));
    for (const raw of ['<script', '<img', '\u202e', '\u0000']) expect(page).not.toContain(raw);
    expect(page).toContain('&#60;script&#62;alert(1)&#60;/script&#62;');
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: codePoint }), async (text) => {
        expect(elementsOf(await renderReport(holding(`x${text}`)))).toEqual(
          elementsOf(await renderReport(holding('plain'))),
        );
      }),
      { numRuns: repeats(25) },
    );
  });

  it('contains no known secret', async () => {
    const secret = rememberSecret(randomBytes(18).toString('base64url'));
    expect(await renderReport(holding(`said ${secret}`))).not.toContain(secret);
  });

  it('handles a job that just started or sent nothing', async () => {
    for (const state of ['running', 'stopped', 'done'] as const) {
      const page = await renderReport({
        ...RECEIPT,
        state,
        counts: { total: 0, succeeded: 0, failed: 0, unknown: 0, skipped: 0, existing: 0 },
        times: { ...RECEIPT.times, endedAt: null, seconds: 0 },
        latency: { p50: null, p90: null, p99: null, max: null },
        series: { seconds: 1, points: [] },
        reasons: { most: [], others: 0 },
        organizations: [],
      });
      expect(elementsOf(page)).not.toContain('figure');
      expect(page).not.toMatch(/NaN|Infinity|undefined|\bnull\b/);
    }
  });
});

describe('a scale', () => {
  it('contains the value closely, with three to five round steps', async () => {
    expect([createScale(11_300).ticks, createScale(58).ticks]).toEqual([
      [0, 2_500, 5_000, 7_500, 10_000, 12_500],
      [0, 20, 40, 60],
    ]);
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (value) => {
        const { max: most, ticks: marks } = createScale(value);
        expect(most).toBeGreaterThanOrEqual(value * (1 - 1e-9));
        expect(most).toBeLessThanOrEqual(value * 1.7);
        expect(marks.length).toBeGreaterThanOrEqual(4);
        expect(marks.length).toBeLessThanOrEqual(6);
      }),
    );
  });
});
