import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../src/catalog/define.ts';
import { loadOperation } from '../../../src/catalog/index.ts';
import { manifest, type OperationEntry } from '../../../src/catalog/manifest.ts';
import { checkInput } from '../../../src/commands/call/validation.ts';
import { SLOW } from '../../slow.ts';

const NOW = Date.UTC(2030, 0, 1);
const SECONDS = NOW / 1000;
const CONTEXT = {
  clock: { now: () => NOW, sleep: () => Promise.resolve() },
  inputNaming: 'flags',
  environment: {},
  words: [],
} as const;

async function refusal(
  resources: readonly unknown[],
  beside: object = { name: 'Ada', email: 'ada@example.com' },
) {
  const entry = manifest.find(({ name }) => name === 'access-tokens.generate') ?? expect.fail();
  const operation = await loadOperation(entry.resource, entry.name);
  const input = { userId: 'u1', userProperties: beside, permissions: { resources } };
  try {
    return checkInput(CONTEXT, entry, operation, input, 'usage');
  } catch (error) {
    const { message, hint } = error as { message: string; hint: string };
    return [message, hint];
  }
}

/** Messages of each operation for an invalid value in each of its fields. */
function* refusals(operation: Operation, entry: OperationEntry): Generator<string> {
  const valid = { organizationId: 'o', documentId: 'd', editorId: 'e', userId: 'u', folderId: 'f' };
  for (const type of ['text', 'map', 'array', 'xml']) {
    for (const useless of [5, '', null, [], {}, 'x y', { __proto__: null, a: {} }]) {
      for (const field of Object.keys(operation.input.shape)) {
        try {
          checkInput(CONTEXT, entry, operation, { ...valid, type, [field]: useless }, 'usage');
        } catch (error) {
          yield (error as Error).message;
        }
      }
    }
  }
}

describe('an input error of any operation', () => {
  it('names no field if a rule concerns several fields', async () => {
    const updates = manifest.filter(({ name }) =>
      /^(email|webhooks\.endpoints)\.update$/.test(name),
    );
    expect(updates).toHaveLength(2);
    for (const entry of updates) {
      const operation = await loadOperation(entry.resource, entry.name);
      const input = entry.argument ? { [entry.argument.field]: '1' } : {};
      expect(() => checkInput(CONTEXT, entry, operation, input, 'usage')).toThrow(
        /^specify at least one field to change$/,
      );
    }
  });

  it('names the field only once', SLOW, async () => {
    let count = 0;
    for (const entry of manifest) {
      for (const message of refusals(await loadOperation(entry.resource, entry.name), entry)) {
        for (const problem of message.split('; ')) {
          count += 1;
          const [, name = '-', rest = ''] =
            /^(--[\w-]+|<\w+>|[\w.]+)(?: \w+)?:? (.*)$/s.exec(problem) ?? [];
          expect([problem, rest.startsWith(name)]).toEqual([problem, false]);
        }
      }
    }
    expect(count).toBeGreaterThan(100);
  });

  it('is a complete sentence if the field defines one', async () => {
    const entry = manifest.find(({ name }) => name === 'crdt.update') ?? expect.fail();
    const operation = await loadOperation(entry.resource, entry.name);
    const input = { organizationId: 'o', documentId: 'd', editorId: 'e', type: 'text', data: {} };
    expect(() => checkInput(CONTEXT, entry, operation, input, 'usage')).toThrow(
      /^--content must be a string for --type text\.$/,
    );
  });
});

const HELP = 'see svc access-tokens generate --help';
const acme = { type: 'organization', id: 'acme' };

describe('a missing ID', () => {
  it.each([
    ['CI', { CI: 'true' }, /^svc never asks while CI is set; add --org/],
    ['no CI', { CI: 'false' }, /^add --org/],
  ])('is not asked for because of %s', async (_, environment, advice) => {
    const entry = manifest.find(({ name }) => name === 'folders.list') ?? expect.fail();
    const operation = await loadOperation(entry.resource, entry.name);
    const check = () => checkInput({ ...CONTEXT, environment }, entry, operation, {}, 'usage');
    expect(check).toThrow(
      expect.objectContaining({
        message: '--org is required',
        hint: expect.stringMatching(advice),
      }),
    );
  });
});

describe('an invalid input', () => {
  it.each([
    [
      [{ ...acme, type: 'organisation' }],
      "--resource type: expected one of organization, document, folder, got 'organisation'",
      "did you mean 'organization'?",
    ],
    [
      [{ ...acme, accessRole: 'king' }],
      "--resource role: expected one of viewer, editor, got 'king'",
      HELP,
    ],
    [[{ type: 'document', id: 'd1' }], '--resource org is required', HELP],
    [[{ ...acme, expiresAt: SECONDS }], '--resource expires is in the past', HELP],
  ])('is reported with the flag and the key', async (resources, message, hint) => {
    expect(await refusal(resources)).toEqual([message, hint]);
  });

  it.each([
    ['agents.get', '<agentId> is required', 'to list the IDs, run svc agents list'],
    [
      'webhooks.endpoints.secret',
      '<endpointId> is required',
      'to list the IDs, run svc webhooks endpoints list',
    ],
    [
      'documents.list',
      '--org is required',
      'add --org <id>, or set SVC_ORG for all commands; see svc documents list --help',
    ],
  ])('has a hint to find the missing value of %s', async (name, message, hint) => {
    const entry = manifest.find((known) => known.name === name) ?? expect.fail();
    const operation = await loadOperation(entry.resource, entry.name);
    expect(() => checkInput(CONTEXT, entry, operation, {}, 'usage')).toThrow(
      expect.objectContaining({ message, hint }),
    );
  });

  it('is reported with all missing values', async () => {
    expect(await refusal([acme], {})).toEqual(['--name is required; --email is required', HELP]);
  });

  it('is checked against the given time', async () => {
    expect(await refusal([{ ...acme, expiresAt: SECONDS + 1 }])).toMatchObject({ userId: 'u1' });
  });
});
