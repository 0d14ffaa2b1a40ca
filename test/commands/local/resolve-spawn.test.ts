import { describe, expect, it } from 'vitest';
import { resolveSpawn } from '../../../src/commands/local/resolve-spawn.ts';

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

describe('resolveSpawn', () => {
  it('runs the program directly except on Windows', () => {
    expect(resolveSpawn('npm', ['test', '%PATH%'], { ...windows, platform: 'linux' })).toEqual({
      program: 'npm',
      programArguments: ['test', '%PATH%'],
      verbatim: false,
    });
  });

  it('runs programs and unknown commands directly on Windows', () => {
    for (const command of ['node', 'both', 'gone', 'C:\\tools\\both.exe']) {
      expect(resolveSpawn(command, ['-v'], windows)).toEqual({ program: command, programArguments: ['-v'], verbatim: false });
    }
  });

  it('runs a batch file with quoted arguments through the command interpreter on Windows', () => {
    const { program, programArguments: words, verbatim } = resolveSpawn('npm', ['run', 'a & b', 'C:\\dir\\', ''], windows);
    expect({ program, verbatim }).toEqual({ program: 'C:\\cmd.exe', verbatim: true });
    const line = String.raw`""C:\Program Files\nodejs\npm.CMD" "run" "a & b" "C:\dir\\" """`;
    expect(words).toEqual(['/d', '/s', '/c', line]);
  });

  it('finds a batch file by path, with and without extension', () => {
    for (const command of ['.\\build.bat', '.\\build', 'C:\\work\\build.bat']) {
      expect(resolveSpawn(command, [], windows).programArguments.at(-1)).toMatch(/^""C:\\work\\build\.bat""$/i);
    }
    expect(resolveSpawn('npm', [], { ...windows, environment: { Path: 'C:\\Program Files\\nodejs' } })).toMatchObject({
      program: 'cmd.exe',
    });
  });

  it.each(['say "hi"', '%PATH%', 'two\nlines', 'cr\r', 'nul\0'])('refuses %j, which would change on its way', (word) => {
    expect(() => resolveSpawn('npm', [word], windows)).toThrow(expect.objectContaining({ failure: 'usage' }));
  });
});
