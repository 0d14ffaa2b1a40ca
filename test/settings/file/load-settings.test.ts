import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SvcError } from '../../../src/kernel/errors.ts';
import { loadSettings, type SettingsRequest } from '../../../src/settings/file/load-settings.ts';
import { SettingsError } from '../../../src/settings/file/read-settings.ts';
import { SLOW } from '../../slow.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';

type Files = Readonly<Record<string, string>>;

async function load(files: string | Files, given: Partial<SettingsRequest> = {}) {
  const cwd = await createTemporaryFolder();
  await mkdir(join(cwd, 'parts'));
  for (const [name, text] of Object.entries(
    typeof files === 'string' ? { 'svc.yaml': files } : files,
  ))
    await writeFile(join(cwd, name), text);
  const request = {
    file: 'svc.yaml',
    environment: undefined,
    cwd,
    stdin: { stream: Readable.from([]) },
    variables: { TOKEN: 'hush-hush' },
    signal: new AbortController().signal,
  };
  return { cwd, settings: await loadSettings({ ...request, ...given }) };
}

async function problemsOf(
  files: string | Files,
  given: Partial<SettingsRequest> = {},
): Promise<readonly string[]> {
  const error = await load(files, given).catch((thrown: unknown) => thrown);
  if (!(error instanceof SettingsError)) throw error;
  return error.problems;
}

const FILE = `
svc: 1
stack: acme-core            # ownership
vars: { hooks: https://hooks.example.com, port: 8080 }
config:
  webhook:
    useWebhookService: true
    webhookServiceConfig: { rawNotificationUrl: "\${hooks}:\${port}/raw", authToken: { env: TOKEN } }
endpoints:
  - { uid: acme-core.billing, url: "\${hooks}/billing", filterTypes: [comment.add, comment.delete] }
  - { id: ep_1, url: "https://x.example.com" }
folders:
  - { organizationId: acme, folderId: plans, folderName: "Plans $\${hooks}" }
documents: [{ organizationId: acme, id: d1 }]
users: { from: users.csv }
agentGroups: []
environments:
  staging:
    profile: stage
    vars: { hooks: https://staging.example.com }
    config: { webhook: { webhookServiceConfig: { authToken: { file: token.txt } } } }
    endpoints:
      - { uid: acme-core.billing, filterTypes: [test] }
      - { id: ep_1, disabled: true }
      - { uid: acme-core.audit, url: "\${hooks}/audit" }
    documents: [{ organizationId: acme, documentId: d1, documentName: One }]
    users: [{ organizationId: acme, userId: u1 }]
  prod: { profile: prod }
`;
const FILES = { 'svc.yaml': FILE, 'users.csv': 'userId\nu1\n', 'token.txt': '\ufeffin a file\r\n' };

