import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NODE_VERIFICATION, PYTHON_VERIFICATION } from '../../src/commands/setup/verification-code.ts';
import { target } from '../webhooks/world.ts';
import { dialogue } from './dialogue.ts';
import { HOME, newUser } from './svc.ts';

const PAGE = join(HOME, 'docs', 'webhooks.md');
const RECORDED = /(<!-- recorded: .* -->\n```text\n)([\s\S]*?)(```\n)/;

/** What differs from run to run, and what stands for it in the document. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:3000'],
  [/\bep_[0-9A-Za-z]{27}\b/g, 'ep_2cV6ZkXyQ0b1aT9mN4wR7sJ3pLd'],
  [/whsec_[A-Za-z0-9+/=]+/g, 'whsec_…'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-03-01T12:00:00.000Z'],
  [/after \d+ ms/g, 'after 3 ms'],
];

/** Somebody sets up an endpoint of the embedded service; the terminal's screen at the end. */
async function recordedSession(): Promise<string> {
  const user = await newUser();
  // It refuses the first request, which nobody could sign; then it was given the secret.
  const receiver = await target((response, count) => response.writeHead(count === 1 ? 401 : 204).end());
  const screen = dialogue(['webhooks', 'setup', '--local'], user.env, 160);
  const answers = [
    ['Advanced webhooks are off', 'y\r'],
    ['Where deliveries go', `${receiver.url.href}\r`],
    ['Send a test request', 'y\r'],
    ['Events to receive', 'comment.a'],
    ['Events to receive comment.a', '\r'],
    ['Go on with the 1 chosen', '\r'],
    ['Channels', '\r'],
    ['Most deliveries', '5\r'],
    ['What it is for', 'New comments for the CRM\r'],
    ['Id of your own', 'crm\r'],
    ['Metadata', 'team=web\r'],
    ['More metadata', '\r'],
    ['Create this endpoint?', 'y\r'],
    ['Send a test event', 'y\r'],
  ] as const;
  for (const [question, keys] of answers) await screen.answer(question, keys);
  expect(await screen.ended, screen.text()).toBe(0);
  const session = `$ svc webhooks setup --local\n${screen.text().trimEnd()}\n`;
  return VARYING.reduce((text, [varying, example]) => text.replace(varying, example), session);
}

describe('docs/webhooks.md', () => {
  it('shows the session that is had', async () => {
    const session = await recordedSession();
    const page = await readFile(PAGE, 'utf8');
    // RECORD=1 writes the document instead.
    if (process.env['RECORD'])
      await writeFile(
        PAGE,
        page.replace(RECORDED, (_, head, _old, foot) => head + session + foot),
      );
    else expect(RECORDED.exec(page)?.[2]).toBe(session);
  });

  it('shows the code that is printed', async () => {
    const page = await readFile(PAGE, 'utf8');
    expect(page).toContain(`\`\`\`js\n${NODE_VERIFICATION}\n\`\`\`\n`);
    expect(page).toContain(`\`\`\`python\n${PYTHON_VERIFICATION}\n\`\`\`\n`);
  });
});
