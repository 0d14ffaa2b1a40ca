import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidateLines } from '../../../src/commands/completion/candidate.ts';
import { completeLine } from '../../../src/commands/completion/complete.ts';
import {
  cacheIds,
  idScopeOf,
  readCachedIds,
  removeCachedIds,
} from '../../../src/commands/ids/id-cache.ts';
import { IdCollector } from '../../../src/commands/ids/id-collector.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { escapeForTerminal } from '../../../src/kernel/safe-text.ts';
import { createProfileStore } from '../../../src/profiles/store.ts';
import { codePoint } from '../../code-point.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';

async function world(
  environment: Readonly<Record<string, string>> = {},
  platform?: NodeJS.Platform,
) {
  const cwd = await createTemporaryFolder();
  const folders = {
    config: join(cwd, 'config'),
    state: join(cwd, 'state'),
    data: join(cwd, 'data'),
  };
  const surroundings = {
    cwd,
    folders,
    environment: { HOME: cwd, ...environment },
    ...(platform && { platform }),
  };
  return {
    ...surroundings,
    completes: async (...words: string[]) =>
      (await completeLine(words, surroundings))
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t')[0]),
  };
}

describe('candidates', () => {
  it('of --fields are the fields of the result that are not given yet, or headers after a capital letter', async () => {
    const { completes, ...surroundings } = await world();
    expect(await completeLine(['documents', 'list', '--fields', 'id,doc'], surroundings)).toBe(
      'id,documentName\tNAME\n',
    );
    expect(await completes('documents', 'list', '--fields', 'id,i')).toEqual([]);
    expect(await completes('documents', 'list', '--fields=N')).toEqual(['--fields=NAME']);
    expect(await completes('workspace', 'get', '--fields', 'owner.e')).toEqual(['owner.email']);
    expect(await completes('jobs', 'list', '--fields', 'st')).toEqual(['state', 'startedAt']);
  });

  it('are commands with their summaries, then flags of the command', async () => {
    const { completes, ...surroundings } = await world();
    expect(await completes('')).toEqual(
      expect.arrayContaining(['users', 'webhooks', 'completion', 'help']),
    );
    expect(await completeLine(['users', 'ad'], surroundings)).toBe(
      'add\tAdd users to an organization, folder, or document\n',
    );
    expect(await completes('users', 'add', '--batch')).toEqual(['--batch-size']);
    expect(await completes('--loc')).toEqual(['--local']);
  });

  it('omit a flag that is given, unless it is repeatable', async () => {
    const { completes } = await world();
    expect(await completes('users', 'add', '--org', 'acme', '--or')).toEqual([]);
    expect(await completes('documents', 'list', '--document', 'd1', '--docu')).toEqual([
      '--document',
    ]);
  });

  it('are the values of a flag, also after an equals sign and after its short form', async () => {
    const { completes } = await world();
    expect(await completes('users', 'add', '--duplicates', '')).toEqual(['fail', 'first', 'last']);
    expect(await completes('users', 'add', '--duplicates=f')).toEqual([
      '--duplicates=fail',
      '--duplicates=first',
    ]);
    expect(await completes('users', 'list', '-o', 'nd')).toEqual(['ndjson']);
    expect(await completes('webhooks', 'config', 'update', '--trigger', 'huddle.c')).toEqual([
      'huddle.create=true',
      'huddle.create=false',
    ]);
  });

  it('are the values of a short flag in the same word, also after other short flags', async () => {
    const { completes, folders } = await world();
    expect(await completes('users', 'list', '-ond')).toEqual(['-ondjson']);
    expect(await completes('users', 'list', '-qvond')).toEqual(['-qvondjson']);
    expect(await completes('users', 'list', '-qv', '--verb')).toEqual([]);
    expect(await completes('users', 'list', '-zond')).toEqual([]);
    const target = { baseUrl: 'https://api.example.com', apiKey: 'key-1' };
    await createProfileStore({ folders, clock: systemClock }).add('prod', target, {});
    const scope = idScopeOf({
      baseUrl: { value: target.baseUrl, source: '' },
      apiKey: { value: target.apiKey, source: '' },
    });
    await cacheIds(
      { folders, environment: {} },
      scope,
      new Map([['organization', new Set(['acme'])]]),
    );
    for (const chosen of [['-pprod'], ['-qpprod'], ['-qp', 'prod']]) {
      expect(await completes('users', 'add', ...chosen, '--org', '')).toEqual(['acme']);
    }
    expect(await completes('users', 'add', '-pother', '--org', '')).toEqual([]);
  });

  it('omit flags after --, and are empty after an invalid word', async () => {
    const { completes } = await world();
    expect(await completes('users', 'add', '--', '--o')).toEqual([]);
    expect(await completes('nonsense', '')).toEqual([]);
  });

  it('are files, hidden files after a dot, and folders with a slash', async () => {
    const { completes, cwd } = await world();
    await mkdir(join(cwd, 'below'));
    await writeFile(join(cwd, 'below', 'in.csv'), '');
    await writeFile(join(cwd, '.hidden'), '');
    expect(await completes('users', 'add', '--file', '')).toEqual(['below/']);
    expect(await completes('users', 'add', '--file', 'below/')).toEqual(['below/in.csv']);
    expect(await completes('users', 'add', '--file', '~/below/i')).toEqual(['~/below/in.csv']);
    expect(await completes('users', 'add', '--file', '.')).toEqual(['.hidden']);
    expect(await completes('users', 'add', '--file', 'nowhere/')).toEqual([]);
  });

  it('accept either separator on Windows, and end with the typed one', async () => {
    const { completes, cwd } = await world({}, 'win32');
    await mkdir(join(cwd, 'below', 'more'), { recursive: true });
    await writeFile(join(cwd, 'below', 'in.csv'), '');
    await writeFile(join(cwd, 'below', 'a b.csv'), '');
    const files = (typed: string) => completes('users', 'add', '--file', typed);
    expect(await files('.\\below\\')).toEqual([
      '.\\below\\a b.csv',
      '.\\below\\in.csv',
      '.\\below\\more\\',
    ]);
    expect(await files('below\\i')).toEqual(['below\\in.csv']);
    expect(await files('~\\below\\mo')).toEqual(['~\\below\\more\\']);
    expect(await files('below/mo')).toEqual(['below/more/']);
    expect(await files("'.\\below\\a ")).toEqual(['.\\below\\a b.csv']);
    expect(await files('"below\\a ')).toEqual(['below\\a b.csv']);
    expect(await files('below/a\\ ')).toEqual(['below/a b.csv']);
  });

  it('are files after an @, without home folders that no shell would expand', async () => {
    const { completes, cwd } = await world();
    await writeFile(join(cwd, 'user.json'), '');
    expect(await completes('users', 'add', '--data', '@us')).toEqual(['@user.json']);
    expect(await completes('users', 'add', '--data', 'us')).toEqual([]);
    expect(await completes('users', 'add', '--file', '~/us')).toEqual(['~/user.json']);
    expect(await completes('users', 'add', '--file=~/us')).toEqual([]);
  });

  it('include paths of the interface, events, and the remaining items of a list', async () => {
    const { completes, ...surroundings } = await world();
    expect(await completes('api', '/v2/workspace/g')).toEqual(['/v2/workspace/get']);
    expect(await completes('email', 'update', '--trigger', 'crdt.')).toEqual([]);
    expect(await completes('email', 'update', '--trigger', 'comment_annotation.as')).toHaveLength(
      2,
    );
    const endpoints = new Map([['endpoint', new Set(['ep_1', 'ep_2'])]] as const);
    await cacheIds(surroundings, 'local', endpoints);
    expect(await completes('webhooks', 'endpoints', 'delete', '--local', 'ep_1', '')).toEqual([
      'ep_2',
    ]);
    expect(await completes('local', 'deliveries', 'list', '--local', '--endpoint', '')).toEqual([
      'ep_1',
      'ep_2',
    ]);
  });

  it('are the names of profiles', async () => {
    const { completes, folders } = await world();
    await mkdir(folders.config);
    await writeFile(
      join(folders.config, 'profiles.json'),
      JSON.stringify({ profiles: { prod: { baseUrl: 'https://api.example.com' }, stage: {} } }),
    );
    expect(await completes('-p', '')).toEqual(['prod', 'stage']);
    expect(await completes('profiles', 'use', 'p')).toEqual(['prod']);
  });

  it('use words as typed, without expansion', async () => {
    const { completes, cwd } = await world();
    await writeFile(join(cwd, 'a b.csv'), '');
    expect(await completes('users', 'add', '--file', 'a\\ ')).toEqual(['a b.csv']);
    expect(await completes('users', 'add', '--file', '"a ')).toEqual(['a b.csv']);
    expect(await completes('users', 'add', '--file', '$HOME/')).toEqual([]);
  });

  it('never contain line breaks or extra tabs', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            value: fc.string({ unit: codePoint }),
            description: fc.string({ unit: codePoint }),
          }),
        ),
        (given) => {
          const lines = candidateLines(given).split('\n').slice(0, -1);
          const kept = given.filter(({ value }) => escapeForTerminal(value) === value);
          expect(lines.map((line) => line.split('\t')[0])).toEqual(kept.map(({ value }) => value));
          expect(lines.every((line) => line.split('\t').length <= 2)).toBe(true);
        },
      ),
    );
  });
});

