import { readFileSync } from 'node:fs';

/** The version of svc. The build replaces this module with the value. */
export const version: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version;
