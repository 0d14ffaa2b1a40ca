import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import {
  decodeDocument,
  type EditorContent,
  encodeDocument,
  readContent,
  replaceContent,
} from '../../src/service/records/crdt-content.ts';
import { parseXml } from '../../src/service/records/crdt-xml.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';

/** Writes content to a state and returns the new state. */
function writeContent(content: EditorContent, state?: string): string {
  const document = decodeDocument(state);
  replaceContent(document, 'content', content);
  return encodeDocument(document);
}

/** Creates a connected client with a document that applies states as updates. */
function createClient(state: string) {
  const document = new Y.Doc();
  const apply = (newer: string) => Y.applyUpdate(document, Buffer.from(newer, 'base64'));
  apply(state);
  return { document, apply };
}

const xml = (text: string): EditorContent => ({ type: 'xml', data: parseXml(text) ?? [] });

const json = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => !JSON.stringify(value).includes('__proto__'));
const CONTENTS: { readonly [Type in EditorContent['type']]: fc.Arbitrary<EditorContent> } = {
  text: fc.record({ type: fc.constant('text'), data: fc.string({ unit: 'grapheme' }) }),
  map: fc.record({
    type: fc.constant('map'),
    data: fc.dictionary(
      fc.string({ maxLength: 2 }).filter((key) => key !== '__proto__'),
      json,
    ),
  }),
  array: fc.record({ type: fc.constant('array'), data: fc.array(json, { maxLength: 6 }) }),
  xml: fc
    .array(
      fc.constantFrom('<p>a</p>', '<p>b</p>', '<p x="1">a</p>', '<q><p/>c</q>', 'text', '<br/>'),
    )
    .map((parts) => xml(parts.join(''))),
};

describe.each(['text', 'map', 'array', 'xml'] as const)('content of type %s', (type) => {
  it('is read as written, and a client with any earlier state converges', SLOW, () => {
    fc.assert(
      fc.property(fc.array(CONTENTS[type], { minLength: 1, maxLength: 4 }), (contents) => {
        const [first, ...later] = contents as [EditorContent, ...EditorContent[]];
        let state = writeContent(first);
        const { document, apply } = createClient(state);
        for (const content of later) state = writeContent(content, state);
        apply(state);
        const expected = readContent(
          decodeDocument(writeContent(contents.at(-1) ?? first)),
          'content',
          type,
        );
        expect(readContent(decodeDocument(state), 'content', type)).toEqual(expected);
        expect(readContent(document, 'content', type)).toEqual(expected);
      }),
      { numRuns: repeats(30) },
    );
  });
});

describe('writes', () => {
  /** The change events that a write causes at a client. */
  function deltaOf(
    state: string,
    content: EditorContent,
    observe: (document: Y.Doc) => Pick<Y.Text, 'observeDeep'>,
  ) {
    const { document, apply } = createClient(state);
    const changes: unknown[] = [];
    observe(document).observeDeep((events) => {
      for (const { delta, keys } of events) changes.push({ delta, keys: [...keys.keys()].sort() });
    });
    apply(writeContent(content, state));
    return changes;
  }
  const text = (data: string): EditorContent => ({ type: 'text', data });

  it.each([
    ['Hello world', 'Hello brave world', [{ retain: 6 }, { insert: 'brave ' }]],
    ['abc', 'ac', [{ retain: 1 }, { delete: 1 }]],
    ['aaa', 'aaaa', [{ retain: 3 }, { insert: 'a' }]],
    ['x😀y', 'x😁y', [{ retain: 1 }, { delete: 2 }, { insert: '😁' }]],
    ['x😀y', 'x🐀y', [{ retain: 1 }, { delete: 2 }, { insert: '🐀' }]],
  ])('change the text %j to %j with the smallest delta', (before, after, delta) => {
    const changes = deltaOf(writeContent(text(before)), text(after), (document) =>
      document.getText('content'),
    );
    expect(changes).toEqual([{ delta, keys: [] }]);
  });

  it('do not change an equal text', () => {
    expect(
      deltaOf(writeContent(text('a')), text('a'), (document) => document.getText('content')),
    ).toEqual([]);
  });

  it('set and delete only the differing keys of a map', () => {
    const map = (data: Record<string, unknown>): EditorContent => ({ type: 'map', data });
    const state = writeContent(map({ same: { a: [1] }, gone: 1, other: 2 }));
    const next = map({ same: { a: [1] }, other: 3, constructor: null });
    const changes = deltaOf(state, next, (document) => document.getMap('content'));
    expect(changes).toEqual([{ delta: [], keys: ['constructor', 'gone', 'other'] }]);
  });

  it('replace one range of an array', () => {
    const array = (data: unknown[]): EditorContent => ({ type: 'array', data });
    const changes = deltaOf(
      writeContent(array([1, 2, 3, { a: 1 }])),
      array([1, 9, 3, { a: 1 }]),
      (document) => document.getArray('content'),
    );
    expect(changes).toEqual([{ delta: [{ retain: 1 }, { insert: [9] }, { delete: 1 }], keys: [] }]);
  });

  it('change one text deep inside XML', () => {
    const before = writeContent(xml('<doc><p>one</p><p class="a">two</p></doc>'));
    const changes = deltaOf(before, xml('<doc><p>one</p><p class="b">two!</p></doc>'), (document) =>
      document.getXmlFragment('content'),
    );
    expect(changes).toEqual(
      expect.arrayContaining([
        { delta: [], keys: ['class'] },
        { delta: [{ retain: 3 }, { insert: '!' }], keys: [] },
      ]),
    );
    expect(changes).toHaveLength(2);
  });

  it('preserve concurrent edits of a client in other places', () => {
    const state = writeContent(text('one two three'));
    const { document, apply } = createClient(state);
    document.getText('content').insert(13, ' four');
    apply(writeContent(text('one 2 three'), state));
    expect(document.getText('content').toString()).toBe('one 2 three four');
  });
});

it('a document does not gain an author with each write', () => {
  let state: string | undefined;
  for (let n = 0; n < 50; n++) state = writeContent({ type: 'text', data: `version ${n}` }, state);
  expect(
    Y.decodeStateVector(Y.encodeStateVectorFromUpdate(Buffer.from(state ?? '', 'base64'))).size,
  ).toBe(1);
});
