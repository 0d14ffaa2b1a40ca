import { describe, expect, it } from 'vitest';
import { dropImports, mergeStubs } from '../../packaging/bundle/merge-stubs.ts';

const CHUNK = 'import{a as f}from"./shared.js";var x=f,y=2;export{x as a,y as b};\n';
const STUB = 'import{a,b as c}from"./chunk.js";import"./shared.js";export{a as load,c as size};\n';
const MAIN = 'let{load:l}=await import("./chunks/stub.js"),{size:s}=await import("./other.js");';

function merge(files: Readonly<Record<string, string>>) {
  const all = {
    'main.js': MAIN,
    'chunks/chunk.js': CHUNK,
    'chunks/shared.js': 'var f=1;export{f as a};',
    ...files,
  };
  return mergeStubs(new Map(Object.entries(all)), ['stub.js']);
}

describe('a file that only re-exports a chunk', () => {
  it('is merged with the chunk', () => {
    const merged = merge({ 'chunks/stub.js': STUB });
    expect([...merged.keys()]).toEqual(['main.js', 'chunks/chunk.js', 'chunks/shared.js']);
    expect(merged.get('main.js')).toBe(MAIN.replace('stub.js', 'chunk.js'));
    expect(merged.get('chunks/chunk.js')).toMatch(/export\{x as load,y as size\};\n$/);
  });

  it('leaves the exports of the chunk that other files import', () => {
    const merged = merge({
      'chunks/stub.js': STUB,
      'chunks/user.js': 'import{b as z}from"./chunk.js";',
    });
    expect(merged.get('chunks/chunk.js')).toMatch(/export\{y as b,x as load,y as size\};\n$/);
  });

  it('takes a name that the chunk uses for something else', () => {
    const merged = merge({
      'chunks/stub.js': STUB.replace('c as size', 'c as a'),
      'chunks/user.js': 'import{a as z,b}from"./chunk.js";',
    });
    expect(merged.get('chunks/chunk.js')).toMatch(
      /export\{x as a\$own,y as b,x as load,y as a\};\n$/,
    );
    expect(merged.get('chunks/user.js')).toBe('import{a$own as z,b as b}from"./chunk.js";');
  });

  it.each([
    ['has code of its own', `var z=1;${STUB}`],
    [
      'loads a file that the chunk does not load',
      STUB.replace('import"./shared.js"', 'import"./extra.js"'),
    ],
    ['re-exports two chunks', `import{z}from"./shared.js";${STUB}`],
  ])('is kept if it %s', (_, stub) => {
    const merged = merge({ 'chunks/stub.js': stub, 'chunks/extra.js': '' });
    expect(merged.get('chunks/stub.js')).toBe(stub);
    expect(merged.get('main.js')).toBe(MAIN);
    expect(merged.get('chunks/chunk.js')).toBe(CHUNK);
  });
});

it('only imports without names are dropped', () => {
  const code =
    'import"./own.js";import{a}from"./own.js";import"./own.json";import"./chunks/own.js";';
  expect(dropImports(new Map([['main.js', code]]), 'own.js').get('main.js')).toBe(
    'import{a}from"./own.js";import"./own.json";',
  );
});
