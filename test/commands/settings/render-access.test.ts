import { expect, it } from 'vitest';
import { renderAccessMarkdown } from '../../../src/commands/settings/render-access.ts';
import { renderPlan } from '../../../src/commands/settings/render-plan.ts';
import { PIPE_DISPLAY } from '../../../src/output/display-options.ts';
import { ASCII_GLYPHS } from '../../../src/output/glyphs.ts';
import type { Access, AccessPreview, AccessRow } from '../../../src/settings/access-preview.ts';
import { summarize } from '../../../src/settings/plan/build-plan.ts';
import type { Change } from '../../../src/settings/plan.ts';

const editor: Access = { role: 'editor', expiresAt: null };
const folder = (id: string) => ({ type: 'folder', id, organizationId: 'acme' }) as const;
const document = (id: string, folderId: string) =>
  ({ type: 'document', id, organizationId: 'acme', folderId }) as const;
const through = { type: 'organization', id: 'acme' } as const;

function preview(rows: readonly AccessRow[], rest: Partial<AccessPreview> = {}): AccessPreview {
  return {
    counts: { gain: new Set(rows.map(({ user }) => user)).size, lose: 0, change: 0 },
    total: rows.length,
    rows,
    unknown: { documents: 0, people: 0 },
    unknownPeople: [],
    ...rest,
  };
}

const gain = (user: string, resource: AccessRow['resource']): AccessRow => ({
  user,
  resource,
  before: null,
  after: editor,
  through,
});

/** Renders the lines of a plan from the count of people on. */
async function renderLines(
  access: AccessPreview,
  purpose: 'plan' | 'approval' = 'plan',
  display = PIPE_DISPLAY,
) {
  const change: Change = {
    sign: '~',
    kind: 'folders',
    org: 'acme',
    id: 'plans',
    field: 'parentFolderId',
    before: 'root',
    after: 'vault',
  };
  const plan = {
    target: { url: 'https://api.example.com', apiKey: 'k' },
    changes: [change],
    predicted: [],
    notRestored: [],
    summary: summarize([change]),
    access,
  };
  const view = { headers: true, color: false, isTerminal: false, width: undefined, display };
  const text = await renderPlan(plan, { name: 'svc.yaml', purpose, view });
  return text.slice(text.indexOf('Access: ')).trimEnd().split('\n');
}

it('counts people, and groups what changes alike by folder', async () => {
  const rows = [
    gain('ada', folder('plans')),
    gain('ada', document('d1', 'plans')),
    gain('ada', document('d2', 'plans')),
    gain('bo', document('d1', 'plans')),
    gain('bo', document('d2', 'plans')),
  ];
  const unknown = { documents: 214, people: 2 };
  const found = preview(rows, { unknown, unknownPeople: ['cy', 'Di Ng'] });
  expect(await renderLines(found, 'plan', { ...PIPE_DISPLAY, glyphs: ASCII_GLYPHS })).toEqual([
    'Access: 2 people gain',
    '  unknown for 214 documents: their members cannot be read from this service',
    "  unknown for 2 people (cy, 'Di Ng'): their present access cannot be read from this service",
    '  folder plans (acme)',
    '    ada: none -> editor through organization acme (with 2 documents)',
    '    documents d1, d2: bo: none -> editor through organization acme',
  ]);
});

it('shows all ends of access', async () => {
  const [end, afterward] = ['2027-01-31T00:00:00.000Z', '2027-02-01T12:30:00.000Z'];
  const change = {
    ...gain('ada', folder('plans')),
    before: editor,
    after: {
      role: 'editor',
      expiresAt: end,
      afterward: { role: 'viewer', expiresAt: afterward },
    },
  } as const;
  const counts = { gain: 0, lose: 0, change: 1 };
  const [title, , line] = await renderLines(preview([change], { counts }));
  expect(title).toBe('Access: 1 person changes');
  expect(line).toBe(
    '    ada: editor → editor until 2027-01-31, then viewer until 2027-02-01T12:30:00Z through organization acme',
  );
});

it('lists everybody to a person who approves the plan, and the first ones otherwise', async () => {
  const rows = Array.from({ length: 100 }, (_, at) => gain(`u${at}`, folder('plans')));
  const planned = await renderLines(preview(rows));
  expect([planned.length, planned.at(-1)]).toEqual([43, '  … 60 more rows']);
  expect(await renderLines(preview(rows), 'approval')).toHaveLength(102);
  const [first, ...others] = await renderLines(preview(rows, { total: 5_000 }), 'approval');
  expect([first, others.at(-1)]).toEqual(['Access: 100 people gain', '  … 4,900 more rows']);
});

it('renders at most 20 rows of Markdown, in which no name is markup', () => {
  const rows = Array.from({ length: 21 }, (_, at) => gain(`@u${at}|<b>`, folder('plans')));
  const lines = renderAccessMarkdown(preview(rows)).trim().split('\n');
  expect(lines).toHaveLength(2 + 2 + 20 + 2);
  expect(lines[4]).toBe(
    String.raw`| \@&#8203;u0\|\<b\> | folder plans (acme) | none | editor | organization acme |`,
  );
  expect(lines.at(-1)).toBe('… 1 more row');
});
