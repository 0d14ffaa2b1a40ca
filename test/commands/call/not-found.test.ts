import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../src/catalog/index.ts';
import { manifest } from '../../../src/catalog/manifest.ts';
import { runOperation } from '../../../src/commands/call/operation.ts';
import { failure } from '../../client/world.ts';
import { toolContext } from '../tools/world.ts';

/** The hint of a command whose call finds nothing. */
async function hintOf(name: OperationName, words: readonly string[], options: Readonly<Record<string, string>> = {}) {
  const { context } = await toolContext([failure('NOT_FOUND', 404, 'Not found.')], {
    options: { profile: 'prod', yes: true },
  });
  const entry = manifest.find((known) => known.name === name) ?? expect.fail();
  return runOperation(context, [entry], { arguments: words, options }).then(
    () => expect.fail(),
    ({ failure: kind, status, hint }) => [kind, status, hint],
  );
}

describe('what is not found', () => {
  it.each([
    ['agents.get', ['a9'], {}, 'svc -p prod agents list'],
    ['webhooks.endpoints.delete', ['ep_9'], {}, 'svc -p prod webhooks endpoints list'],
    ['folders.list', [], { org: 'acme', folder: 'f9' }, 'svc -p prod folders list --org acme'],
  ] as const)('is looked for in the list of its kind: %s', async (name, words, options, list) => {
    expect(await hintOf(name, words, options)).toEqual(['not_found', 'NOT_FOUND', `${list} shows those there are`]);
  });

  it.each([
    ['documents.migration-status', { org: 'acme', migration: 'm1' }],
    ['folders.list', { org: 'acme' }],
  ] as const)('has no hint where no list tells: %s %j', async (name, options) => {
    expect(await hintOf(name, [], options)).toEqual(['not_found', 'NOT_FOUND', undefined]);
  });
});
