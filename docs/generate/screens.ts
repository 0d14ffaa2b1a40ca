import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../src/commands/line/command-line.ts';
import { report } from '../../src/commands/terminal/report.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Sink } from '../../src/kernel/io.ts';

/** A command as somebody runs it. Without `columns` its output goes into a pipe. */
interface Screen {
  readonly words: readonly string[];
  readonly columns?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

interface Chapter {
  readonly title: string;
  readonly says: string;
  readonly screens: readonly Screen[];
}

const DOCUMENTS = ['documents', 'list', '--local', '--org', 'acme'];
const ENDPOINTS = ['webhooks', 'endpoints', 'list', '--local'];
const TREE = ['folders', 'tree', '--local', '--org', 'acme'];
const ACCESSIBLE = { ACCESSIBLE: '1' };

const CHAPTERS: readonly Chapter[] = [
  {
    title: 'Tables',
    says: 'Columns are aligned by what a terminal shows, whatever the script. True and false are marks.',
    screens: [{ words: DOCUMENTS, columns: 80 }],
  },
  {
    title: 'Narrow terminals',
    says: 'Text gives way first, in lines of its own; ids never do. Where columns cannot stand beside each other, a record is a list.',
    screens: [
      { words: DOCUMENTS, columns: 40 },
      { words: ENDPOINTS, columns: 100 },
      { words: ENDPOINTS, columns: 40 },
    ],
  },
  {
    title: 'Pipes',
    says: 'What a program reads is never cut, wrapped or drawn.',
    screens: [{ words: DOCUMENTS }],
  },
  {
    title: 'Words instead of drawings',
    says: '`ACCESSIBLE=1` is for screen readers and for who prefers words.',
    screens: [
      { words: DOCUMENTS, columns: 80, environment: ACCESSIBLE },
      { words: TREE, columns: 80 },
      { words: TREE, columns: 80, environment: ACCESSIBLE },
    ],
  },
  {
    title: 'Times',
    says: 'RFC 3339 unless asked otherwise; `--time raw` shows them as they came.',
    screens: [
      { words: ['folders', 'list', '--local', '--org', 'acme'], columns: 80 },
      { words: ['folders', 'list', '--local', '--org', 'acme', '--time', 'relative'], columns: 80 },
    ],
  },
  {
    title: 'One value',
    says: 'Each field under the path that `--fields` takes.',
    screens: [{ words: ['webhooks', 'advanced', 'get', '--local'], columns: 80 }],
  },
  {
    title: 'Many records',
    says: 'What came of them, what to do about the rest, and the job that it was.',
    screens: [
      { words: ['users', 'add', '--local', '--org', 'acme', '--file', 'users.csv'], columns: 80 },
      { words: ['documents', 'add', '--local', '--org', 'acme', '--file', 'documents.csv'], columns: 80 },
      { words: ['jobs', 'list'], columns: 120 },
    ],
  },
  {
    title: 'Nothing there',
    says: 'It is said, with what to do next. A pipe gets the header alone.',
    screens: [
      { words: ['documents', 'list', '--local', '--org', 'beta'], columns: 80 },
      { words: ['profiles', 'list'], columns: 80 },
      { words: ['local', 'deliveries', 'list'], columns: 80 },
    ],
  },
  {
    title: 'Mistakes',
    says: 'One line, and one more with the next step.',
    screens: [
      { words: ['users', 'add', '--local', '--org', 'acme', '--file', 'twice.csv'], columns: 80 },
      { words: ['documents', 'lst'], columns: 80 },
      { words: ['folders', 'list', '--org', 'acme'], columns: 80 },
    ],
  },
];

const SEED = {
  organizations: [{ organizationId: 'acme', organizationName: 'Acme' }],
  folders: [
    { organizationId: 'acme', folderId: 'plans', folderName: 'Plans' },
    { organizationId: 'acme', folderId: 'plans-2026', folderName: 'Plans for 2026', parentFolderId: 'plans' },
    { organizationId: 'acme', folderId: 'архив', folderName: 'Архив', accessType: 'restricted' },
  ],
  documents: [
    { organizationId: 'acme', documentId: 'roadmap', documentName: 'Roadmap for the whole of the coming year' },
    { organizationId: 'acme', documentId: '設計', documentName: '設計書 — 第三四半期' },
    { organizationId: 'acme', documentId: 'résumé', documentName: 'Résumé of findings 🧭', disabled: true },
  ],
  endpoints: [
    {
      id: 'ep_1',
      url: 'https://hooks.example.com/collaboration/events/of/comments',
      filterTypes: ['comment.add', 'comment.update', 'comment.delete', 'comment_annotation.add'],
    },
    { id: 'ep_2', url: 'https://hooks.example.com/editor', filterTypes: ['crdt.update_data'], disabled: true },
  ],
  config: { advancedWebhooks: { isEnabled: true } },
};

const SEEDED = Date.UTC(2026, 2, 1, 9, 30);
const LOOKED_AT = Date.UTC(2026, 2, 4, 14, 0);
const MINUTE = 60_000;

/** The page of screens, made by running the commands on it. */
export async function screensPage(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'svc-screens-'));
  try {
    for (const name of ['users.csv', 'documents.csv']) {
      await cp(join(import.meta.dirname, '..', '..', 'examples', name), join(home, name));
    }
    await writeFile(join(home, 'seed.json'), JSON.stringify(SEED));
    await writeFile(join(home, 'twice.csv'), 'userId,name\nada,Ada Lovelace\nbob,Bob\nada,Ada L.\n');
    await shown(home, { words: ['local', 'import', 'seed.json', '--quiet'] }, SEEDED);
    const chapters: string[] = [];
    let now = LOOKED_AT;
    for (const { title, says, screens } of CHAPTERS) {
      const texts: string[] = [];
      for (const screen of screens) {
        texts.push(await figure(home, screen, now));
        now += MINUTE;
      }
      chapters.push(`## ${title}\n\n${says}\n\n${texts.join('\n\n')}`);
    }
    return `${HEAD}\n\n${chapters.join('\n\n')}\n`;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const HEAD = `# Screens

How svc looks, made by \`npm run generate\`, which runs the commands. On a terminal headers and times are dim, and words for
how something stands are green, yellow or red, all of them among the 16 colours that a terminal's own theme defines, light or dark;
\`NO_COLOR=1\` or \`--color never\` leaves them out.`;

async function figure(home: string, screen: Screen, now: number): Promise<string> {
  const { words, columns, environment = {} } = screen;
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value} `);
  const place = columns === undefined ? '(into a pipe)' : `(${columns} columns)`;
  const text = await shown(home, screen, now);
  return `\`\`\`text\n$ ${variables.join('')}svc ${words.join(' ')}   ${place}\n${text}\`\`\``;
}

