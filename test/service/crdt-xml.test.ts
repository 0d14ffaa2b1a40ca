import { describe, expect, it } from 'vitest';
import { formatXml, parseXml } from '../../src/service/records/crdt-xml.ts';

const element = (name: string, children: unknown[] = [], attributes: [string, string][] = []) => ({
  name,
  attributes: new Map(attributes),
  children,
});

describe('XML content', () => {
  it.each([
    ['', []],
    ['just text', ['just text']],
    ['<p>Hi <b>there</b></p>', [element('p', ['Hi ', element('b', ['there'])])]],
    ['a<br/>b', ['a', element('br'), 'b']],
    [
      `<a x="1" y='"2"'  z = "&lt;"></a >`,
      [
        element(
          'a',
          [],
          [
            ['x', '1'],
            ['y', '"2"'],
            ['z', '<'],
          ],
        ),
      ],
    ],
    ['&lt;&#65;&#x1F642;&amp;&quot;&apos;', ['<A🙂&"\'']],
    ['a<![CDATA[<b>&amp;]]>c', ['a<b>&amp;c']],
    ['a<!-- <b> -->c', ['ac']],
    ['  <p>\n</p>', ['  ', element('p', ['\n'])]],
    ['<ns:é-1 a.b="x"/>', [element('ns:é-1', [], [['a.b', 'x']])]],
  ])('parses %j', (text, nodes) => {
    expect(parseXml(text)).toEqual(nodes);
  });

  it.each([
    '<',
    '<p',
    '<p>',
    '</p>',
    '<p></q>',
    '<p><b></p></b>',
    '<p a></p>',
    '<p a=1/>',
    '<p a="1" a="2"/>',
    '<p a="<"/>',
    '<p __proto__="x"/>',
    '<1/>',
    '&nbsp;',
    '&',
    'a & b',
    '&#0;',
    '&#xD800;',
    '&#x110000;',
    '<!-- a -- b -->',
    '<![CDATA[x',
    '<?xml version="1.0"?><p/>',
    '<!DOCTYPE p [<!ENTITY x "y">]><p>&x;</p>',
    '<p>'.repeat(200_000),
    `${'<p>'.repeat(200)}${'</p>'.repeat(200)}`,
    `<a ${'x'.repeat(200_000)}`,
    `<a${' '.repeat(200_000)}=`,
    `<a${' b="c"'.repeat(50_000)}`,
  ])('rejects %.60j without delay', (text) => {
    const before = performance.now();
    expect(parseXml(text)).toBeUndefined();
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  it.each(['<p a="&lt;&quot;">x &amp; y&lt;<br/></p>', 'text', '', '<a b="1" c="2"><d/>e</a>'])(
    'formats %j as it was parsed',
    (text) => {
      expect(formatXml(parseXml(text) ?? [])).toBe(text);
    },
  );
});
