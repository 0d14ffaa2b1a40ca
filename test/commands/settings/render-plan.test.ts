import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { renderPlan, type ShownPlan } from '../../../src/commands/settings/render-plan.ts';
import { PIPE_DISPLAY } from '../../../src/output/display-options.ts';
import { ASCII_GLYPHS } from '../../../src/output/glyphs.ts';
import type { View } from '../../../src/output/renderer.ts';
import { summarize } from '../../../src/settings/plan/build-plan.ts';
import type { Change } from '../../../src/settings/plan.ts';

const VIEW: View = {
  headers: true,
  color: false,
  isTerminal: false,
  width: undefined,
  display: PIPE_DISPLAY,
};

function render(
  changes: readonly Change[],
  view: Partial<View> = {},
  rest: Partial<ShownPlan> = {},
  purpose: 'plan' | 'drift' = 'plan',
) {
  const target = { url: 'https://api.example.com', apiKey: 'k' };
  const plan = {
    target,
    changes,
    predicted: [],
    notRestored: [],
    summary: summarize(changes),
    ...rest,
  };
  return renderPlan(plan, { name: 'svc.yaml', purpose, view: { ...VIEW, ...view } });
}

const folder = {
  kind: 'folders',
  org: 'acme',
  id: 'plans',
  field: null,
  before: null,
  after: null,
} as const;
const endpoint = {
  kind: 'endpoints',
  org: null,
  id: 'acme.a',
  field: null,
  before: null,
  after: null,
} as const;
const CHANGES: readonly Change[] = [
  { ...folder, sign: '~', field: 'folderName', before: 'Plans', after: 'Roadmap' },
  { ...folder, sign: '~', field: 'parentFolderId', before: 'root', after: 'old' },
  {
    ...folder,
    sign: '+',
    id: 'q3',
    after: { organizationId: 'acme', folderId: 'q3', folderName: '第三四半期' },
  },
  { ...folder, sign: '!', id: 'x', reason: 'the parent folder y does not exist' },
  { kind: 'users', org: 'acme', id: null, field: null, before: null, after: 12_034, sign: '>' },
  {
    kind: 'config',
    org: null,
    id: 'webhook',
    field: 'webhookServiceConfig.authToken',
    before: 'differ',
    after: 'differ',
    sign: '~',
  },
  {
    ...endpoint,
    sign: '-/+',
    before: { uid: 'acme.a', filterTypes: ['comment.add'] },
    after: { uid: 'acme.a', filterTypes: null },
    reason: 'filterTypes cannot be cleared',
  },
  {
    ...endpoint,
    sign: '-',
    id: 'acme.b',
    before: { id: 'ep_1', uid: 'acme.b', url: 'https://b.example' },
  },
  {
    kind: 'endpoints',
    org: null,
    id: null,
    field: null,
    before: null,
    after: null,
    sign: '?',
    reason: 'not enabled',
  },
];

it('shows one line per record and one per field, the effects, and a count', async () => {
  expect(
    await render(
      CHANGES,
      {},
      { predicted: ['212 folders become restricted'], notRestored: ['1 notification'] },
    ),
  ).toBe(
    `~ folder plans (acme)
    folderName: "Plans" → "Roadmap"
    parentFolderId: "root" → "old"
+ folder q3 (acme)
    folderName: "第三四半期"
! folder x (acme): the parent folder y does not exist
> 12,034 users (acme)
~ config webhook
    webhookServiceConfig.authToken: differ
-/+ endpoint acme.a: filterTypes cannot be cleared
    filterTypes: ["comment.add"] → null
- endpoint acme.b
    url: "https://b.example"
? endpoints: not enabled

Predicted effects:
  212 folders become restricted

Not restored:
  1 notification

Plan: 1 to create, 2 to update, 1 to replace, 1 to delete, 12,034 to send, 1 not possible, 1 not readable
`,
  );
});

it('names the value in the file and the one in the service, at any width', async () => {
  const [rename] = CHANGES;
  const drift = (width?: number) => render([rename as Change], width ? { width } : {}, {}, 'drift');
  expect(await drift()).toContain(
    '    folderName: "Roadmap" in svc.yaml, "Plans" in the service\n',
  );
  expect(await drift(40)).toContain(
    '    folderName:\n      "Roadmap" in svc.yaml\n      "Plans" in the service\n',
  );
});

it('names differences that no plan will change', async () => {
  expect(await render(CHANGES, {}, {}, 'drift')).toMatch(
    /\nDrift: 1 missing, 3 changed, 1 not declared,/,
  );
  expect(await render([])).toBe('No changes: https://api.example.com matches svc.yaml.\n');
});

it('colors only signs', async () => {
  const colored = await render(CHANGES, { color: true });
  expect(stripVTControlCharacters(colored)).toBe(await render(CHANGES));
  expect(colored).toContain('\u001b[32m+\u001b[39m folder q3');
  expect(colored).toContain('\u001b[31m-\u001b[39m endpoint acme.b');
});

it('fits into 40 columns, also with wide characters', async () => {
  const long = {
    ...folder,
    sign: '~',
    field: 'folderName',
    before: '第三四半期の計画'.repeat(9),
    after: 'x'.repeat(99),
  } as const;
  const text = await render(
    [...CHANGES, long],
    { width: 40 },
    { predicted: ['enabling webhook for the first time turns on 14 triggers'] },
  );
  for (const line of text.split('\n'))
    expect([line, stringWidth(line) <= 40]).toEqual([line, true]);
  expect(text).toContain('    folderName:\n      "第三四半期');
});

it('shortens long values without hiding their difference', async () => {
  const url = `https://hooks.example.com/${'a'.repeat(100)}`;
  const text = await render([
    { ...endpoint, sign: '~', field: 'url', before: `${url}/1`, after: `${url}/2` },
  ]);
  expect(text).toContain('    url: …aaaaaaaaaaa/1" → …aaaaaaaaaaa/2"\n');
});

it('uses only ASCII where nothing else can be shown, and escapes control characters', async () => {
  const change = {
    ...folder,
    sign: '~',
    id: 'a\u202Eb',
    field: 'folderName',
    before: null,
    after: '\u001b[2Jx',
  } as const;
  const text = await render([change], { display: { ...PIPE_DISPLAY, glyphs: ASCII_GLYPHS } });
  expect(text).toContain(`~ folder 'a\\u202eb' (acme)\n    folderName: null -> "\\u001b[2Jx"\n`);
});

it('collapses long lists of created and sent records, but never of other changes', async () => {
  const many = (sign: Change['sign']) =>
    Array.from({ length: 1_000 }, (_, at) => ({ ...folder, sign, id: `f${at}` }));
  const created = await render(many('+'));
  expect(created.split('\n')).toHaveLength(20 + 1 + 2 + 1);
  expect(created).toContain('+ 980 more folders (acme)\n');
  expect((await render(many('!'))).split('\n').length).toBeGreaterThan(1_000);
});

it.each([
  ['Cafe', 'C\u0430fe', '"Cafe" → "C\\u0430fe"'],
  ['a-b', 'a\u2011b', '"a-b" → "a\\u2011b"'],
  ['A', '\uff21', '"A" → "\\uff21"'],
  ['\u00fc', '\u00fd', '"\u00fc" → "\u00fd"'],
])('escapes %s and %s only if they look alike', async (before, after, expected) => {
  const change = { ...folder, sign: '~', field: 'folderName', before, after } as const;
  expect(await render([change as Change])).toContain(`folderName: ${expected}`);
});
