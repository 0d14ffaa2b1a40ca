import fc from 'fast-check';
import type * as z from 'zod/mini';
import { loadOperation } from '../../src/catalog/index.ts';
import { definitionOf } from '../../src/catalog/introspect.ts';
import { manifest, type OperationEntry } from '../../src/catalog/manifest.ts';
import { stateSchema } from '../../src/catalog/state.ts';

export interface RandomCall {
  readonly path: string;
  readonly auth: OperationEntry['auth'];
  readonly data: unknown;
}

const IDS = ['a', 'b', 'c', 'root', 'acme', 'comment.add', 'https://example.com/x', 'x@y.example'];
const id = fc.constantFrom(...IDS);
const scalar = fc.oneof(
  id,
  fc.string({ maxLength: 6 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);

/** Values that a schema accepts in most cases: texts are IDs that other calls use too. */
function arbitraryOf(schema: z.ZodMiniType): fc.Arbitrary<unknown> {
  const { type, innerType, element, valueType, shape, entries, options } = definitionOf(schema);
  if (innerType) return arbitraryOf(innerType);
  if (element) return fc.array(arbitraryOf(element), { minLength: 1, maxLength: 3 });
  if (valueType) return fc.dictionary(id, arbitraryOf(valueType), { maxKeys: 3 });
  if (shape) return objectOf(shape);
  if (entries) return fc.constantFrom(...Object.values(entries));
  if (options) return fc.oneof(...options.map(arbitraryOf));
  if (type === 'number') return fc.constantFrom(1, 2, 9_999_999_999);
  if (type === 'boolean') return fc.boolean();
  return type === 'string' ? id : fc.oneof(scalar, fc.array(scalar), fc.dictionary(id, scalar));
}

function objectOf(shape: Readonly<Record<string, z.ZodMiniType>>): fc.Arbitrary<object> {
  const fields = Object.entries(shape).map(
    ([name, schema]) => [name, arbitraryOf(schema)] as const,
  );
  const required = Object.entries(shape)
    .filter(([, schema]) => !schema.safeParse(undefined).success)
    .map(([name]) => name);
  return fc.record(Object.fromEntries(fields), {
    requiredKeys: required as never[],
  }) as fc.Arbitrary<object>;
}

/** Calls of all operations, mostly valid, and some with a field that is missing or wrong. */
export async function createRandomCalls(): Promise<fc.Arbitrary<readonly RandomCall[]>> {
  const calls = await Promise.all(
    manifest.map(async ({ name, resource, path, auth }) => {
      const { input } = await loadOperation(resource, name);
      const field = fc.constantFrom(...Object.keys(input.shape), 'unknown');
      const valid = arbitraryOf(input);
      const changed = fc
        .tuple(valid, field, fc.option(scalar))
        .map(([data, changedField, value]) => ({
          ...Object(data),
          [changedField]: value ?? undefined,
        }));
      return fc
        .oneof({ weight: 4, arbitrary: valid }, { weight: 1, arbitrary: changed })
        .map((data) => ({ path, auth, data }));
    }),
  );
  return fc.array(fc.oneof(...calls), { minLength: 40, maxLength: 60 });
}

const item = fc.record({ id, documentId: id }, { requiredKeys: [] });

/** States to import. Agents have only the fields of the interface. */
export const randomState = fc
  .record({
    organizations: fc.uniqueArray(fc.record({ organizationId: id, organizationName: id }), {
      selector: ({ organizationId }) => organizationId,
      maxLength: 3,
    }),
    folders: fc.uniqueArray(
      fc.record(
        {
          organizationId: fc.constant('acme'),
          folderId: id,
          folderName: id,
          accessType: fc.constantFrom('public', 'restricted', 'organizationPrivate'),
        },
        { requiredKeys: ['organizationId', 'folderId'] },
      ),
      { selector: ({ folderId }) => folderId, maxLength: 4 },
    ),
    documents: fc.uniqueArray(
      fc.record(
        {
          organizationId: fc.constant('acme'),
          documentId: id,
          documentName: id,
          disabled: fc.boolean(),
          accessType: fc.constantFrom('public', 'restricted'),
        },
        { requiredKeys: ['organizationId', 'documentId'] },
      ),
      { selector: ({ documentId }) => documentId, maxLength: 4 },
    ),
    agents: fc.uniqueArray(
      fc.record(
        {
          id,
          name: id,
          description: id,
          enabled: fc.boolean(),
          system: fc.boolean(),
          version: fc.nat(),
          rawInstructions: id,
          instructions: id,
          contextGathering: fc.record({ strategies: fc.array(id) }),
          executionCount: fc.nat(),
          lastExecutedAt: fc.nat(),
        },
        { requiredKeys: ['id'] },
      ),
      { selector: (agent) => agent.id, maxLength: 4 },
    ),
    userData: fc
      .array(item, { maxLength: 130 })
      .map((comments) => [{ organizationId: 'acme', userId: 'a', comments, recordings: comments }]),
  })
  .map((state) => stateSchema.parse(state));
