import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument, readDocumentText } from '../../../src/bulk/source/document.ts';
import { joinTexts } from '../../../src/output/renderer.ts';
import { yamlRenderer } from '../../../src/output/yaml.ts';
import { SLOW } from '../../slow.ts';

async function read(text: string, { signal } = new AbortController()): Promise<unknown> {
  const stdin = { stream: Readable.from([Buffer.from(text)]) };
  return parseDocument(await readDocumentText({ file: '-', cwd: '/', stdin, signal }), signal);
}

describe('one value', () => {
  it.each([
    ['a: 1\nb: 1e3\nc: 0x10\nd: "1"', { a: 1, b: 1000, c: 16, d: '1' }],
    ['a: true\nb: yes\nc: ~\nd:\ne: null', { a: true, b: 'yes', c: null, d: null, e: null }],
    ['a: 2024-01-02\nb: 12:30', { a: '2024-01-02', b: '12:30' }],
    ['a: &x {b: 1}\nc:\n  <<: *x\n  d: 2', { a: { b: 1 }, c: { b: 1, d: 2 } }],
    ['a: 9007199254740992', { a: 9_007_199_254_740_992 }],
    [' \n{"a": [1, "1"]}', { a: [1, '1'] }],
    ['# only a comment', null],
  ])('%s', async (text, value) => {
    expect(await read(text)).toEqual(value);
  });

  it.each([
    ['a: 12345678901234567890', 'stdin:1:4: the number 12345678901234567890 would lose digits'],
    ['{"a": 12345678901234567890}', 'stdin:1:7: the number 12345678901234567890 would lose digits'],
    ['a: 1\na: 2', 'stdin:2:1: a field occurs twice in one record'],
    ['a: 1\n---\nb: 2', 'stdin:2:1: a second document begins here'],
    ['{"a": 1', 'stdin:1:8: '],
    ['a: *x', 'stdin:1:1: unresolved alias'],
    ['\n \t', 'stdin: the input is empty'],
  ])('%s is refused', async (text, message) => {
    const refusal = { failure: 'invalid_input', message: expect.stringContaining(message) };
    await expect(read(text)).rejects.toMatchObject(refusal);
  });

  it('comes back from JSON and from the YAML that svc prints', SLOW, async () => {
    const value = fc
      .dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
      .map((any) => JSON.parse(JSON.stringify(any)));
    await fc.assert(
      fc.asyncProperty(value, async (given) => {
        expect(await read(JSON.stringify(given))).toEqual(given);
        expect(await read(joinTexts(await yamlRenderer.value(given)))).toEqual(given);
      }),
    );
  });

  it('stops parsing a long YAML text when the signal is aborted', async () => {
    const abort = new AbortController();
    const text = '- { id: a, name: b }\n'.repeat(20_000);
    const stopped = new Error('stopped');
    setTimeout(() => abort.abort(stopped), 50);
    await expect(read(text, abort)).rejects.toBe(stopped);
  });
});
