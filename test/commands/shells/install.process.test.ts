import { spawnSync } from 'node:child_process';
import { chmod, lstat, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findCompletionFiles,
  insertMarkedLines,
  removeMarkedLines,
} from '../../../src/commands/shells/install.ts';
import { newUser } from '../../acceptance/svc.ts';
import { SLOW } from '../../slow.ts';

describe('completion install', () => {
  it('installs the script and start-up lines once, and uninstalls both', async () => {
    const { home, svc } = await newUser();
    const before = 'export EDITOR=vi\nalias ll="ls -l"';
    await writeFile(join(home, 'dotfiles-bashrc'), before, { mode: 0o640 });
    await chmod(join(home, 'dotfiles-bashrc'), 0o640);
    await symlink('dotfiles-bashrc', join(home, '.bashrc'));
    expect(await svc(['completion', 'install', 'bash', '--yes'])).toMatchObject({
      code: 0,
      stdout: '',
    });
    const once = await readFile(join(home, '.bashrc'), 'utf8');
    expect(once.startsWith(`${before}\n# >>> svc completion >>>\n`)).toBe(true);
    expect((await stat(join(home, '.bashrc'))).mode & 0o777).toBe(0o640);
    expect((await svc(['completion', 'install', 'bash', '--yes'])).stderr).toContain(
      'is already installed',
    );
    expect(await readFile(join(home, 'dotfiles-bashrc'), 'utf8')).toBe(once);
    await svc(['completion', 'uninstall', 'bash', '--yes']);
    expect(await readFile(join(home, '.bashrc'), 'utf8')).toBe(before);
    expect((await lstat(join(home, '.bashrc'))).isSymbolicLink()).toBe(true);
    expect((await svc(['completion', 'uninstall', 'bash', '--yes'])).stderr).toContain(
      'is not installed',
    );
  });

  it('writes to the target of a link even if it is missing, and rejects broken links', async () => {
    const { home, svc } = await newUser();
    await mkdir(join(home, 'dotfiles'));
    await symlink('dotfiles/bashrc', join(home, '.bashrc'));
    await symlink(join(home, 'away', 'zshrc'), join(home, '.zshrc'));
    const install = (shell: string) => svc(['completion', 'install', shell, '--yes']);
    expect((await install('bash')).stderr).toContain(
      `(a link to ${join(home, 'dotfiles', 'bashrc')})`,
    );
    expect((await lstat(join(home, '.bashrc'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(home, 'dotfiles', 'bashrc'), 'utf8')).toContain(
      '# >>> svc completion >>>',
    );
    expect((await svc(['completion', 'uninstall', 'bash', '--yes'])).code).toBe(0);
    expect((await lstat(join(home, '.bashrc'))).isSymbolicLink()).toBe(true);
    await expect(stat(join(home, 'dotfiles', 'bashrc'))).rejects.toThrow('ENOENT');
    const refused = await install('zsh');
    expect(refused.code).toBe(12);
    expect(refused.stderr).toContain(
      `${join(home, '.zshrc')} is a broken link to ${join(home, 'away', 'zshrc')}`,
    );
    await expect(stat(join(home, '.config', 'svc', 'completion', '_svc'))).rejects.toThrow(
      'ENOENT',
    );
  });

  it('neither replaces nor deletes a script of someone else, also behind a link', async () => {
    const { home, svc } = await newUser();
    const folder = join(home, '.config', 'fish', 'completions');
    await mkdir(folder, { recursive: true });
    const own = '# complete -c svc\n';
    await writeFile(join(home, 'own.fish'), own);
    await symlink(join(home, 'own.fish'), join(folder, 'svc.fish'));
    const refused = await svc(['completion', 'install', 'fish', '--yes']);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('svc.fish already exists and is not a completion script by svc'),
    ]);
    const kept = await svc(['completion', 'uninstall', 'fish', '--yes']);
    expect([kept.code, kept.stderr]).toEqual([0, expect.stringContaining('svc.fish stays')]);
    expect(await readFile(join(home, 'own.fish'), 'utf8')).toBe(own);
    expect((await lstat(join(folder, 'svc.fish'))).isSymbolicLink()).toBe(true);
  });

  it('writes nothing without confirmation', async () => {
    const { home, svc } = await newUser();
    const { code, stderr } = await svc(['completion', 'install', 'zsh']);
    expect(code).toBe(2);
    expect(stderr).toContain(join(home, '.zshrc'));
    await expect(stat(join(home, '.zshrc'))).rejects.toThrow();
    expect((await svc(['completion', 'install', 'zsh', '--dry-run'])).stderr).not.toContain(
      'Installed completion',
    );
    await expect(stat(join(home, '.zshrc'))).rejects.toThrow();
  });

  it('requires a shell name if the shell cannot be detected', async () => {
    const { svc } = await newUser();
    expect((await svc(['completion', 'install'])).code).toBe(2);
    expect((await svc(['completion', 'install', 'fisch'])).stderr).toContain(
      "did you mean 'fish'?",
    );
  });

  it('quotes paths, and finds the profile of PowerShell on Windows', async () => {
    const folders = { config: "/o'brien/svc", state: '', data: '' };
    expect(
      findCompletionFiles('bash', { environment: { HOME: '/h' }, folders }).startUp?.lines,
    ).toContain(`'/o'\\''brien/svc/`);
    const windows = findCompletionFiles('powershell', {
      environment: { HOME: '/h' },
      folders,
      platform: 'win32',
    });
    expect(windows.startUp?.path).toBe(
      join('/h', 'Documents', 'PowerShell', 'Microsoft.PowerShell_profile.ps1'),
    );
    expect(
      findCompletionFiles('fish', { environment: { HOME: '/h' }, folders }),
    ).not.toHaveProperty('startUp');
  });

  it('finds the bash start-up file on macOS', () => {
    const folders = { config: '/c/svc', state: '', data: '' };
    const startUp = (...there: readonly string[]) => {
      const isFile = (path: string) => there.includes(path);
      return findCompletionFiles('bash', {
        environment: { HOME: '/h' },
        folders,
        platform: 'darwin',
        isFile,
      }).startUp?.path;
    };
    expect(startUp('/h/.bashrc')).toBe('/h/.bash_profile');
    expect(startUp('/h/.bashrc', '/h/.profile')).toBe('/h/.profile');
    expect(startUp('/h/.profile', '/h/.bash_profile')).toBe('/h/.bash_profile');
  });

  it('leaves no new files behind, and causes no errors if the script is deleted', async () => {
    const { home, env, svc } = await newUser();
    await svc(['completion', 'install', 'bash', '--yes']);
    await rm(join(home, '.config', 'svc', 'completion'), { recursive: true });
    const { stdout, stderr } = spawnSync(
      'bash',
      ['--rcfile', join(home, '.bashrc'), '-ic', 'echo ready'],
      {
        env: { ...env },
        encoding: 'utf8',
      },
    );
    expect(stdout).toBe('ready\n');
    expect(stderr).not.toContain('svc');
    await svc(['completion', 'uninstall', 'bash', '--yes']);
    await expect(stat(join(home, '.bashrc'))).rejects.toThrow('ENOENT');
  });

  it.each([
    { shell: 'bash', words: ['-ic', 'complete -p svc'], shows: '-F _svc' },
    { shell: 'zsh', words: ['-ic', 'print $_comps[svc]'], shows: '_svc' },
    // fish reads what it has for a command once that is to be completed, and is there.
    {
      shell: 'fish',
      words: ['-ic', 'complete -C "svc "; complete -c svc'],
      shows: '__svc_complete',
    },
  ])('completes in a new $shell', SLOW, async ({ shell, words, shows }) => {
    if (spawnSync(shell, ['-c', 'true']).error) return;
    const { env, home, svc } = await newUser();
    await writeFile(join(home, 'svc'), '#!/bin/sh\n', { mode: 0o755 });
    const inIt = () => {
      const path = `${home}:${process.env['PATH']}`;
      return spawnSync(shell, words, { env: { ...env, PATH: path }, cwd: home, encoding: 'utf8' })
        .stdout;
    };
    expect(inIt()).not.toContain(shows);
    expect(await svc(['completion', 'install', shell, '--yes'])).toMatchObject({ code: 0 });
    expect(inIt()).toContain(shows);
  });

  const lines = '# >>> svc completion >>>\n. x\n# <<< svc completion <<<\n';

  it('keeps all other lines byte for byte', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constant('\n'))), (parts) => {
        const text = parts.join('');
        const there = insertMarkedLines(text, lines);
        expect(insertMarkedLines(there, lines)).toBe(there);
        expect(removeMarkedLines(there)).toBe(text);
        expect(removeMarkedLines(text)).toBe(text);
      }),
    );
    expect(removeMarkedLines(insertMarkedLines(undefined, lines))).toBeUndefined();
  });

  it('keeps its position among later lines, and joins no lines', () => {
    const later = `${insertMarkedLines('a=1', lines)}b=2\n`;
    expect(insertMarkedLines(later, lines.replace('. x', '. y'))).toBe(later.replace('. x', '. y'));
    expect(removeMarkedLines(later)).toBe('a=1\nb=2\n');
    expect(removeMarkedLines(`${insertMarkedLines('a=1\n', lines)}b=2\n`)).toBe('a=1\nb=2\n');
    expect(removeMarkedLines(`${insertMarkedLines(undefined, lines)}b=2\n`)).toBe('b=2\n');
  });
});
