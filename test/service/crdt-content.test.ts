import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import {
  type Content,
  contentOf,
  openDocument,
  replaceContent,
  stateOf,
} from '../../src/service/records/crdt-content.ts';
import { parseXml } from '../../src/service/records/crdt-xml.ts';

/** The state after content was written over another state. */
function written(content: Content, state?: string): string {
  const document = openDocument(state);
  replaceContent(document, 'content', content);
  return stateOf(document);
}

/** A connected client: its own document, which takes states as updates. */
function client(state: string) {
  const document = new Y.Doc();
  const take = (newer: string) => Y.applyUpdate(document, Buffer.from(newer, 'base64'));
  take(state);
  return { document, take };
}

const xml = (text: string): Content => ({ type: 'xml', data: parseXml(text) ?? [] });

const json = fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('__proto__'));
const CONTENTS: { readonly [Type in Content['type']]: fc.Arbitrary<Content> } = {
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
    .array(fc.constantFrom('<p>a</p>', '<p>b</p>', '<p x="1">a</p>', '<q><p/>c</q>', 'text', '<br/>'))
    .map((parts) => xml(parts.join(''))),
};

describe.each(['text', 'map', 'array', 'xml'] as const)('content of type %s', (type) => {
  it('reads as it was written, and a client that had any earlier state converges', () => {
    fc.assert(
      fc.property(fc.array(CONTENTS[type], { minLength: 1, maxLength: 4 }), (contents) => {
        const [first, ...later] = contents as [Content, ...Content[]];
        let state = written(first);
        const { document, take } = client(state);
        for (const content of later) state = written(content, state);
        take(state);
        const wanted = contentOf(openDocument(written(contents.at(-1) ?? first)), 'content', type);
        expect(contentOf(openDocument(state), 'content', type)).toEqual(wanted);
        expect(contentOf(document, 'content', type)).toEqual(wanted);
      }),
      { numRuns: 60 },
    );
  });
});

describe('operations', () => {
  /** What a client hears of a write, as Yjs tells it. */
  function deltaOf(state: string, content: Content, observe: (document: Y.Doc) => Pick<Y.Text, 'observeDeep'>) {
    const { document, take } = client(state);
    const heard: unknown[] = [];
    observe(document).observeDeep((events) => {
      for (const { delta, keys } of events) heard.push({ delta, keys: [...keys.keys()].sort() });
    });
    take(written(content, state));
    return heard;
  }
  const text = (data: string): Content => ({ type: 'text', data });

  it.each([
    ['Hello world', 'Hello brave world', [{ retain: 6 }, { insert: 'brave ' }]],
    ['abc', 'ac', [{ retain: 1 }, { delete: 1 }]],
    ['aaa', 'aaaa', [{ retain: 3 }, { insert: 'a' }]],
    ['x😀y', 'x😁y', [{ retain: 1 }, { delete: 2 }, { insert: '😁' }]],
    ['x😀y', 'x🐀y', [{ retain: 1 }, { delete: 2 }, { insert: '🐀' }]],
  ])('make the text %j into %j in the least place', (before, after, delta) => {
    const heard = deltaOf(written(text(before)), text(after), (document) => document.getText('content'));
    expect(heard).toEqual([{ delta, keys: [] }]);
  });

  it('leave a text that is the same alone', () => {
    expect(deltaOf(written(text('a')), text('a'), (document) => document.getText('content'))).toEqual([]);
  });

  it('set and delete the keys of a map that differ', () => {
    const map = (data: Record<string, unknown>): Content => ({ type: 'map', data });
    const state = written(map({ same: { a: [1] }, gone: 1, other: 2 }));
    const next = map({ same: { a: [1] }, other: 3, constructor: null });
    const heard = deltaOf(state, next, (document) => document.getMap('content'));
    expect(heard).toEqual([{ delta: [], keys: ['constructor', 'gone', 'other'] }]);
  });

  it('replace one stretch of an array', () => {
    const array = (data: unknown[]): Content => ({ type: 'array', data });
    const heard = deltaOf(written(array([1, 2, 3, { a: 1 }])), array([1, 9, 3, { a: 1 }]), (document) =>
      document.getArray('content'),
    );
    expect(heard).toEqual([{ delta: [{ retain: 1 }, { insert: [9] }, { delete: 1 }], keys: [] }]);
  });

  it('change one text deep inside XML', () => {
    const before = written(xml('<doc><p>one</p><p class="a">two</p></doc>'));
    const heard = deltaOf(before, xml('<doc><p>one</p><p class="b">two!</p></doc>'), (document) =>
      document.getXmlFragment('content'),
    );
    expect(heard).toEqual(
      expect.arrayContaining([
        { delta: [], keys: ['class'] },
        { delta: [{ retain: 3 }, { insert: '!' }], keys: [] },
      ]),
    );
    expect(heard).toHaveLength(2);
  });

  it('keep what a client writes elsewhere at the same time', () => {
    const state = written(text('one two three'));
    const { document, take } = client(state);
    document.getText('content').insert(13, ' four');
    take(written(text('one 2 three'), state));
    expect(document.getText('content').toString()).toBe('one 2 three four');
  });
});

it('a document does not grow by an author with each write', () => {
  let state: string | undefined;
  for (let n = 0; n < 50; n++) state = written({ type: 'text', data: `version ${n}` }, state);
  expect(Y.decodeStateVector(Y.encodeStateVectorFromUpdate(Buffer.from(state ?? '', 'base64'))).size).toBe(1);
});
