import { describe, expect, it } from 'vitest';
import { startOf } from '../../../src/commands/local/command-start.ts';

const FILES = new Set([
  'C:\\Program Files\\nodejs\\npm.cmd',
  'C:\\Program Files\\nodejs\\node.exe',
  'C:\\tools\\both.exe',
  'C:\\tools\\both.bat',
  'C:\\work\\build.bat',
]);

const windows = {
  platform: 'win32',
  cwd: 'C:\\work',
  environment: { Path: 'C:\\Program Files\\nodejs;C:\\tools', PATHEXT: '.COM;.EXE;.BAT;.CMD', ComSpec: 'C:\\cmd.exe' },
  isFile: (path: string) => FILES.has(path) || FILES.has(path.replace(/\.[A-Z]+$/, (end) => end.toLowerCase())),
} as const;

describe('starting a command', () => {
  it('is what it says anywhere but on Windows', () => {
    expect(startOf('npm', ['test', '%PATH%'], { ...windows, platform: 'linux' })).toEqual({
      program: 'npm',
      words: ['test', '%PATH%'],
      verbatim: false,
    });
  });

  it('on Windows leaves programs, and what is not found, to the system', () => {
    for (const command of ['node', 'both', 'gone', 'C:\\tools\\both.exe']) {
      expect(startOf(command, ['-v'], windows)).toEqual({ program: command, words: ['-v'], verbatim: false });
    }
  });

  it('on Windows hands a batch file to the command interpreter, in quotes', () => {
    const { program, words, verbatim } = startOf('npm', ['run', 'a & b', 'C:\\dir\\', ''], windows);
    expect({ program, verbatim }).toEqual({ program: 'C:\\cmd.exe', verbatim: true });
    const line = String.raw`""C:\Program Files\nodejs\npm.CMD" "run" "a & b" "C:\dir\\" """`;
    expect(words).toEqual(['/d', '/s', '/c', line]);
  });

  it('finds one by its path too, with and without what it ends with', () => {
    for (const command of ['.\\build.bat', '.\\build', 'C:\\work\\build.bat']) {
      expect(startOf(command, [], windows).words.at(-1)).toMatch(/^""C:\\work\\build\.bat""$/i);
    }
    expect(startOf('npm', [], { ...windows, environment: { Path: 'C:\\Program Files\\nodejs' } })).toMatchObject({
      program: 'cmd.exe',
    });
  });

  it.each(['say "hi"', '%PATH%', 'two\nlines', 'cr\r', 'nul\0'])(
    'refuses %j, which would change on its way',
    (word) => {
      expect(() => startOf('npm', [word], windows)).toThrow(expect.objectContaining({ failure: 'usage' }));
    },
  );
});