/** What a terminal shows of both streams once the command is over. */
async function shown(home: string, { words, columns, environment = {} }: Screen, now: number): Promise<string> {
  let transcript = '';
  const sink: Sink = {
    isTerminal: columns !== undefined,
    columns,
    stream: new Writable(),
    write: async (text) => {
      transcript += String(text);
    },
  };
  const io = { stdin: { isTerminal: false, stream: Readable.from([]) }, stdout: sink, stderr: sink };
  const variables = { TERM: 'xterm-256color', LANG: 'C.UTF-8', NO_COLOR: '1', SVC_HISTORY: '0', ...environment };
  const folders = { config: join(home, 'config'), state: join(home, 'state'), data: join(home, 'data') };
  await runCommandLine(words, {
    ...{ io, folders, environment: variables, cwd: home },
    clock: { now: () => now, sleep: systemClock.sleep },
    signal: new AbortController().signal,
  }).catch((error: unknown) => report(io, words, variables, error));
  return steady(transcript.split('\n').map(lastDrawn).join('\n'));
}

/** A line that is drawn over ends as it was drawn last. */
function lastDrawn(line: string): string {
  return line.split('\r\u001b[2K').at(-1) ?? '';
}

/** Without what is another in each run: the end of a job's id. */
function steady(text: string): string {
  return text.replace(/(\d{8}-\d{6})-[0-9a-f]{6}/g, '$1-5f3a9c');
}
