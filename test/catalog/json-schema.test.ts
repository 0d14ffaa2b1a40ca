import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { fromJSONSchema } from 'zod';
import { loadOperation, type OperationName } from '../../src/catalog/index.ts';
import { createOperationSchemas, type OperationSchemas } from '../../src/catalog/json-schema.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { createSettingsSchema } from '../../src/catalog/settings-schema.ts';
import { SLOW } from '../slow.ts';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

describe('the JSON Schemas of an operation', () => {
  let schemas: ReadonlyMap<OperationName, OperationSchemas>;

  beforeAll(async () => {
    const loaded = manifest.map(
      async ({ resource, name }) =>
        [name, createOperationSchemas(await loadOperation(resource, name))] as const,
    );
    schemas = new Map(await Promise.all(loaded));
  });

  it('describe the input', () => {
    expect(schemas.get('documents.migrate')?.input).toEqual({
      $schema: DRAFT,
      type: 'object',
      properties: {
        organizationId: { type: 'string', minLength: 1, description: 'organization ID' },
        documentId: { type: 'string', minLength: 1, description: 'document ID' },
        newDocumentId: { type: 'string', minLength: 1, description: 'new document ID' },
      },
      required: ['organizationId', 'documentId', 'newDocumentId'],
    });
  });

  it('describe the output, with secrets marked', () => {
    expect(schemas.get('access-tokens.generate')?.output).toEqual({
      $schema: DRAFT,
      type: 'object',
      properties: { token: { type: 'string', description: 'signed token', format: 'password' } },
      required: ['token'],
      additionalProperties: {},
    });
  });

  it('describe one record of a file: an object, an ID or an object with an ID, or the input of a call', () => {
    expect(schemas.get('users.add')?.record).toMatchObject({
      type: 'object',
      required: ['userId'],
    });
    expect(schemas.get('groups.add-users')?.record).toMatchObject({
      anyOf: [{ type: 'string' }, { type: 'object', required: ['userId'] }],
    });
    const notification = schemas.get('notifications.add');
    expect(notification?.record).toEqual(notification?.input);
    expect(schemas.get('workspace.get')).not.toHaveProperty('record');
  });

  it('support nested folders', () => {
    const output = schemas.get('folders.list')?.output;
    const folder = {
      folderId: 'f',
      organizationId: 'o',
      parentFolderId: 'root',
      createdAt: 1,
      lastUpdated: 1,
    };
    const read = fromJSONSchema(output as Parameters<typeof fromJSONSchema>[0]);
    expect(
      read.safeParse([{ ...folder, subFolders: [{ ...folder, subFolders: [] }] }]).success,
    ).toBe(true);
    expect(
      read.safeParse([{ ...folder, subFolders: [{ ...folder, subFolders: [{}] }] }]).success,
    ).toBe(false);
  });

  it('contain no command-line metadata in any operation', () => {
    expect(schemas.size).toBe(manifest.length);
    for (const [name, own] of schemas) {
      expect(own.input.$schema, name).toBe(DRAFT);
      expect(JSON.stringify(own), name).not.toMatch(/"(flag|off|as|secret)":["t]/);
    }
  });

  it('conform to the JSON Schema meta-schema', SLOW, () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const [name, own] of schemas) {
      for (const schema of Object.values(own)) {
        expect(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`).toBe(true);
      }
    }
  });

  const editor = { organizationId: 'o', documentId: 'd', editorId: 'e' };
  const place = { organizationId: 'o', users: [{ userId: 'u' }] };
  const person = { name: 'Ada', email: 'ada@example.com' };
  const token = (properties: object, ...resources: readonly object[]) => ({
    userId: 'u',
    userProperties: properties,
    permissions: { resources },
  });
  const notification = {
    organizationId: 'o',
    documentId: 'd',
    actionUser: { userId: 'u' },
    notifyUsers: [],
  };
  const shown = { displayHeadlineMessageTemplate: 'h', displayBodyMessage: 'b' };

  it.each<[OperationName, object, boolean]>([
    ['users.add', place, true],
    ['users.add', { ...place, documentId: 'd' }, true],
    ['users.add', { ...place, documentId: 'd', folderId: 'f' }, false],
    ['users.update.v2', { ...place, documentId: 'd', folderId: 'f' }, false],
    ['crdt.add', { ...editor, type: 'text', data: 'x' }, true],
    ['crdt.add', { ...editor, type: 'xml', data: {} }, false],
    ['crdt.add', { ...editor, type: 'map', data: { a: 1 } }, true],
    ['crdt.add', { ...editor, type: 'map', data: [1] }, false],
    ['crdt.update', { ...editor, type: 'array', data: [1] }, true],
    ['crdt.update', { ...editor, type: 'array', data: 'x' }, false],
    ['crdt.update', { ...editor, type: 'array' }, false],
    ['access-tokens.generate', token(person, { type: 'organization', id: 'o' }), true],
    ['access-tokens.generate', token({ ...person, organizationId: 'o' }), false],
    ['access-tokens.generate', token(person, { type: 'document', id: 'd' }), false],
    [
      'access-tokens.generate',
      token(person, { type: 'folder', id: 'f', organizationId: 'o' }),
      true,
    ],
    ['notifications.add', { ...notification, ...shown }, true],
    ['notifications.add', { ...notification, displayBodyMessage: 'b' }, false],
    ['notifications.add', { ...notification, isNotificationResolverUsed: true }, true],
    ['notifications.add', { ...notification, ...shown, notifyAll: false }, false],
    [
      'notifications.add',
      { ...notification, ...shown, notifyAll: false, notifyUsers: [{ userId: 'u' }] },
      true,
    ],
    ['email.update', {}, false],
    ['email.update', { useEmailService: true }, true],
    ['webhooks.config.update', {}, false],
    ['webhooks.advanced.update', {}, false],
    ['permission-provider.update', {}, false],
    ['webhooks.endpoints.update', { endpointId: 'ep_1' }, false],
    ['webhooks.endpoints.update', { endpointId: 'ep_1', disabled: true }, true],
  ])('agree with the validation of %s on %j: %s', async (name, input, isValid) => {
    const { resource } = manifest.find((entry) => entry.name === name) ?? expect.fail(name);
    const { input: checks } = await loadOperation(resource, name);
    const matches = new Ajv2020({ strict: false, validateFormats: false }).compile(
      schemas.get(name)?.input ?? {},
    );
    expect([checks.safeParse(input).success, matches(input)]).toEqual([isValid, isValid]);
  });
});

describe('the JSON Schema of settings files', () => {
  const schema = createSettingsSchema();
  const formats = { uri: URL.canParse, 'date-time': true, password: true } as const;
  const ajv = new Ajv2020({ strict: false, formats });

  it('accepts the example file, and suggests event types in it', SLOW, async () => {
    const example = parse(await readFile('examples/svc.yaml', 'utf8'));
    expect(ajv.validate(schema, example), ajv.errorsText()).toBe(true);
    const texts = JSON.stringify(schema);
    expect(texts).toContain(`{"enum":["comment_annotation.add",`);
    expect(texts).toContain('"huddle.join":{"type":"boolean","description":"a user joined');
  });

  it('conforms to the meta-schema, and describes every field of the file', () => {
    expect(schema.$schema).toBe(DRAFT);
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
    const undescribed = Object.entries(schema.properties ?? {}).filter(
      ([, field]) => !Object(field).description,
    );
    expect(undescribed).toEqual([]);
  });

  const webhook = (authToken: unknown) => ({
    config: { webhook: { webhookServiceConfig: { authToken } } },
  });

  it.each([
    [{ svc: 1, stack: 'acme', vars: { a: 'x', b: 1 }, users: { from: 'users.csv' } }, true],
    [{ svc: 2 }, false],
    [{ stak: 'acme' }, false],
    [webhook({ env: 'TOKEN' }), true],
    [webhook({ file: 'token.txt' }), true],
    [webhook('hush'), false],
    [{ endpoints: [{ uid: 'a', url: 'https://x.example' }] }, true],
    [{ endpoints: [{ url: 'https://x.example' }] }, false],
    [{ folders: [{ organizationId: 'o', folderId: 'f', folderNam: 'x' }] }, false],
    [{ users: [{ organizationId: 'o', userId: 'u', custom: 1 }] }, true],
    [{ userData: [{ organizationId: 'o', userId: 'u', comments: [{ any: 1 }] }] }, true],
    [
      { environments: { prod: { profile: 'prod', endpoints: [{ uid: 'a', disabled: true }] } } },
      true,
    ],
    [{ environments: { prod: { environments: {} } } }, false],
    [{ stack: 'team.web' }, false],
    [{ endpoints: [{ uid: 'team.web.p', url: 'https://x.example' }] }, false],
    [{ endpoints: [{ uid: 'ep_1', url: 'https://x.example' }] }, false],
    [{ endpoints: [{ uid: '${team}.p', url: '${hooks}/p', filterTypes: ['own.type'] }] }, true],
    [{ endpoints: [{ uid: 'a', url: 'no address', filterTypes: ['no type'] }] }, false],
  ])('%j is valid: %s', (value, isValid) => {
    expect(ajv.validate(schema, value)).toBe(isValid);
  });
});
