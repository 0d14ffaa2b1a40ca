import { existsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { newUserInProcess } from './in-process.ts';
import { BIN } from './svc.ts';
import { startInTerminal } from './terminal.ts';

const SHELL = '/bin/bash';

it.skipIf(!existsSync(SHELL)).each(['', 'ACCESSIBLE=1 '])(
  'Ctrl-Z at a prompt, then fg, continues it (%s)',
  async (variable) => {
    const { env } = await newUserInProcess();
    const terminal = startInTerminal(SHELL, ['--norc', '--noprofile', '-i'], { env });
    onTestFinished(terminal.kill);
    const { type, shows, screen } = terminal;
    type(`${variable}'${process.execPath}' '${BIN}' login prod\r`);
    await shows('Base URL');
    type('http://127.0.0.1\u001a');
    await shows('Stopped');
    const stopped = screen().length;
    type('echo "code $?"\r');
    // The signal number of SIGTSTP, plus 128.
    await shows('code 148');
    type('fg\r');
    await expect.poll(() => screen().slice(stopped), { timeout: 5_000 }).toContain('Base URL');
    type(variable === '' ? ':9\r' : 'http://127.0.0.1:9\r');
    await shows('API key');
    type('\u0003');
    await shows(variable === '' ? 'canceled at a prompt' : 'stopped by Ctrl-C');
    type('echo "code $?"\r');
    await shows('code 130');
  },
);
