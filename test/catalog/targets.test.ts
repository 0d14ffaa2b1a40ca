import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/catalog/define.ts';
import { loadOperation } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { rejectSelectingFields } from '../../src/catalog/selecting-fields.ts';
import { findTargetIdProblems } from '../../src/catalog/target-ids.ts';

const known = { apiKey: 'key', last: (field: string) => `last-${field}` };
const operations: readonly (readonly [string, Operation])[] = await Promise.all(
  manifest.map(async ({ resource, name }) => [name, await loadOperation(resource, name)] as const),
);

/** The fields of the API's description that name an organization, folder, document, group, endpoint, or editor. */
const TARGETS = [
  'organizationId',
  'folderId',
  'parentFolderId',
  'documentId',
  'documentIds',
  'newDocumentId',
  'groupId',
  'organizationUserGroupId',
  'endpointId',
  'editorId',
];

/** Yields the input with a space after each ID of a target, one at a time. */
function* withSpaces(value: unknown, isTarget = false): Generator<unknown> {
  if (typeof value === 'string') {
    if (isTarget) yield `${value} `;
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries())
      for (const changed of withSpaces(item, isTarget)) yield value.with(at, changed);
  } else if (typeof value === 'object' && value !== null) {
    const isResource = 'accessRole' in value && 'type' in value;
    for (const [name, inner] of Object.entries(value)) {
      const isId = TARGETS.includes(name) || (isResource && name === 'id');
      for (const changed of withSpaces(inner, isId)) yield { ...value, [name]: changed };
    }
  }
}

it.each(operations.filter(([, { sample }]) => !withSpaces(sample(known)).next().done))(
  '%s refuses a space after the ID of a target',
  (_, { sample, input }) => {
    for (const changed of withSpaces(sample(known)))
      expect([findTargetIdProblems(input, changed).length, changed]).toEqual([1, changed]);
  },
);

describe.each(operations)('%s', (_, operation) => {
  const sample = operation.sample(known);

  it.each([
    ['org', 'beta'],
    ['Organisation', 'beta'],
    ['organization', { id: 'beta' }],
    ['folder', 'f1'],
    ['doc_id', 'd1'],
    ['document', 'd1'],
    ['User Group', 'g1'],
    ['role', 'viewer'],
    ['Access Role', 'viewer'],
    ['userRole', 'editor'],
  ])('refuses %s, unless it is kept', (name, value) => {
    const input = { ...sample, [name]: value };
    expect(() => rejectSelectingFields(operation, input)).toThrow(`unknown field '${name}'`);
    expect(() => rejectSelectingFields(operation, input, [name])).not.toThrow();
    expect(() => rejectSelectingFields(operation, sample)).not.toThrow();
  });
});

it('a field of a nested object that selects its target or role is refused', async () => {
  const operation = await loadOperation('permissions', 'permissions.add');
  const input = (resource: object, user: object = {}) => ({
    user: { userId: 'u1', ...user },
    permissions: { resources: [{ type: 'document', id: 'd1', ...resource }] },
  });
  for (const resource of [{ accessrole: 'viewer' }, { role: 'owner' }, { org: 'acme' }])
    expect(() => rejectSelectingFields(operation, input(resource))).toThrow(
      `unknown field 'permissions.resources[0].${Object.keys(resource)[0]}'`,
    );
  expect(() => rejectSelectingFields(operation, input({}, { role: 'Designer' }))).not.toThrow();
});
