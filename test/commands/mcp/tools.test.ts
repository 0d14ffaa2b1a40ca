import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { manifest } from '../../../src/catalog/manifest.ts';
import { createTools } from '../../../src/commands/mcp/tools.ts';

const EVERY = { writes: true, remote: true, hasPlainOutput: true, runners: [] };

describe('MCP tools', () => {
  it('have valid JSON Schemas that compile', async () => {
    const tools = await createTools(EVERY);
    expect(tools.size).toBe(manifest.length);
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });
    for (const [name, { tool }] of tools) {
      const { inputSchema, outputSchema = expect.fail(name) } = JSON.parse(JSON.stringify(tool));
      for (const schema of [inputSchema, outputSchema]) {
        expect(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`).toBe(true);
        expect(ajv.compile(schema), name).toBeTypeOf('function');
      }
    }
  });

  it('have no conditions at the top of an input schema, which some hosts reject', async () => {
    for (const [name, { tool }] of await createTools(EVERY)) {
      const conditions = ['oneOf', 'anyOf', 'allOf', 'not', 'if', 'enum'].filter(
        (key) => key in tool.inputSchema,
      );
      expect(conditions, name).toEqual([]);
    }
  });
});
