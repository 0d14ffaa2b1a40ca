import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../src/commands/line/command-line.ts';
import { reportError } from '../../src/commands/terminal/report-error.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Sink } from '../../src/kernel/io.ts';

/** A command and its environment. Without `columns`, its output goes to a pipe. */
interface Screen {
  readonly words: readonly string[];
  readonly columns?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Folder with files and a store of its own. */
  readonly folder?: string;
}

interface Chapter {
  readonly title: string;
  readonly introduction: string;
  readonly screens: readonly Screen[];
}

const DOCUMENTS = ['documents', 'list', '--local', '--org', 'acme'];
const ENDPOINTS = ['webhooks', 'endpoints', 'list', '--local'];
const TREE = ['folders', 'tree', '--local', '--org', 'acme'];
const ACCESS_PLAN = ['plan', '--local'];
const ACCESSIBLE = { ACCESSIBLE: '1' };

const CHAPTERS: readonly Chapter[] = [
  {
    title: 'Help',
    introduction:
      'Without a command, svc prints the first steps and an overview. On a terminal, headings are bold and defaults are dim.',
    screens: [
      { words: [], columns: 80 },
      { words: ['users', 'list'], columns: 80 },
    ],
  },
  {
    title: 'Tables',
    introduction:
      'Columns are aligned by display width in every script. True and false are symbols.',
    screens: [{ words: DOCUMENTS, columns: 80 }],
  },
  {
    title: 'Narrow terminals',
    introduction:
      'If a table is too wide, svc drops empty columns, wraps text, shortens times, and then hides the less important columns. If the others do not fit either, it prints each record as a list. It never truncates IDs.',
    screens: [
      { words: DOCUMENTS, columns: 40 },
      { words: ENDPOINTS, columns: 100 },
      { words: ENDPOINTS, columns: 40 },
    ],
  },
  {
    title: 'Pipes',
    introduction: 'In a pipe, svc never truncates or wraps text and uses no symbols.',
    screens: [{ words: DOCUMENTS }],
  },
  {
    title: 'Accessible output',
    introduction:
      'With `ACCESSIBLE=1`, svc prints words instead of symbols and lines, for screen readers.',
    screens: [
      { words: DOCUMENTS, columns: 80, environment: ACCESSIBLE },
      { words: TREE, columns: 80 },
      { words: TREE, columns: 80, environment: ACCESSIBLE },
    ],
  },
  {
    title: 'Times',
    introduction:
      'By default, svc prints times in RFC 3339. `--time relative` prints the age, and `--time raw` the unchanged value.',
    screens: [
      { words: ['folders', 'list', '--local', '--org', 'acme'], columns: 80 },
      { words: ['folders', 'list', '--local', '--org', 'acme', '--time', 'relative'], columns: 80 },
    ],
  },
  {
    title: 'Single values',
    introduction:
      'svc prints a single record as one field per line. Nested fields are indented; `--fields owner.email` selects one.',
    screens: [{ words: ['webhooks', 'advanced', 'get', '--local'], columns: 80 }],
  },
  {
    title: 'Bulk import',
    introduction:
      'svc prints the counts, and the failures with a next step. `svc jobs list` lists the jobs.',
    screens: [
      { words: ['users', 'add', '--local', '--org', 'acme', '--file', 'users.csv'], columns: 80 },
      {
        words: ['documents', 'add', '--local', '--org', 'acme', '--file', 'documents.csv'],
        columns: 80,
      },
      { words: ['jobs', 'list'], columns: 120 },
    ],
  },
  {
    title: 'Access in a plan',
    introduction:
      'A plan ends with the people who gain or lose access. `local explain` shows the access of one person.',
    screens: [
      { words: ACCESS_PLAN, columns: 100, folder: 'access' },
      { words: ACCESS_PLAN, columns: 80, folder: 'access' },
    ],
  },
  {
    title: 'Empty lists',
    introduction: 'svc prints a message with a next step. In a pipe, it prints only the header.',
    screens: [
      { words: ['documents', 'list', '--local', '--org', 'beta'], columns: 80 },
      { words: ['profiles', 'list'], columns: 80 },
      { words: ['local', 'deliveries', 'list'], columns: 80 },
    ],
  },
  {
    title: 'Errors',
    introduction: 'An error is one line, followed by a hint.',
    screens: [
      { words: ['users', 'add', '--local', '--org', 'acme', '--file', 'twice.csv'], columns: 80 },
      { words: ['documents', 'lst'], columns: 80 },
      { words: ['folders', 'list', '--org', 'acme'], columns: 80 },
    ],
  },
];

const SEED = {
  organizations: [
    { organizationId: 'acme', organizationName: 'Acme' },
    { organizationId: 'beta', organizationName: 'Beta' },
  ],
  folders: [
    { organizationId: 'acme', folderId: 'designs', folderName: 'Designs' },
    {
      organizationId: 'acme',
      folderId: 'designs-2026',
      folderName: 'Designs for 2026',
      parentFolderId: 'designs',
    },
    { organizationId: 'acme', folderId: 'архив', folderName: 'Архив', accessType: 'restricted' },
  ],
  documents: [
    {
      organizationId: 'acme',
      documentId: 'roadmap',
      documentName: 'Roadmap for the whole of the coming year',
    },
    { organizationId: 'acme', documentId: '設計', documentName: '設計書 — 第三四半期' },
    {
      organizationId: 'acme',
      documentId: 'résumé',
      documentName: 'Résumé of findings 🧭',
      disabled: true,
    },
  ],
  endpoints: [
    {
      id: 'ep_1',
      url: 'https://hooks.example.com/collaboration/events/of/comments',
      filterTypes: ['comment.add', 'comment.update', 'comment.delete', 'comment_annotation.add'],
    },
    {
      id: 'ep_2',
      url: 'https://hooks.example.com/editor',
      filterTypes: ['crdt.update_data'],
      disabled: true,
    },
  ],
  config: { advancedWebhooks: { isEnabled: true } },
};

