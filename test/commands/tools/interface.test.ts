import { describe, expect, it } from 'vitest';
import { manifest } from '../../../src/catalog/manifest.ts';
import { renderHelp } from '../../../src/commands/help/render-help.ts';
import { createTopicPage } from '../../../src/commands/help/topics.ts';
import { openApiCommand, schemaCommand } from '../../../src/commands/tools/schema.ts';
import { printCommands } from '../../../src/commands/tree/command-list.ts';
import { commandTree } from '../../../src/commands/tree/tree.ts';
import { type FakeContextOptions, fakeContext } from '../fake-context.ts';

const JSON_OUTPUT: FakeContextOptions = { options: { output: 'json' } };

describe('svc schema', () => {
  const schema = async (words: readonly string[], world?: FakeContextOptions) => {
    const context = await fakeContext(world);
    await schemaCommand(context, { arguments: words, options: {} });
    return context.stdout();
  };

  it.each([
    ['users.add'],
    ['users', 'add'],
    ['users add'],
    ['svc', 'users', 'add'],
    ['/v1/users/add'],
  ])('finds an operation by its name, its command and its path: %s', async (...words) => {
    const shown = JSON.parse(await schema(words));
    expect(shown).toMatchObject({
      operation: 'users.add',
      command: 'users add',
      path: '/v1/users/add',
      input: { required: ['organizationId', 'users'] },
      output: { type: 'object' },
      record: { required: ['userId'] },
    });
  });

  it('prints YAML with -o yaml', async () => {
    expect(JSON.parse(await schema(['settings']))).toMatchObject({
      type: 'object',
      properties: { svc: { const: 1 } },
    });
    expect(await schema(['agents.get'], { options: { output: 'yaml' } })).toMatch(
      /^operation: agents.get\n/,
    );
  });

  it('lists all operations without an argument', async () => {
    const listed = JSON.parse(await schema([], JSON_OUTPUT));
    expect(listed.map(({ operation }: { operation: string }) => operation)).toEqual(
      manifest.map(({ name }) => name),
    );
    expect(await schema([])).toMatch(/^OPERATION {2,}COMMAND {2,}PATH\n/);
  });

  it.each([
    { typed: ['user.add'], hint: "did you mean 'users.add'?" },
    { typed: ['folder', 'update'], hint: "did you mean 'folders.update'?" },
    { typed: ['/v2/users/ad'], hint: "did you mean '/v2/users/add'?" },
    { typed: ['something entirely else'], hint: 'to list all operations, run svc schema' },
  ])('suggests a correction of $typed', async ({ typed, hint }) => {
    await expect(schema(typed)).rejects.toMatchObject({ failure: 'usage', hint });
  });
});

describe('svc openapi', () => {
  it('prints a document with the configured base URL and headers', async () => {
    const environment = { SVC_BASE_URL: 'https://api.example.com', SVC_HEADER_PREFIX: 'x-own-' };
    const context = await fakeContext({ environment });
    await openApiCommand(context);
    const document = JSON.parse(context.stdout());
    expect(document).toMatchObject({
      openapi: '3.1.1',
      servers: [{ url: 'https://api.example.com' }],
      components: { securitySchemes: { apiKey: { name: 'x-own-api-key' } } },
    });
    expect(Object.keys(document.paths)).toContain('/v1/users/add');
  });

  it('needs no settings', async () => {
    const context = await fakeContext(JSON_OUTPUT);
    await openApiCommand(context);
    expect(JSON.parse(context.stdout()).servers).toMatchObject([{ url: 'http://127.0.0.1:7400' }]);
  });
});

