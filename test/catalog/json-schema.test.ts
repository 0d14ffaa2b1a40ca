import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { loadOperation, type OperationName } from '../../src/catalog/index.ts';
import { type OperationSchemas, operationSchemas } from '../../src/catalog/json-schema.ts';
import { manifest } from '../../src/catalog/manifest.ts';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

describe('the JSON Schemas of an operation', () => {
  let schemas: ReadonlyMap<OperationName, OperationSchemas>;

  beforeAll(async () => {
    const loaded = manifest.map(
      async ({ resource, name }) => [name, operationSchemas(await loadOperation(resource, name))] as const,
    );
    schemas = new Map(await Promise.all(loaded));
  });

  it('say what goes in', () => {
    expect(schemas.get('documents.migrate')?.input).toEqual({
      $schema: DRAFT,
      type: 'object',
      properties: {
        organizationId: { type: 'string', minLength: 1, description: 'organization id' },
        documentId: { type: 'string', minLength: 1, description: 'document id' },
        newDocumentId: { type: 'string', minLength: 1, description: 'id the document gets' },
      },
      required: ['organizationId', 'documentId', 'newDocumentId'],
    });
  });

  it('say what comes out, secrets marked', () => {
    expect(schemas.get('access-tokens.generate')?.output).toEqual({
      $schema: DRAFT,
      type: 'object',
      properties: { token: { type: 'string', description: 'signed token', format: 'password' } },
      required: ['token'],
      additionalProperties: {},
    });
  });

  it('say what one record of a file is: an object, a bare id or an object with it, or the input of a call', () => {
    expect(schemas.get('users.add')?.record).toMatchObject({ type: 'object', required: ['userId'] });
    expect(schemas.get('groups.add-users')?.record).toMatchObject({
      anyOf: [{ type: 'string' }, { type: 'object', required: ['userId'] }],
    });
    const notification = schemas.get('notifications.add');
    expect(notification?.record).toEqual(notification?.input);
    expect(schemas.get('workspace.get')).not.toHaveProperty('record');
  });

  it('follow folders inside of folders', () => {
    const output = schemas.get('folders.list')?.output;
    const folder = { folderId: 'f', organizationId: 'o', parentFolderId: 'root', createdAt: 1, lastUpdated: 1 };
    const read = z.fromJSONSchema(output as Parameters<typeof z.fromJSONSchema>[0]);
    expect(read.safeParse([{ ...folder, subFolders: [{ ...folder, subFolders: [] }] }]).success).toBe(true);
    expect(read.safeParse([{ ...folder, subFolders: [{ ...folder, subFolders: [{}] }] }]).success).toBe(false);
  });

  it('hold nothing of the command line, in any operation', () => {
    expect(schemas.size).toBe(manifest.length);
    for (const [name, own] of schemas) {
      expect(own.input.$schema, name).toBe(DRAFT);
      expect(JSON.stringify(own), name).not.toMatch(/"(flag|off|as|secret)":["t]/);
    }
  });
});
