import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { compileOnReuse } from '../../src/catalog/compiled-schema.ts';
import { loadOperation } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { createRandomCalls } from '../contract/random-calls.ts';

async function inputSchemas() {
  const loaded = await Promise.all(
    manifest.map(async ({ name, path, resource }) => {
      const { input } = await loadOperation(resource, name);
      return [path, input] as const;
    }),
  );
  return new Map(loaded);
}

function resultOf(schema: z.ZodMiniType, value: unknown) {
  const { success, data, error } = schema.safeParse(value);
  return { success, data, issues: error?.issues };
}

describe('a schema that is used again', () => {
  it('is replaced by a compiled one', async () => {
    const [schema] = (await inputSchemas()).values();
    if (!schema) throw new Error('no schema');
    expect([compileOnReuse(schema), compileOnReuse(schema)]).toEqual([schema, schema]);
    await expect.poll(() => compileOnReuse(schema) === schema).toBe(false);
    expect(compileOnReuse(schema)).toBe(compileOnReuse(schema));
  });

  it('accepts and reports the same', async () => {
    const schemas = await inputSchemas();
    for (const schema of schemas.values()) {
      compileOnReuse(schema);
      compileOnReuse(schema);
    }
    for (const schema of schemas.values())
      await expect.poll(() => compileOnReuse(schema) === schema).toBe(false);
    await fc.assert(
      fc.asyncProperty(await createRandomCalls(), async (calls) => {
        for (const { path, data } of calls) {
          const schema = schemas.get(path);
          if (!schema) throw new Error(`no schema for ${path}`);
          expect(resultOf(compileOnReuse(schema), data)).toEqual(resultOf(schema, data));
        }
      }),
    );
  });
});