/** Moves a folder into a restricted one, and changes three memberships. */
const ACCESS_SETTINGS = `svc: 1
folders:
  - { organizationId: acme, folderId: design, folderName: Design, accessType: restricted }
  - { organizationId: acme, folderId: research, folderName: Research, parentFolderId: design }
users:
  - organizationId: acme
    userId: ada
    memberships: [{ type: folder, id: design, accessRole: editor, expiresAt: 1801353600 }]
  - organizationId: acme
    userId: grace
    memberships: [{ type: folder, id: research, accessRole: viewer }]
`;
/** The records before the plan. */
const ACCESS_SEED = {
  organizations: [{ organizationId: 'acme', organizationName: 'Acme' }],
  folders: [
    { organizationId: 'acme', folderId: 'design', folderName: 'Design', accessType: 'restricted' },
    { organizationId: 'acme', folderId: 'research', folderName: 'Research' },
  ],
  documents: [
    { organizationId: 'acme', documentId: 'survey', documentName: 'Survey', folderId: 'research' },
  ],
  users: [
    {
      organizationId: 'acme',
      userId: 'ada',
      memberships: [{ type: 'folder', id: 'design', accessRole: 'editor' }],
    },
    { organizationId: 'acme', userId: 'bob', accessRole: 'editor' },
    { organizationId: 'acme', userId: 'grace', memberships: [] },
  ],
};

const CREATED = Date.UTC(2026, 2, 1, 9, 30);
const VIEWED = Date.UTC(2026, 2, 4, 14, 0);
const MINUTE = 60_000;

/** Runs the commands of every chapter and renders the page from their output. */
export async function screensPage(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'svc-screens-'));
  try {
    for (const name of ['users.csv', 'documents.csv']) {
      await cp(join(import.meta.dirname, '..', '..', 'examples', name), join(home, name));
    }
    await writeFile(join(home, 'seed.json'), JSON.stringify(SEED));
    await writeFile(
      join(home, 'twice.csv'),
      'userId,name\nada,Ada Lovelace\nbob,Bob\nada,Ada L.\n',
    );
    await mkdir(join(home, 'access'));
    await writeFile(join(home, 'access', 'members.json'), JSON.stringify(ACCESS_SEED));
    await writeFile(join(home, 'access', 'svc.yaml'), ACCESS_SETTINGS);
    await renderScreen(home, { words: ['local', 'import', 'seed.json', '--quiet'] }, CREATED);
    const members = ['local', 'import', 'members.json', '--quiet'];
    await renderScreen(home, { words: members, folder: 'access' }, CREATED);
    const chapters: string[] = [];
    let now = VIEWED;
    for (const { title, introduction, screens } of CHAPTERS) {
      const texts: string[] = [];
      for (const screen of screens) {
        texts.push(await renderFigure(home, screen, now));
        now += MINUTE;
      }
      chapters.push(`## ${title}\n\n${introduction}\n\n${texts.join('\n\n')}`);
    }
    return `${HEAD}\n\n${chapters.join('\n\n')}\n`;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const HEAD = `# Terminal output

This page shows the output of svc in different terminals. On a terminal, headers and times are dim, and states are green, yellow,
or red. svc uses the 16 colors of your terminal's theme, so it works with light and dark themes. \`NO_COLOR=1\` or
\`--color never\` turns colors off. The page is generated by \`npm run generate\`, which runs the commands.`;

async function renderFigure(home: string, screen: Screen, now: number): Promise<string> {
  const { words, columns, environment = {} } = screen;
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value} `);
  const output = columns === undefined ? '(in a pipe)' : `(${columns} columns)`;
  const text = await renderScreen(home, screen, now);
  return `\`\`\`text\n$ ${variables.join('')}${['svc', ...words].join(' ')}   ${output}\n${text}\`\`\``;
}

/** Runs a command and returns the final content of the terminal, with both streams. */
async function renderScreen(
  root: string,
  { words, columns, environment = {}, folder = '' }: Screen,
  now: number,
): Promise<string> {
  const home = join(root, folder);
  let transcript = '';
  const sink: Sink = {
    isTerminal: columns !== undefined,
    columns,
    stream: new Writable(),
    write: async (text) => {
      transcript += String(text);
    },
  };
  const io = {
    stdin: { isTerminal: false, stream: Readable.from([]) },
    stdout: sink,
    stderr: sink,
  };
  const variables = {
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    SVC_HISTORY: '0',
    ...environment,
  };
  const folders = {
    config: join(home, 'config'),
    state: join(home, 'state'),
    data: join(home, 'data'),
  };
  await runCommandLine(words, {
    io,
    folders,
    environment: variables,
    cwd: home,
    clock: { now: () => now, sleep: systemClock.sleep },
    signal: new AbortController().signal,
  }).catch((error: unknown) => reportError(io, words, variables, error));
  return stabilizeJobIds(transcript.split('\n').map(finalLine).join('\n'));
}

/** Returns the last version of a line that was redrawn. */
function finalLine(line: string): string {
  return line.split('\r\u001b[2K').at(-1) ?? '';
}

/** Replaces the random suffix of job IDs, which differs in each run. */
function stabilizeJobIds(text: string): string {
  return text.replace(/(\d{8}-\d{6})-[0-9a-f]{6}/g, '$1-5f3a9c');
}
