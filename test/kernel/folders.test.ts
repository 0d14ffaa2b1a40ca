import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { userFolders } from '../../src/kernel/folders.ts';

describe('the folders of a user', () => {
  it('stand below the home folder', () => {
    expect(userFolders({ HOME: '/home/ada' }, 'linux')).toEqual({
      config: '/home/ada/.config/svc',
      state: '/home/ada/.local/state/svc',
      data: '/home/ada/.local/share/svc',
    });
    const own = join(userInfo().homedir, '.config', 'svc');
    for (const HOME of [undefined, '', '.', 'relative']) expect(userFolders({ HOME }, 'linux').config).toBe(own);
  });

  it('follow the XDG variables, except those that are empty or relative', () => {
    const environment = { HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '', XDG_DATA_HOME: 'relative' };
    expect(userFolders(environment, 'darwin')).toEqual({
      config: '/c/svc',
      state: '/h/.local/state/svc',
      data: '/h/.local/share/svc',
    });
  });

  it('stand below APPDATA on Windows', () => {
    const folders = userFolders({ APPDATA: '/R', LOCALAPPDATA: '/L', XDG_CONFIG_HOME: '/c' }, 'win32');
    expect(folders).toEqual({
      config: join('/R', 'svc'),
      state: join('/L', 'svc', 'state'),
      data: join('/L', 'svc', 'data'),
    });
  });
});
