import { spawnSync } from 'node:child_process';

/** Whether Python is installed. */
export const hasPython = spawnSync('python3', ['--version']).status === 0;
