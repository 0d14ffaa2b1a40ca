import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveUserFolders } from '../../src/kernel/folders.ts';

describe('resolveUserFolders', () => {
  it('uses the home folder', () => {
    expect(resolveUserFolders({ HOME: '/home/ada' }, 'linux')).toEqual({
      config: '/home/ada/.config/svc',
      state: '/home/ada/.local/state/svc',
      data: '/home/ada/.local/share/svc',
    });
    const own = join(userInfo().homedir, '.config', 'svc');
    for (const HOME of [undefined, '', '.', 'relative'])
      expect(resolveUserFolders({ HOME }, 'linux').config).toBe(own);
  });

  it('uses the XDG variables, except empty and relative ones', () => {
    const environment = {
      HOME: '/h',
      XDG_CONFIG_HOME: '/c',
      XDG_STATE_HOME: '',
      XDG_DATA_HOME: 'relative',
    };
    expect(resolveUserFolders(environment, 'darwin')).toEqual({
      config: '/c/svc',
      state: '/h/.local/state/svc',
      data: '/h/.local/share/svc',
    });
  });

  it('uses APPDATA on Windows', () => {
    const folders = resolveUserFolders(
      { APPDATA: '/R', LOCALAPPDATA: '/L', XDG_CONFIG_HOME: '/c' },
      'win32',
    );
    expect(folders).toEqual({
      config: join('/R', 'svc'),
      state: join('/L', 'svc', 'state'),
      data: join('/L', 'svc', 'data'),
    });
  });
});
