import { chmod, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placesFor, withLines, withoutLines } from '../../../src/commands/completion/places.ts';
import { newUser } from '../../acceptance/svc.ts';

describe('completion install', () => {
  it('writes the script and the lines that load it, once, and takes both out again', async () => {
    const { home, svc } = await newUser();
    const before = 'export EDITOR=vi\nalias ll="ls -l"';
    await writeFile(join(home, 'dotfiles-bashrc'), before, { mode: 0o640 });
    await chmod(join(home, 'dotfiles-bashrc'), 0o640);
    await symlink('dotfiles-bashrc', join(home, '.bashrc'));
    expect(await svc(['completion', 'install', 'bash', '--yes'])).toMatchObject({ code: 0, stdout: '' });
    const once = await readFile(join(home, '.bashrc'), 'utf8');
    expect(once.startsWith(`${before}\n\n# >>> svc completion >>>\n`)).toBe(true);
    expect((await stat(join(home, '.bashrc'))).mode & 0o777).toBe(0o640);
    expect((await svc(['completion', 'install', 'bash', '--yes'])).stderr).toContain('installed already');
    expect(await readFile(join(home, 'dotfiles-bashrc'), 'utf8')).toBe(once);
    await svc(['completion', 'uninstall', 'bash', '--yes']);
    expect((await readFile(join(home, '.bashrc'), 'utf8')).trimEnd()).toBe(before);
    expect((await svc(['completion', 'uninstall', 'bash', '--yes'])).stderr).toContain('is not installed');
  });

  it('writes nothing without consent', async () => {
    const { home, svc } = await newUser();
    const { code, stderr } = await svc(['completion', 'install', 'zsh']);
    expect(code).toBe(2);
    expect(stderr).toContain(join(home, '.zshrc'));
    await expect(stat(join(home, '.zshrc'))).rejects.toThrow();
    await svc(['completion', 'install', 'zsh', '--dry-run']);
    await expect(stat(join(home, '.zshrc'))).rejects.toThrow();
  });

  it('asks for the name of a shell that it cannot tell', async () => {
    const { svc } = await newUser();
    expect((await svc(['completion', 'install'])).code).toBe(2);
    expect((await svc(['completion', 'install', 'fisch'])).stderr).toContain("did you mean 'fish'?");
  });

  it('quotes paths, and finds the profile of PowerShell on Windows', async () => {
    const folders = { config: "/o'brien/svc", state: '', data: '' };
    expect(placesFor('bash', { environment: { HOME: '/h' }, folders }).startUp?.lines).toContain(`'/o'\\''brien/svc/`);
    const windows = placesFor('powershell', { environment: { HOME: '/h' }, folders, platform: 'win32' });
    expect(windows.startUp?.path).toBe(join('/h', 'Documents', 'PowerShell', 'Microsoft.PowerShell_profile.ps1'));
    expect(placesFor('fish', { environment: { HOME: '/h' }, folders })).not.toHaveProperty('startUp');
  });

  it('finds the file that bash reads in the terminals of macOS', () => {
    const folders = { config: '/c/svc', state: '', data: '' };
    const startUp = (...there: readonly string[]) => {
      const isFile = (path: string) => there.includes(path);
      return placesFor('bash', { environment: { HOME: '/h' }, folders, platform: 'darwin', isFile }).startUp?.path;
    };
    expect(startUp('/h/.bashrc')).toBe('/h/.bash_profile');
    expect(startUp('/h/.bashrc', '/h/.profile')).toBe('/h/.profile');
    expect(startUp('/h/.profile', '/h/.bash_profile')).toBe('/h/.bash_profile');
  });

  it('leaves every other line as it was', () => {
    const lines = '# >>> svc completion >>>\n. x\n# <<< svc completion <<<\n';
    fc.assert(
      fc.property(fc.string(), (text) => {
        const there = withLines(text, lines);
        expect(withLines(there, lines)).toBe(there);
        expect(withoutLines(there).replace(/\n$/, '')).toBe(text.replace(/\n$/, ''));
      }),
    );
  });
});
