import { expect, test } from 'vitest';
import { newUserInProcess } from './in-process.ts';

const folder = (accessType: string) =>
  `folders add --org acme --folder f1 --access-type ${accessType}`;

/** Values of open sets, as a user gives them: the line, and the warning or the known value. */
const UNKNOWN = [
  ['email update --type sendwave', "warning: 'sendwave' is not a known provider type"],
  [folder('secret'), "warning: 'secret' is not a known access type"],
  ['agents list --filter internalOnly', "warning: 'internalOnly' is not a known filter"],
  [
    'presence update --org acme --document d1 --user u1 --status busy',
    "warning: 'busy' is not a known presence status",
  ],
] as const;

const MISSPELLED = [
  ['email update --type Custom', '--type: did you mean custom?'],
  [folder('publc'), '--access-type: did you mean public?'],
  ['agents list --filter customonly', '--filter: did you mean customOnly?'],
  [
    'webhooks endpoints create --url https://example.com --filter-type comment.ad',
    "unknown event type 'comment.ad'",
  ],
] as const;

/** Values of sets that are closed: roles, types of resources, and types of editors. */
const CLOSED = [
  'users add --api-version v2 --org acme --user u1 --access-role owner',
  'crdt add --org acme --document d1 --editor e1 --type number --content 1',
] as const;

const env = {
  SVC_BASE_URL: 'http://127.0.0.1:9',
  SVC_API_KEY: 'key',
  SVC_AUTH_TOKEN: 'token',
};

test('unknown values of open sets are sent with a warning, misspelled ones are not', async () => {
  const user = await newUserInProcess();
  const run = (line: string) => user.svc([...line.split(' '), '--dry-run'], { env, stdin: '' });
  for (const [line, warning] of UNKNOWN) {
    const { code, stdout, stderr } = await run(line);
    expect([code, stderr], line).toEqual([0, expect.stringContaining(warning)]);
    const sent = line.slice(line.lastIndexOf(' ') + 1);
    expect(JSON.stringify(JSON.parse(stdout).body), line).toContain(`"${sent}"`);
  }
  for (const [line, problem] of MISSPELLED) {
    const { code, stderr } = await run(line);
    expect([code, stderr], line).toEqual([2, expect.stringContaining(problem)]);
  }
  for (const line of CLOSED) expect((await run(line)).code, line).toBe(2);
});

test('the URL of a picture is sent as photoUrl', async () => {
  const user = await newUserInProcess();
  const line = 'users add --org acme --user u1 --photo-url https://example.com/u1.png --dry-run';
  const { code, stdout } = await user.svc(line.split(' '), { env, stdin: '' });
  expect(code).toBe(0);
  expect(JSON.parse(stdout).body.data.users).toEqual([
    { userId: 'u1', photoUrl: 'https://example.com/u1.png' },
  ]);
});