describe('svc commands', () => {
  interface Listed {
    readonly name: string;
    readonly command: string;
    readonly summary: string;
    readonly commands?: readonly Listed[];
    readonly flags?: readonly { readonly name: string }[];
    readonly operations?: readonly { readonly name: string }[];
  }
  const leaves = (node: Listed): Listed[] =>
    node.commands ? node.commands.flatMap(leaves) : [node];

  const listed = async (): Promise<Listed> => {
    const context = await fakeContext(JSON_OUTPUT);
    await printCommands(context, commandTree(), [], false);
    return JSON.parse(context.stdout());
  };

  it('is a tree with every operation of the catalog', async () => {
    const tree = await listed();
    const operations = leaves(tree).flatMap(({ operations = [] }) =>
      operations.map(({ name }) => name),
    );
    expect(operations.sort()).toEqual(manifest.map(({ name }) => name).sort());
    expect(tree.flags?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['--output', '--jq', '--no-wait']),
    );
  });

  it('describes the arguments and flags of each command', async () => {
    const all = new Map(leaves(await listed()).map((leaf) => [leaf.command, leaf]));
    expect(all.get('users add')?.flags).toEqual(
      expect.arrayContaining([
        {
          name: '--org',
          kind: 'text',
          value: 'id',
          required: true,
          repeats: false,
          description: 'organization ID',
        },
        {
          name: '--role',
          kind: 'text',
          value: 'text',
          required: false,
          repeats: false,
          choices: ['viewer', 'editor'],
          description: expect.any(String),
        },
      ]),
    );
    expect(all.get('users add')?.operations).toEqual([
      {
        name: 'users.add',
        path: '/v1/users/add',
        version: 'v1',
        auth: 'key',
        effect: 'keyed',
        paged: false,
      },
      {
        name: 'users.add.v2',
        path: '/v2/users/add',
        version: 'v2',
        auth: 'key',
        effect: 'keyed',
        paged: false,
      },
    ]);
    expect(all.get('agents get')).toMatchObject({
      arguments: [{ name: 'agentId', required: true, many: false }],
    });
    expect(all.get('webhooks endpoints delete')).toMatchObject({
      arguments: [{ name: 'endpointId', many: true }],
    });
    expect(all.get('api')).toMatchObject({
      arguments: [{ name: 'path', required: true }],
      flags: expect.arrayContaining([
        expect.objectContaining({ name: '--auth', choices: ['key', 'workspace', 'none'] }),
      ]),
    });
    for (const [command, { flags = [], summary }] of all) {
      expect(summary, command).not.toBe('');
      expect(
        flags.filter(({ name }) => !/^--[a-z][a-z0-9-]*$/.test(name)),
        command,
      ).toEqual([]);
    }
  });

  it('is a readable list on a terminal', async () => {
    const context = await fakeContext();
    await printCommands(context, commandTree(), [], false);
    expect(context.stdout()).toMatch(/^COMMAND {2,}SUMMARY\nusers add {2,}Add users to/);
    expect(context.stdout()).toMatch(
      /^commands {2,}List every command, or describe one with its flags$/m,
    );
  });
});

describe('svc commands for agents', () => {
  const print = async (words: readonly string[], compact: boolean, json: boolean) => {
    const context = await fakeContext(json ? JSON_OUTPUT : {});
    await printCommands(context, commandTree(), words, compact);
    return context.stdout();
  };

  it('describes each command in at most 6 kB, with its required flags and effect', async () => {
    const names = Object.keys(JSON.parse(await print([], true, true)));
    expect(names.length).toBeGreaterThan(100);
    for (const name of names) {
      const text = await print(name.replace(' *', '').split(' '), false, true);
      expect([name, Buffer.byteLength(text) <= 6_000]).toEqual([name, true]);
      expect(JSON.parse(text)).toMatchObject({ command: `svc ${name.replace(' *', '')}` });
    }
    const users = JSON.parse(await print(['users', 'add'], false, true));
    expect(users).toMatchObject({
      effect: 'keyed',
      flags: expect.arrayContaining([
        {
          flag: '--org',
          value: 'id',
          suppliedBy: ['records', 'settings'],
          description: 'organization ID',
        },
      ]),
      resultFields: expect.arrayContaining(['total', 'failures']),
      example: expect.stringMatching(/^svc users add /),
    });
    const deleting = JSON.parse(await print(['webhooks endpoints delete'], false, true));
    expect(deleting).toMatchObject({ effect: 'delete', confirmation: expect.any(String) });
  });

  it('lists all commands in at most 10 kB, and marks those that change something', async () => {
    const map = await print([], true, false);
    for (const text of [map, await print([], true, true)])
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10_000);
    const lines = map.trim().split('\n');
    expect(lines).toContain('users add *: Add users to an organization, folder, or document');
    expect(lines).toContain(`access-tokens generate *: ${summaryOf('access-tokens.generate')}`);
    expect(lines).toContain(`folders list: ${summaryOf('folders.list')}`);
  });

  it('names the nearest command', async () => {
    for (const words of [['users', 'ad'], ['usres add'], ['svc', 'users', 'ad']])
      await expect(print(words, false, true)).rejects.toMatchObject({
        failure: 'usage',
        hint: "did you mean 'svc commands users add'?",
      });
  });

  it('teaches agents in at most 6 kB', () => {
    const skill = renderHelp(createTopicPage('agents'), { columns: undefined });
    expect(Buffer.byteLength(skill)).toBeLessThanOrEqual(6_000);
    expect(skill).toMatch(/^---\nname: svc\ndescription: .+\n---\n/);
  });
});

function summaryOf(name: string): string {
  return manifest.find((entry) => entry.name === name)?.summary ?? '';
}