describe('cached IDs', () => {
  const local = 'local';

  it('are cached by kind and profile, latest first', async () => {
    const { completes, ...surroundings } = await world();
    const found = new IdCollector('folders');
    found.collect([{ folderId: 'f1', organizationId: 'acme', subFolders: [{ folderId: 'f2' }] }]);
    await cacheIds(surroundings, local, found.ids);
    await cacheIds(surroundings, local, new Map([['folder', new Set(['f3', 'f1'])]]));
    expect(await readCachedIds(surroundings, local, 'folder')).toEqual(['f3', 'f1', 'f2']);
    expect(await completes('--local', 'folders', 'list', '--org', '')).toEqual(['acme']);
    expect(await completes('folders', 'list', '--org', '')).toEqual([]);
  });

  it('are found anywhere in a response, alone or in lists, and as a plain id in records of their kind', () => {
    const found = new IdCollector('users');
    found.collect({
      comments: [{ id: 'c1', from: { userId: 'u1' }, seenBy: { userIds: ['u2', 7] } }],
      documentIds: ['d1'],
    });
    found.collect({ organizationUserGroupId: 'g1', userIds: 'u3' });
    expect(Object.fromEntries(found.ids)).toEqual({
      user: new Set(['u1', 'u2', 'u3']),
      document: new Set(['d1']),
      group: new Set(['g1']),
    });
    const agent = new IdCollector('agents');
    agent.collect({ agent: { id: 'a1', model: { id: 'm1' } } });
    expect(Object.fromEntries(agent.ids)).toEqual({ agent: new Set(['a1']) });
  });

  it('stop at a limit in an endless response', () => {
    const endless: Record<string, unknown> = { userId: 'u1' };
    endless['again'] = [endless, endless];
    const found = new IdCollector('users');
    found.collect(endless);
    expect(Object.fromEntries(found.ids)).toEqual({ user: new Set(['u1']) });
  });

  it('are removed after a deletion, except those of other kinds', async () => {
    const { completes: _, ...surroundings } = await world();
    await cacheIds(surroundings, local, new Map([['endpoint', new Set(['ep_1', 'ep_2'])]]));
    const found = new IdCollector('webhook-endpoints');
    found.collect([{ endpointId: 'ep_1', organizationId: 'acme' }]);
    expect(Object.fromEntries(found.ownIds)).toEqual({ endpoint: new Set(['ep_1']) });
    await removeCachedIds(surroundings, local, found.ownIds);
    expect(await readCachedIds(surroundings, local, 'endpoint')).toEqual(['ep_2']);
  });

  it('survive concurrent writers: each leaves a complete cache', async () => {
    const { completes: _, ...surroundings } = await world();
    const writers = Array.from({ length: 50 }, (_each, at) =>
      cacheIds(surroundings, local, new Map([['user', new Set([`u${at}`])]])),
    );
    await Promise.all(writers);
    const users = await readCachedIds(surroundings, local, 'user');
    expect(users.length).toBeGreaterThan(0);
    expect(users.every((id) => /^u\d+$/.test(id))).toBe(true);
    expect(await readdir(join(surroundings.folders.state, 'completion'))).toEqual(['local.json']);
  });

  it('are limited in number, and a damaged cache counts as empty', async () => {
    const { completes: _, ...surroundings } = await world();
    const many = new Set(Array.from({ length: 2000 }, (_each, at) => `d${at}`));
    await cacheIds(surroundings, local, new Map([['document', many]]));
    expect(await readCachedIds(surroundings, local, 'document')).toHaveLength(500);
    const path = join(surroundings.folders.state, 'completion', 'local.json');
    await writeFile(path, '{"document": 7, "user": [');
    expect(await readCachedIds(surroundings, local, 'document')).toEqual([]);
    await cacheIds(surroundings, local, new Map([['document', new Set(['d1'])]]));
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ document: ['d1'] });
  });

  it('are not cached if the cache is turned off', async () => {
    const { completes: _, ...surroundings } = await world({ SVC_COMPLETION_CACHE: '0' });
    await cacheIds(surroundings, local, new Map([['document', new Set(['d1'])]]));
    expect(await readCachedIds({ ...surroundings, environment: {} }, local, 'document')).toEqual(
      [],
    );
  });
});
