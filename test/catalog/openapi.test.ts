import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import type { createOpenApiDocument } from '../../src/catalog/openapi.ts';
import { SLOW } from '../slow.ts';
import { createDocument } from './openapi-document.ts';

type Document = ReturnType<typeof createOpenApiDocument>;
// biome-ignore lint/suspicious/noExplicitAny: the tests read deeply nested fields
type Deep = any;

describe('the OpenAPI document', () => {
  let document: Document;
  let paths: Readonly<Record<string, { readonly post: Deep }>>;

  beforeAll(async () => {
    document = await createDocument();
    paths = document.paths as typeof paths;
  });

  const postTo = (path: string): Deep => paths[path]?.post ?? expect.fail(`${path} is missing`);

  const validate = async (candidate: object) => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(candidate)));
    return { valid, errors, version: validator.version };
  };

  it(
    'is valid OpenAPI 3.1, according to a validator that rejects invalid documents',
    SLOW,
    async () => {
      expect(await validate(document)).toEqual({ valid: true, errors: undefined, version: '3.1' });
      const { valid } = await validate({
        ...document,
        paths: { '/v2/a': { post: { responses: { 200: {} } } } },
      });
      expect(valid).toBe(false);
    },
  );

  it('contains every path of the catalog, and unique operation IDs', () => {
    expect(Object.keys(paths).sort()).toEqual(
      [...new Set(manifest.map(({ path }) => path))].sort(),
    );
    const ids = Object.values(paths).map(({ post }) => post.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('describes every operation without command-line flags', () => {
    for (const [path, { post }] of Object.entries(paths)) {
      expect(post.description, path).toMatch(/^[A-Z].*\.$/);
      expect(post.description, path).not.toMatch(/--|\.\./);
    }
    expect(postTo('/v1/users/add').description).toContain(
      'Without a document or folder, adds users to the organization',
    );
  });

  it('has one recursive component for nested folders', () => {
    const { schemas } = document.components as Deep;
    const items = { $ref: '#/components/schemas/folder' };
    expect(schemas['folders.list.output']).toEqual({ type: 'array', items });
    expect(schemas.folder.properties.subFolders).toEqual({ type: 'array', items });
    expect(schemas['folder.v1'].properties.subFolders.items).toEqual({
      $ref: '#/components/schemas/folder.v1',
    });
    expect(JSON.stringify(schemas)).not.toContain('$defs');
  });

  it('references only existing components', () => {
    const pointers: string[] = [];
    JSON.stringify(document, (key, value) => {
      if (key === '$ref') pointers.push(value);
      return value;
    });
    expect(pointers.length).toBeGreaterThan(100);
    const leads = (pointer: string) =>
      pointer
        .slice('#/'.length)
        .split('/')
        .reduce((node: Deep, name) => node?.[name], document);
    expect(
      pointers.filter((pointer) => !pointer.startsWith('#/') || leads(pointer) === undefined),
    ).toEqual([]);
  });

  it('declares the credentials of each kind of operation', () => {
    expect(document.components.securitySchemes).toEqual({
      apiKey: { type: 'apiKey', in: 'header', name: 'x-own-api-key' },
      authToken: { type: 'apiKey', in: 'header', name: 'x-own-auth-token' },
      workspaceId: { type: 'apiKey', in: 'header', name: 'x-own-workspace-id' },
      workspaceAuthToken: { type: 'apiKey', in: 'header', name: 'x-own-workspace-auth-token' },
    });
    expect(postTo('/v1/users/add').security).toEqual([{ apiKey: [], authToken: [] }]);
    expect(postTo('/v2/workspace/get').security).toEqual([
      { workspaceId: [], workspaceAuthToken: [] },
    ]);
    expect(postTo('/v2/workspace/create').security).toEqual([]);
  });

  it('wraps the request in data and the response in result', () => {
    const { requestBody, responses } = postTo('/v1/users/add');
    expect(requestBody.content['application/json'].schema).toEqual({
      type: 'object',
      properties: { data: { $ref: '#/components/schemas/users.add.input' } },
      required: ['data'],
    });
    expect(
      responses['200'].content['application/json'].schema.properties.result.properties,
    ).toEqual({
      status: { const: 'success' },
      message: { type: 'string' },
      data: { $ref: '#/components/schemas/users.add.output' },
    });
  });

  it('lists the status codes of each HTTP status', () => {
    const { responses } = postTo('/v1/users/add');
    expect(Object.keys(responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '429',
      '499',
      '500',
      '501',
      '503',
      '504',
    ]);
    expect(document.components.responses['failure-400']?.['description']).toBe(
      'INVALID_ARGUMENT, FAILED_PRECONDITION, OUT_OF_RANGE',
    );
  });

  it('includes both operations of a shared path', () => {
    const { requestBody } = postTo('/v2/agents/get');
    expect(requestBody.content['application/json'].schema.properties.data.anyOf).toEqual([
      { $ref: '#/components/schemas/agents.list.input' },
      { $ref: '#/components/schemas/agents.get.input' },
    ]);
  });
});