describe('loadSettings', () => {
  it('reads a file without an environment', async () => {
    const { cwd, settings } = await load(FILES);
    expect(settings).toMatchObject({
      name: 'svc.yaml',
      stack: 'acme-core',
      environment: undefined,
      profile: undefined,
    });
    expect(settings.declared).toEqual({
      config: {
        webhook: {
          useWebhookService: true,
          webhookServiceConfig: {
            rawNotificationUrl: 'https://hooks.example.com:8080/raw',
            authToken: expect.anything(),
          },
        },
      },
      endpoints: [
        {
          uid: 'acme-core.billing',
          url: 'https://hooks.example.com/billing',
          filterTypes: ['comment.add', 'comment.delete'],
        },
        { id: 'ep_1', url: 'https://x.example.com' },
      ],
      folders: [{ organizationId: 'acme', folderId: 'plans', folderName: 'Plans ${hooks}' }],
      documents: [{ organizationId: 'acme', documentId: 'd1' }],
      users: { from: join(cwd, 'users.csv'), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(settings.content).toEqual({ agentGroups: [] });
    expect(settings.secrets.map((secret) => secret.reveal())).toEqual(['hush-hush']);
    expect(JSON.stringify(settings)).not.toContain('hush');
    expect(settings.files.map(({ path }) => path)).toEqual([
      join(cwd, 'svc.yaml'),
      join(cwd, 'users.csv'),
    ]);
    expect(await settings.positionOf(['endpoints', 1, 'url'])).toBe('svc.yaml:11:22');
    expect(await settings.positionOf(['documents', 0, 'documentId'])).toBe('svc.yaml:14:41');
    expect(await settings.positionOf(['endpoints', 1, 'disabled'])).toBe('svc.yaml:11:5');
  });

  it('lays an environment over the file: maps and records are merged, and other lists are replaced', async () => {
    const { cwd, settings } = await load(FILES, { environment: 'staging' });
    expect(settings).toMatchObject({
      stack: 'acme-core',
      environment: 'staging',
      profile: 'stage',
    });
    expect(settings.declared).toMatchObject({
      config: {
        webhook: {
          useWebhookService: true,
          webhookServiceConfig: { rawNotificationUrl: 'https://staging.example.com:8080/raw' },
        },
      },
      endpoints: [
        {
          uid: 'acme-core.billing',
          url: 'https://staging.example.com/billing',
          filterTypes: ['test'],
        },
        { id: 'ep_1', url: 'https://x.example.com', disabled: true },
        { uid: 'acme-core.audit', url: 'https://staging.example.com/audit' },
      ],
      documents: [{ organizationId: 'acme', documentId: 'd1', documentName: 'One' }],
      users: [{ organizationId: 'acme', userId: 'u1' }],
    });
    expect(settings.secrets.map((secret) => [secret.reveal(), secret.reference])).toEqual([
      ['in a file', { file: join(cwd, 'token.txt') }],
    ]);
    expect(await settings.positionOf(['endpoints', 1, 'disabled'])).toBe('svc.yaml:24:31');
  });

  it('joins the YAML files of a folder', async () => {
    const files = {
      'parts/a.yaml': 'svc: 1\nvars: {a: x}\nfolders: [{organizationId: o, folderId: "${a}${b}"}]',
      'parts/b.yml':
        'svc: 1\nvars: {b: y}\nfolders: [{organizationId: o, folderId: z}]\nconfig: {email: {useEmailService: true}}',
      'parts/.c.yaml': 'unread',
      'parts/d.txt': 'unread',
    };
    const { settings } = await load(files, { file: 'parts' });
    expect(settings.declared).toEqual({
      folders: [
        { organizationId: 'o', folderId: 'xy' },
        { organizationId: 'o', folderId: 'z' },
      ],
      config: { email: { useEmailService: true } },
    });
    expect(settings.files).toHaveLength(2);
    expect(await settings.positionOf(['folders', 1])).toBe(`${join('parts', 'b.yml')}:3:11`);
  });

  it('reports values that two files of a folder declare', async () => {
    const files = {
      'parts/a.yaml': 'svc: 1\nstack: a\nfolders: [{organizationId: o, folderId: f}]\nvars: {x: 1}',
      'parts/b.yaml':
        'stack: a\nvars: {x: 1}\nfolders: [{organizationId: o, folderId: f}]\nusers: {from: x}',
      'parts/c.yaml': 'users: []\nfolders: 1',
    };
    expect(await problemsOf(files, { file: 'parts' })).toEqual([
      'parts/b.yaml:1:1: stack: is already declared at parts/a.yaml:2:1',
      'parts/b.yaml:2:8: vars.x: is already declared at parts/a.yaml:4:8',
      "parts/b.yaml:3:41: folders[1].folderId: 'f' is already declared at parts/a.yaml:3:11",
      'parts/c.yaml:1:1: users: is already declared at parts/b.yaml:4:1',
      'parts/c.yaml:2:1: folders: is already declared at parts/a.yaml:3:1',
    ]);
  });

  it('applies merge keys and aliases', async () => {
    const text = `agents: [&a { id: x, url: "http://u", extra: 1 }]
endpoints:
  - { <<: *a, uid: a, id: e, extra: }
`;
    expect(await problemsOf(text)).toEqual([
      'svc.yaml:3:30: endpoints[0].extra: unknown field; known: id, url, description, filterTypes, channels, disabled, rateLimit, uid, metadata, secret, createdAt, updatedAt',
    ]);
    const { settings } = await load(
      'agents: [&a {id: x, url: 1}, &b {id: w, url: 2}, {<<: [*a, *b], id: y}, {<<: *a, id: z}]',
    );
    expect(settings.declared.agents).toEqual([
      { id: 'x', url: 1 },
      { id: 'w', url: 2 },
      { id: 'y', url: 1 },
      { id: 'z', url: 1 },
    ]);
  });

  it('reads stdin, JSON, CRLF, a byte order mark, and UTF-16', async () => {
    const text = '{"svc": 1,\r\n\t"folders": [{"organizationId": "o", "folderId": "f"}]}\r\n';
    const expected = { folders: [{ organizationId: 'o', folderId: 'f' }] };
    for (const stdin of [text, `\ufeff${text}`, Buffer.from(`\ufeff${text}`, 'utf16le')]) {
      const { settings } = await load(
        {},
        { file: '-', stdin: { stream: Readable.from([Buffer.from(stdin as string)]) } },
      );
      expect(settings).toMatchObject({ name: 'stdin', declared: expected, files: [] });
      expect(await settings.positionOf(['folders', 0, 'folderId'])).toBe('stdin:2:50');
    }
  });

  it.each([
    [
      'invalid_input',
      '',
      'svc.yaml:1:1: nothing is declared here; if that is intended, write {}',
      {},
    ],
    [
      'invalid_input',
      '# nothing\n',
      'svc.yaml:1:1: nothing is declared here; if that is intended, write {}',
      {},
    ],
    ['invalid_input', 'a: 1\n---\nb: 2', 'svc.yaml:2:1: a second document begins here', {}],
    ['invalid_input', 'hello', 'svc.yaml:1:1: expected fields', {}],
    ['invalid_input', '\u0000', 'svc.yaml:1:1: a NUL character', {}],
    ['invalid_input', '['.repeat(50_000), 'svc.yaml:1:', {}],
    [
      'invalid_input',
      `a: &a [x,x]\n${'bcdefghij'.replace(/./g, (to, at) => `${to}: &${to} [${`*${'abcdefghij'[at]},`.repeat(9)}]\n`)}`,
      'aliases repeat too many values',
      {},
    ],
    [
      'invalid_input',
      'folders: &a [*a]',
      'svc.yaml:1:14: an alias refers to a value that contains it',
      {},
    ],
    ['invalid_input', 'folders: !!omap [a: 1]', 'JSON cannot represent a value with a tag', {}],
    ['invalid_input', 'folders: !!set {a, b}', 'JSON cannot represent a value with a tag', {}],
    ['invalid_input', 'folders: !!binary aGk=', 'JSON cannot represent a value with a tag', {}],
    [
      'invalid_input',
      'folders: !!timestamp 2026-11-26',
      'JSON cannot represent a value with a tag',
      {},
    ],
    ['usage', FILE, "unknown environment 'stagin' in svc.yaml", { environment: 'stagin' }],
    [
      'usage',
      FILE,
      "unknown environment 'constructor' in svc.yaml",
      { environment: 'constructor' },
    ],
    ['usage', FILE, 'file not found: none.yaml', { file: 'none.yaml' }],
    ['usage', FILE, 'parts contains no .yaml or .yml file', { file: 'parts' }],
  ])('fails with %s for %j', async (failure, text, message, given) => {
    const error = (await load(text, given).catch((thrown: unknown) => thrown)) as SvcError;
    expect([error.failure, error.message]).toEqual([failure, expect.stringContaining(message)]);
  });
});

/** Each file has the mark ▶ where the position must point. */
describe('loadSettings refuses', () => {
  it.each([
    ['svc: ▶2', "svc: expected 1, got '2'"],
    ['svc: ▶{}', 'svc: expected 1, got an object'],
    ['▶stak: a', "stak: unknown field; did you mean 'stack'?"],
    [
      'folders: [{organizationId: o, folderId: f, ▶folderNam: x}]',
      "folders[0].folderNam: unknown field; did you mean 'folderName'?",
    ],
    ['# ä\nusers:\n  - ▶organizationId: o', 'users[0].userId: is required'],
    [
      'users: [{name: "😀界", organizationId: o, userId: ▶1}]',
      'users[0].userId: expected text, got a number: put it in quotes',
    ],
    [
      'config: {email: {▶useEmailServce: true}}',
      "config.email.useEmailServce: unknown field; did you mean 'useEmailService'?",
    ],
    [
      'config: {email: {emailServiceConfig: {▶fromMail: x}}}',
      "config.email.emailServiceConfig.fromMail: unknown field; did you mean 'fromEmail'?",
    ],
    [
      'config: {email: {emailServiceConfig: {apiKey: ▶hush}}}',
      /^config.email.emailServiceConfig.apiKey: expected \{ env: NAME \}/,
    ],
    [
      'vars: {k: hush}\nconfig: {email: {emailServiceConfig: {apiKey: ▶"${k}"}}}',
      /apiKey: expected \{ env: NAME \}/,
    ],
    [
      'agents: [{id: &k hush}]\nconfig: {email: {emailServiceConfig: {apiKey: ▶*k}}}',
      /apiKey: expected \{ env: NAME \}/,
    ],
    ['agents: [&k {id: a, apiKey: ▶hush}]', /agents\[0\].apiKey: expected \{ env: NAME \}/],
    [
      'environments: {p: {config: {webhook: {webhookServiceConfig: {authToken: ▶hush}}}}}',
      /authToken: expected \{ env: NAME \}/,
    ],
    [
      'config: {permissionProvider: {permissionProviderConfig: {authToken: ▶{envv: A}}}}',
      /authToken: expected \{ env: NAME \}/,
    ],
    [
      'config: {permissionProvider: {permissionProviderConfig: {authToken: ▶[hush]}}}',
      /authToken: expected \{ env: NAME \}/,
    ],
    [
      'config: {email: {emailServiceConfig: {apiKey: ▶{env: MISSING}}}}',
      'config.email.emailServiceConfig.apiKey: the environment variable MISSING is not set',
    ],
    [
      'config: {email: {emailServiceConfig: {apiKey: ▶{env: constructor}}}}',
      /constructor is not set/,
    ],
    [
      'config: {email: {emailServiceConfig: {apiKey: ▶{file: none.txt}}}}',
      /apiKey: file not found: none.txt/,
    ],
    ['users: {from: ▶none.csv}', 'users.from: file not found: none.csv'],
    [
      'vars: {hooks: x}\norganizations: [{organizationId: "a ▶${hoks}"}]',
      "unknown variable 'hoks'; did you mean 'hooks'?",
    ],
    [
      'vars: {a: x}\norganizations: [{organizationId: "${a}$${a}▶${toString}"}]',
      "unknown variable 'toString'; known: a",
    ],
    [
      'organizations:\n  - organizationId: >\n      one\n      ▶${b}',
      "unknown variable 'b'; vars declares no variables",
    ],
    ['organizations: [{organizationId: "▶${b"}]', 'unclosed ${; a literal ${ is written as $${'],
    ['vars: {a: x, b: "▶${a}"}', 'a variable cannot use variables; a literal ${ is written as $${'],
    ['vars: {▶1a: x}', /vars.1a: a name starts with a letter/],
    ['organizations: [{organizationId: $▶{b}}]', /put a text with \$\{ in quotes/],
    ['▶__proto__: {}', 'a field cannot be named __proto__'],
    [
      'folders: [{organizationId: o, folderId: f, ▶folderId: g}]',
      "the field 'folderId' occurs twice",
    ],
    [
      'folders:\n- {organizationId: o, folderId: f}\n- {organizationId: o, folderId: ▶f}',
      "folders[1].folderId: 'f' is already declared at svc.yaml:2:3",
    ],
    [
      'documents: [{organizationId: o, id: d}, {organizationId: o, documentId: ▶d}]',
      /documents\[1\].documentId: 'd' is already declared/,
    ],
    [
      'endpoints: [{uid: a, id: e, url: "http://x"}, {uid: b, id: ▶e, url: "http://x"}]',
      /endpoints\[1\].id: 'e' is already declared/,
    ],
    [
      'environments: {p: {folders: [{organizationId: o, folderId: f}, {organizationId: o, folderId: ▶f}]}}',
      /folders\[1\].folderId: 'f' is already declared/,
    ],
    [
      'endpoints: [▶{url: "http://x"}]',
      'endpoints[0]: needs a uid, or the id of an existing endpoint',
    ],
    [
      'folders: [{organizationId: o, folderId: f, parentFolderId: ▶f}]',
      "folders[0].parentFolderId: the folder 'f' would contain itself",
    ],
    [
      'folders: [{organizationId: o, folderId: a, parentFolderId: ▶b}, {organizationId: o, folderId: b, parentFolderId: a}]',
      /would contain itself/,
    ],
    [
      'users: [{organizationId: o, userId: u, ▶role: viewer}]',
      "users[0].role: looks like 'accessRole'; rename it to 'accessRole', or remove it",
    ],
    [
      'users: [{organizationId: o, userId: u, ▶folder: f}]',
      "users[0].folder: looks like 'folderId'; declare a membership, or remove it",
    ],
    [
      'groups: [{organizationId: o, groupId: g, ▶Organisation: p}]',
      "groups[0].Organisation: looks like 'organizationId'; rename it to 'organizationId', or remove it",
    ],
    ['users: {▶form: x.csv, from: svc.yaml}', "users.form: unknown field; did you mean 'from'?"],
    [
      'environments: {p: {▶profil: x}}',
      "environments.p.profil: unknown field; did you mean 'profile'?",
    ],
    [
      'stack: ▶team.web',
      "stack: only letters, digits, _ and - are allowed; rename it to 'team-web'",
    ],
    ['stack: ▶.', 'stack: only letters, digits, _ and - are allowed'],
    ['stack: ▶""', 'stack: is empty'],
    [
      'endpoints: [{uid: ▶team.web.p, url: "http://x"}]',
      /^endpoints\[0\].uid: .*; rename it to 'team-web.p', or declare an existing endpoint by its id/,
    ],
    ['endpoints: [{uid: ▶team., url: "http://x"}]', /uid: expected <stack>.<name> or <name>/],
    ['endpoints: [{uid: ▶.p, url: "http://x"}]', /uid: expected <stack>.<name> or <name>/],
    ['endpoints: [{uid: ▶ep_1, url: "http://x"}]', 'endpoints[0].uid: must not start with ep_'],
    [
      'vars: {team: team.web}\nendpoints: [{uid: ▶"${team}.p", url: "http://x"}]',
      /rename it to 'team-web.p'/,
    ],
    [
      'environments: {p: {stack: ▶a.b, endpoints: []}}',
      /stack: only letters, digits, _ and - are allowed; rename it to 'a-b'/,
    ],
    ['folders: ▶1', 'folders: expected a list, got a number'],
    [
      'config: {webhook: {webhookServiceConfig: {rawNotificationUrl: ▶"ftp://x"}}}',
      /not a valid http\(s\) URL/,
    ],
    ['agents: [{id: ▶12345678901234567890}]', /would lose digits; put it in quotes/],
    [
      'config: {email: {useEmailService: \t▶yes}}',
      'config.email.useEmailService: expected true or false, got text',
    ],
    ['folders:\n▶\t- x', /^[^:]+$/],
  ])('%s', async (marked, message) => {
    const before = marked.slice(0, marked.indexOf('▶'));
    const line = before.split('\n').length;
    const column = before.length - before.lastIndexOf('\n');
    const text = marked.replace('▶', '');
    for (const above of ['', '# 界 😀 ${x}\n\n', '\ufeff# mark\n  # more\n \n']) {
      for (const newline of ['\n', '\r\n']) {
        const problems = await problemsOf(`${above}${text}`.replaceAll('\n', newline));
        const places = (problem: string) =>
          problem.replaceAll(
            /(svc\.yaml:)(\d+)/g,
            (_, name, at) => `${name}${at - above.split('\n').length + 1}`,
          );
        const position = `svc.yaml:${line}:${column}: `;
        const found = problems.map(places).find((problem) => problem.startsWith(position));
        expect(found?.slice(position.length), problems.join('\n')).toEqual(
          typeof message === 'string' ? message : expect.stringMatching(message),
        );
        expect(problems.join()).not.toContain('hush');
      }
    }
  });

  it.skipIf(process.platform === 'win32')('a pipe as a secret file, at once', async () => {
    const pipe = join(await createTemporaryFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const text = `config: {email: {emailServiceConfig: {apiKey: {file: ${pipe}}}}}`;
    expect(await problemsOf(text)).toEqual([
      `svc.yaml:1:47: config.email.emailServiceConfig.apiKey: ${pipe}: is not a regular file`,
    ]);
  });

  it('a long text without a closing brace, in time linear to its length', async () => {
    const text = `organizations: [{organizationId: "${'${'.repeat(50_000)}"}]`;
    expect(await problemsOf(text)).toEqual([
      'svc.yaml:1:35: unclosed ${; a literal ${ is written as $${',
    ]);
    const repeated = `organizations: [{organizationId: "${'${x}${y}'.repeat(20_000)}"}]`;
    expect(await problemsOf(repeated)).toEqual([
      "svc.yaml:1:35: unknown variable 'x'; vars declares no variables",
      "svc.yaml:1:39: unknown variable 'y'; vars declares no variables",
    ]);
  });

  it('a file, with all problems in the order of their positions', async () => {
    const text =
      'svc: 2\nusers: [{}]\nwhat: 1\nfolders: [{organizationId: o, folderId: f, folderId: "${x}"}]';
    expect((await problemsOf(text)).map((problem) => problem.replace(/;.*/, ''))).toEqual([
      "svc.yaml:1:6: svc: expected 1, got '2'",
      'svc.yaml:2:9: users[0].userId: is required',
      'svc.yaml:2:9: users[0].organizationId: is required',
      'svc.yaml:3:1: what: unknown field',
      "svc.yaml:4:44: the field 'folderId' occurs twice",
    ]);
  });
});

describe('a text in a settings file', () => {
  it('keeps every character, with variables or without', SLOW, async () => {
    const words = fc.array(
      fc.constantFrom('${', '$${', '$', '{', '}', 'a', ' ', '😀', '\n', "'", '"', '\\', '#', ': '),
    );
    await fc.assert(
      fc.asyncProperty(words, async (parts) => {
        const wanted = parts.join('');
        const escaped = wanted.replaceAll('${', () => '$${');
        const text = JSON.stringify({
          vars: { v: escaped },
          organizations: [
            { organizationId: 'o', organizationName: '${v}' },
            { organizationId: 'p', organizationName: escaped },
          ],
        });
        const { settings } = await load(
          {},
          { file: '-', stdin: { stream: Readable.from([Buffer.from(text)]) } },
        );
        expect(
          settings.declared.organizations?.map((record) => record['organizationName']),
        ).toEqual([wanted, wanted]);
      }),
    );
  });
});
