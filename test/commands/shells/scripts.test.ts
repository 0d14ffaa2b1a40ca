import { describe, expect, it } from 'vitest';
import { readCompletionScript } from '../../../src/commands/shells/shells.ts';

const BASH = withoutComments(await readCompletionScript('bash'));
const POWERSHELL = withoutComments(await readCompletionScript('powershell'));

function withoutComments(script: string): string {
  return script.replace(/^#.*\n/gm, '');
}

/**
 * Constructs of bash, with the version that added them and a line that uses them. The bash 3.2 of
 * macOS fails at the first of them. Debian has no bash 3.2, so the script is searched instead.
 */
const NEWER: readonly (readonly [since: string, construct: RegExp, sample: string])[] = [
  ['4.0', /\b(declare|local|typeset) -\w*A/, 'local -A seen'],
  ['4.0', /\b(mapfile|readarray|coproc)\b/, 'mapfile -t words'],
  ['4.0', /\bcompopt\b(?!.*2>\/dev\/null)/, 'compopt -o filenames'],
  ['4.0', /\$\{[\w@*[\]]+[,^]/, `word=\${word,,}`],
  ['4.0', /&>>|\|&|;&|;;&/, 'svc |& read -r line'],
  ['4.0', /\{\w+\.\.\w+\.\.\w+\}/, 'for at in {1..9..2}; do'],
  ['4.0', /\bread\b[^;|]*\s-\w*[iN]/, 'read -N 1 char'],
  ['4.1', /\bprintf -v \w+\[/, 'printf -v words[0] x'],
  ['4.1', /\{\w+\}[<>]/, 'exec {input}<file'],
  ['4.2', /\[\[ -v |\btest -v /, '[[ -v COMP_WORDS ]]'],
  ['4.2', /\$'[^']*\\[uU]/, "word=$'\\u00e9'"],
  ['4.2', /\$\{\w+:[^}:]*:\s*-/, `word=\${word:0:-1}`],
  ['4.3', /\[-\d+\]/, `word=\${words[-1]}`],
  ['4.3', /\b(declare|local|typeset) -\w*n/, 'local -n words=$1'],
  ['4.4', /\$\{\w+@\w\}/, `word=\${word@Q}`],
  [
    'bash-completion',
    /\b(_init_completion|_get_comp_words_by_ref|__ltrim_colon_completions|_filedir)\b/,
    '_filedir',
  ],
];

describe('the script for bash', () => {
  it.each(NEWER)('uses no feature of %s: %s', (_since, construct, sample) => {
    expect(sample).toMatch(construct);
    expect(BASH.split('\n').filter((line) => construct.test(line))).toEqual([]);
  });

  it('evaluates nothing', () => {
    expect(BASH).not.toMatch(/\beval\b|\bcompgen\b|\$\(|[^\\]`/);
  });
});

/**
 * PowerShell's brackets with what stands in them, its strings left out: a single quote is doubled,
 * a backtick escapes.
 */
function brackets(script: string): string {
  const code = script.replace(/'(?:[^']|'')*'|"(?:[^"`]|`.|"")*"/gs, '');
  expect(code).not.toMatch(/['"]/);
  return code.replace(/[^(){}[\]]/g, '');
}

/**
 * There is no PowerShell to run it with: what can be seen in it is whether it hangs together, and
 * what it calls.
 */
describe('the script for PowerShell', () => {
  it('has balanced brackets', () => {
    let open = brackets(POWERSHELL);
    for (let before = ''; before !== open; ) {
      before = open;
      open = open.replace(/\(\)|\{\}|\[\]/g, '');
    }
    expect(open).toBe('');
  });

  it('calls only svc, and evaluates no typed text', () => {
    expect(POWERSHELL.match(/&\s*\S+/g)).toEqual(['& svc']);
    expect(POWERSHELL).not.toMatch(
      /Invoke-Expression|\biex\b|ExpandString|\[scriptblock\]|Add-Type/i,
    );
    expect(new Set(POWERSHELL.match(/\b[A-Z]\w+-[A-Z]\w+/g))).toEqual(
      new Set(['Register-ArgumentCompleter', 'Select-Object', 'Where-Object', 'ForEach-Object']),
    );
  });
});
