import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { compileOnReuse } from '../../src/catalog/compiled-schema.ts';
import { loadOperation } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { createRandomCalls } from '../contract/random-calls.ts';
import { eventually } from '../eventually.ts';
import { SLOW } from '../slow.ts';

async function inputSchemas() {
  const loaded = await Promise.all(
    manifest.map(async ({ name, path, resource }) => {
      const { input } = await loadOperation(resource, name);
      return [path, input] as const;
    }),
  );
  return new Map(loaded);
}

/** Uses a schema until it is compiled. */
async function compiled(schema: z.ZodMiniType): Promise<void> {
  await eventually(() => expect(compileOnReuse(schema)).not.toBe(schema), 1);
}

function resultOf(schema: z.ZodMiniType, value: unknown) {
  const { success, data, error } = schema.safeParse(value);
  return { success, data, issues: error?.issues };
}

describe('a schema that is used again', () => {
  it('is replaced by a compiled one', async () => {
    const schema = z.object({ id: z.string() });
    expect(compileOnReuse(schema)).toBe(schema);
    await compiled(schema);
    expect(compileOnReuse(schema)).toBe(compileOnReuse(schema));
    expect(compileOnReuse(schema).safeParse({ id: 'a' })).toEqual({
      success: true,
      data: { id: 'a' },
    });
  });

  it('accepts and reports the same', SLOW, async () => {
    const schemas = await inputSchemas();
    for (const schema of schemas.values()) await compiled(schema);
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
