import { spawnSync } from 'node:child_process';

/** Whether this machine runs Python. */
export const hasPython = spawnSync('python3', ['--version']).status === 0;
