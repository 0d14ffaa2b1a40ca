import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../src/catalog/index.ts';
import { manifest } from '../../../src/catalog/manifest.ts';
import type { GlobalOptions } from '../../../src/commands/context.ts';
import { runOperation } from '../../../src/commands/run/run-operation.ts';
import { withServiceFlags } from '../../../src/commands/service-flags.ts';
import { createProfileStore } from '../../../src/profiles/store.ts';
import { failure, success } from '../../client/client-fixture.ts';
import { createUserFolders } from '../../temporary-folder.ts';
import { fakeContext } from '../fake-context.ts';
import { toolContext } from '../tools/world.ts';

type Options = Readonly<Record<string, string | boolean>>;

/** Hint of a command whose call finds nothing. */
async function hintOf(
  name: OperationName,
  words: readonly string[],
  options: Options = {},
  answer = failure('NOT_FOUND', 404, 'Not found.'),
  to: Partial<GlobalOptions> = { profile: 'prod' },
) {
  const folders = await createUserFolders();
  await createProfileStore(await fakeContext({ folders })).add(
    'prod',
    { baseUrl: 'https://api.example.com', apiKey: 'key-1' },
    {},
    { insecure: true },
  );
  const { context } = await toolContext([answer], { folders, options: { ...to, yes: true } });
  const entry = manifest.find((known) => known.name === name) ?? expect.fail();
  return runOperation(context, [entry], { arguments: words, options }).then(
    () => expect.fail(),
    (error) => {
      const { failure: kind, status, hint } = withServiceFlags(error, context.options);
      return [kind, status, hint];
    },
  );
}

describe('a resource that is not found', () => {
  it.each([
    ['agents.get', ['a9'], {}, 'to list the agents, run svc -p prod agents list'],
    [
      'webhooks.endpoints.delete',
      ['ep_9'],
      {},
      'to list the endpoints, run svc -p prod webhooks endpoints list',
    ],
    [
      'folders.list',
      [],
      { org: 'acme', folder: 'f9' },
      'to list the folders, run svc -p prod folders list --org acme',
    ],
  ] as const)('has a hint to list its kind: %s', async (name, words, options, list) => {
    expect(await hintOf(name, words, options)).toEqual(['not_found', 'NOT_FOUND', list]);
  });

  it.each(['auth-tokens.list', 'auth-tokens.reset'] as const)(
    'has a hint to list the API keys: %s',
    async (name) => {
      expect(await hintOf(name, [], { apiKey: 'k9' })).toEqual([
        'not_found',
        'NOT_FOUND',
        'to list the API keys, run svc -p prod workspace get',
      ]);
    },
  );

  it.each([
    ['folders.list', { apiVersion: 'v2' }],
    ['folders.list.v1', { apiVersion: 'v1' }],
  ] as const)('may be an empty list as well: %s', async (name, version) => {
    const options = { org: 'acme', folder: 'f9', ...version };
    const lister = 'to list the folders, run svc -p prod folders list --org acme';
    for (const data of [[], null]) {
      expect(await hintOf(name, [], options, success(data))).toEqual([
        'not_found',
        'NOT_FOUND',
        lister,
      ]);
    }
  });

  it.each([
    ['documents.migration-status', { org: 'acme', migration: 'm1' }],
    ['folders.list', { org: 'acme' }],
  ] as const)('has no hint where no list tells: %s %j', async (name, options) => {
    expect(await hintOf(name, [], options)).toEqual(['not_found', 'NOT_FOUND', undefined]);
  });
});

describe('a missing parent named by the service', () => {
  const hintFor = async (name: OperationName, message: string, options: Options) => {
    const [, , hint] = await hintOf(name, [], options, failure('INVALID_ARGUMENT', 400, message), {
      local: true,
    });
    return hint;
  };
  const FOLDER = { org: 'acme', folder: 'f1' };
  const USER = { org: 'acme', group: 'g', user: ['u1'] as unknown as string };

  it.each([
    ['folders.add', 'Organization not found.', FOLDER, 'add --create-organization to create it'],
    [
      'groups.add-users',
      'Organization not found.',
      USER,
      'to create it, run svc --local organizations add --org acme',
    ],
    [
      'documents.add',
      'Folder not found.',
      { ...FOLDER, document: 'd1' },
      'to list the folders, run svc --local folders list --org acme',
    ],
    [
      'folders.add',
      'Organization not found.',
      { ...FOLDER, createOrganization: true },
      'to create it, run svc --local organizations add --org acme',
    ],
    ['groups.add-users', 'Organization user group not found.', USER, undefined],
    ['documents.add', 'The folder is full.', { ...FOLDER, document: 'd1' }, undefined],
  ] as const)('%s: %s', async (name, message, options, hint) => {
    expect(await hintFor(name, message, options)).toBe(hint);
  });
});
