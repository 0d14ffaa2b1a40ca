import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AMERICAN, PHRASES } from './phrases.ts';

/** A place in the project's text that breaks a language rule. */
export interface ProseFault {
  readonly file: string;
  readonly line: number;
  readonly rule: 'phrase' | 'pronoun' | 'shared-name' | 'error-name';
  readonly text: string;
}

const PAGES = ['*.md', 'docs/*.md', '.changeset/*.md', 'examples/**/*.md'];
const SOURCES = [
  '{src,pages,test,packaging}/**/*.{ts,tsx}',
  'bin/*.js',
  'docs/generate/*.ts',
  '*.config.ts',
];

/** The tests of this check contain faults. */
const PLANTED_FAULTS = 'test/architecture/prose.test.ts';

/** Delimiter of a quoted block in a page: program output or code. */
const FENCE = /^\s*```/;

/**
 * Finds all faults in the project in `folder`: phrases in pages and sources, doc comments, and names
 * of types and functions.
 */
export function proseFaults(folder: string): readonly ProseFault[] {
  const read = (patterns: readonly string[]) =>
    globSync([...patterns], { cwd: folder })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => !file.includes('node_modules/') && file !== PLANTED_FAULTS)
      .sort()
      .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
  const sources = read(SOURCES);
  return [
    ...read(PAGES).flatMap(({ file, text }) => phraseFaults(file, linesOfPage(text))),
    ...sources.flatMap(({ file, text }) => phraseFaults(file, linesOfSource(text))),
    ...sources.flatMap(({ file, text }) => pronounFaults(file, text)),
    ...sources.flatMap(({ file, text }) => errorNames(file, text)),
    ...sharedNames(sources.filter(({ file }) => file.startsWith('src/'))),
  ];
}

interface Line {
  readonly line: number;
  readonly text: string;
}

function linesOfPage(text: string): readonly Line[] {
  let isCode = false;
  return text.split('\n').flatMap((content, at) => {
    if (FENCE.test(content)) isCode = !isCode;
    return isCode ? [] : { line: at + 1, text: content.replaceAll(/`[^`]*`/g, '``') };
  });
}

/** Returns the lines of comments and of string literals with several words. */
function linesOfSource(text: string): readonly Line[] {
  return text.split('\n').flatMap((content, at) => {
    const comment = /^\s*(?:\/\*\*?|\*|\/\/)(.*)$/.exec(content) ?? /\s\/\/ (.*)$/.exec(content);
    const strings = Array.from(
      content.matchAll(/(['"`])((?:(?!\1)[^\\]|\\.)* (?:(?!\1)[^\\]|\\.)*)\1/g),
      ([, , words]) => words,
    );
    const prose = [comment?.[1] ?? '', ...(comment ? [] : strings)]
      .join(' ')
      .replaceAll(/`[^`]*`/g, '``');
    return prose.trim() === '' ? [] : { line: at + 1, text: prose };
  });
}

/** The phrases with patterns that find every occurrence. Compiled once for all lines. */
const EVERY_PHRASE = PHRASES.map(({ pattern, instead }) => ({
  pattern: new RegExp(pattern, 'gm'),
  instead,
}));

function phraseFaults(file: string, lines: readonly Line[]): readonly ProseFault[] {
  return lines.flatMap(({ line, text }) =>
    EVERY_PHRASE.flatMap(({ pattern, instead }): ProseFault[] => {
      const found = text.match(pattern) ?? [];
      const faults = found.filter((words) => !AMERICAN.test(words));
      return faults.map((words) => ({
        file,
        line,
        rule: 'phrase',
        text: `'${words}': ${instead}`,
      }));
    }),
  );
}

const PRONOUN =
  /\/\*\*\s*(?:\*\s*)?(It|Its|They|Their|Those|These|The same|The others?|Whoever|What|Where|Who|Whom|Which|As|Of|So|Also|Ignores|Never|In place of|Without)\b/g;

function pronounFaults(file: string, text: string): readonly ProseFault[] {
  return Array.from(text.matchAll(PRONOUN), (match) => ({
    file,
    line: text.slice(0, match.index).split('\n').length,
    rule: 'pronoun',
    text: `a doc comment starts with '${match[1]}'`,
  }));
}

/** Functions whose names end in `Error`, except those that start with another verb than `create`. */
const ERROR_FUNCTION =
  /\bfunction ((?!create|to|is|describe|find|report|render|throw|catch|discard|ignore|interpret|\w+Of)\w+Error)\b/g;

function errorNames(file: string, text: string): readonly ProseFault[] {
  return Array.from(text.matchAll(ERROR_FUNCTION), ({ 1: name = '', index }) => ({
    file,
    line: text.slice(0, index).split('\n').length,
    rule: 'error-name',
    text: `${name}: functions that create errors are named create…Error`,
  }));
}

const EXPORTED_TYPE = /^export (?:interface|type|(?:abstract )?class) (\w+)/gm;
const EXPORTED_FUNCTION = /^export (?:async )?function\*? (\w+)/gm;

/**
 * Type names that two layers use deliberately for different things, with the reason. Names within
 * one layer are never shared.
 */
const SHARED_BY_LAYERS: ReadonlyMap<string, string> = new Map([
  [
    'Client',
    'the library offers the client of its layer under the same name, with the types of the catalog',
  ],
  [
    'OperationName',
    'the library offers the names of the catalog without those that need a workspace',
  ],
]);

interface Source {
  readonly file: string;
  readonly text: string;
}

/** Finds names of types that two files export, and names of functions that two files of a layer export. */
function sharedNames(sources: readonly Source[]): readonly ProseFault[] {
  const isAllowed = (name: string, layers: ReadonlySet<string>) =>
    layers.size > 1 && SHARED_BY_LAYERS.has(name);
  return [
    ...sharedExports(sources, EXPORTED_TYPE, 'a type').filter(
      ({ name, layers }) => !isAllowed(name, layers),
    ),
    ...sharedExports(sources, EXPORTED_FUNCTION, 'a function').filter(
      ({ layers }) => layers.size === 1,
    ),
  ].map(({ fault }) => fault);
}

interface SharedExport {
  readonly name: string;
  /** Layers of the two files. */
  readonly layers: ReadonlySet<string>;
  readonly fault: ProseFault;
}

function sharedExports(
  sources: readonly Source[],
  pattern: RegExp,
  kind: string,
): readonly SharedExport[] {
  const found = sources.flatMap(({ file, text }) =>
    Array.from(text.matchAll(pattern), ({ 1: name = '', index }) => {
      const [, layer = ''] = file.split('/');
      return { name, layer, file, line: text.slice(0, index).split('\n').length };
    }),
  );
  return Array.from(Map.groupBy(found, ({ name }) => name).values()).flatMap((same) =>
    same.flatMap((other, at) =>
      same.slice(0, at).map(({ layer, file }) => {
        const text = `${other.name} is also the name of ${kind} in ${file}`;
        const fault = { file: other.file, line: other.line, rule: 'shared-name', text } as const;
        return { name: other.name, layers: new Set([layer, other.layer]), fault };
      }),
    ),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = proseFaults(join(import.meta.dirname, '../..'));
  for (const { file, line, rule, text } of faults) console.log(`${file}:${line}: ${rule}: ${text}`);
  console.log(
    faults.length === 0 ? 'no faults in the prose' : `${faults.length} faults in the prose`,
  );
  process.exitCode = faults.length === 0 ? 0 : 1;
}
