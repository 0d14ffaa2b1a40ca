import { describe, expect, it } from 'vitest';
import { newUserInProcess } from './in-process.ts';

const REFUSED =
  /cannot (create|open) \/proc\/svc\S*: folders cannot be created in \/proc\n(?:hint: to use another folder, set XDG_(?:DATA|CONFIG)_HOME\n)?$/;

describe.runIf(process.platform === 'linux')('a folder that cannot be created', () => {
  it.each([
    [['webhooks', 'listen', '--local', '--port', '0', '--record', '/proc/svc/deliveries'], {}],
    [['agents', 'list', '--local'], { XDG_DATA_HOME: '/proc/svc' }],
    [['agents', 'list', '--local', '--store', '/proc/svc/service.sqlite'], {}],
    [
      ['profiles', 'add', 'p', '--base-url', 'http://127.0.0.1:9', '--api-key', 'k'],
      { XDG_CONFIG_HOME: '/proc/svc' },
    ],
  ])('ends svc %j with exit code 12', async (words, env) => {
    const { svc } = await newUserInProcess();
    expect(await svc(words, { env })).toMatchObject({
      code: 12,
      stdout: '',
      stderr: expect.stringMatching(REFUSED),
    });
  });

  it('does not prevent start-up if it is only the compile cache', async () => {
    const { svc } = await newUserInProcess();
    expect(await svc(['--version'], { env: { XDG_CACHE_HOME: '/proc/svc' } })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });
});
