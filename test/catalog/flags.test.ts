import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Operation } from '../../src/catalog/define.ts';
import { deriveFlags, flagName } from '../../src/catalog/flags.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { described, withMetadata } from '../../src/catalog/metadata.ts';

describe('flag names', () => {
  it.each([
    ['organizationId', 'org'],
    ['documentId', 'document'],
    ['documentIds', 'document'],
    ['newDocumentId', 'new-document'],
    ['parentFolderId', 'parent'],
    ['organizationUserGroupId', 'group'],
    ['rawNotificationUrl', 'raw-notification-url'],
    ['maxDepth', 'max-depth'],
    ['apiKey', 'api-key'],
    ['id', 'id'],
  ])('derives from %s: --%s', (field, name) => {
    expect(flagName(field)).toBe(name);
  });
});

describe('the flags of an operation', () => {
  const operation: Operation = {
    command: ['things', 'set'],
    summary: '',
    decision: '',
    settings: 'read',
    sample: () => ({ organizationId: 'acme', users: [] }),
    path: '/v2/things/set',
    auth: 'key',
    effect: 'set',
    message: '',
    output: z.unknown(),
    input: z.object({
      organizationId: described(z.string(), 'organization ID'),
      pageSize: described(z.optional(z.number()), 'records per page'),
      isOpen: described(z._default(z.boolean(), false), 'open to all'),
      level: described(z.optional(z.enum(['low', 'high'])), 'level of access'),
      documentIds: described(z.optional(z.array(z.string())), 'document IDs'),
      settings: z.object({
        title: withMetadata(z.optional(z.string()), { flag: 'heading', description: 'title text' }),
        triggers: described(z.record(z.string(), z.boolean()), 'enabled triggers'),
      }),
      rules: described(z.optional(z.array(z.object({ from: z.string() }))), 'renaming rules'),
      users: z.array(
        z.looseObject({
          userId: described(z.string(), 'user ID'),
          name: described(z.optional(z.string()), 'display name'),
        }),
      ),
    }),
    bulk: { field: 'users', id: 'userId', noun: 'user' },
  };
  const flags = deriveFlags(operation);
  const flag = (name: string) => flags.find((known) => known.name === name);

  it('are derived from its fields, including nested ones, with kind and description', () => {
    expect(flag('org')).toEqual({
      name: 'org',
      path: ['organizationId'],
      kind: 'text',
      description: 'organization ID',
      required: true,
      ofRecord: false,
    });
    expect(flag('page-size')).toMatchObject({ kind: 'number', required: false });
    expect(flag('is-open')).toMatchObject({ kind: 'boolean', required: false });
    expect(flag('level')).toMatchObject({ kind: 'text', choices: ['low', 'high'] });
    expect(flag('document')).toMatchObject({ kind: 'list', path: ['documentIds'] });
    expect(flag('heading')).toMatchObject({ kind: 'text', path: ['settings', 'title'] });
    expect(flag('triggers')).toMatchObject({ kind: 'switches', path: ['settings', 'triggers'] });
    expect(flag('rules')).toMatchObject({ kind: 'json' });
  });

  it('need a description for each field', () => {
    const input = z.extend(operation.input, { title: z.string() });
    expect(() => deriveFlags({ ...operation, input })).toThrow(
      'the field title has no description',
    );
  });

  it('use paths relative to the record in a bulk operation', () => {
    expect(flag('user')).toMatchObject({ path: ['userId'], ofRecord: true, required: true });
    expect(flag('name')).toMatchObject({ path: ['name'], ofRecord: true, required: false });
  });
});

describe('the manifest', () => {
  it('contains every operation once, and no duplicate flag in a command', () => {
    expect(new Set(manifest.map(({ name }) => name)).size).toBe(manifest.length);
    for (const { name, flags } of manifest) {
      const names = flags.map((flag) => flag.name);
      expect([name, [...new Set(names)]]).toEqual([name, names]);
    }
  });

  it('is plain data that the build can serialize', () => {
    expect(JSON.parse(JSON.stringify(manifest))).toEqual(manifest);
  });

  it('has different versions for operations of the same command', () => {
    const commands = manifest.map(({ command, version }) => `${command.join(' ')} ${version}`);
    expect(new Set(commands).size).toBe(commands.length);
  });

  it('lists the secret fields of responses, except in commands that print secrets', () => {
    const secrets = new Map(manifest.map((entry) => [entry.name, entry.secrets]));
    expect(secrets.get('workspace.get')).toEqual([['authToken']]);
    expect(secrets.get('auth-tokens.reset')).toEqual([]);
  });
});
