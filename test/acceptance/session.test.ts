import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSnippet } from '../../src/webhooks/snippets.ts';
import { SLOW } from '../slow.ts';
import { target } from '../webhooks/listener-fixture.ts';
import { startDialogue } from './dialogue.ts';
import { HOME, newUser } from './svc.ts';

const DOWN = '\u001b[B';
const PAGE = join(HOME, 'docs', 'webhooks.md');
const SESSION_BLOCK = /(<!-- recorded: .* -->\n```text\n)([\s\S]*?)(```\n)/;

/** Values that differ in each run, with their replacement in the document. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:3000'],
  [/\bep_[0-9A-Za-z]{27}\b/g, 'ep_2cV6ZkXyQ0b1aT9mN4wR7sJ3pLd'],
  [/whsec_[A-Za-z0-9+/=]+/g, 'whsec_hKfMDWdxL2Xk4b1nPq7vRz9sYt3cJm0a'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-03-01T12:00:00.000Z'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'd1478414-3a28-4b61-acbe-7409a2720be8'],
  [/after \d+ ms/g, 'after 3 ms'],
];

/** Sets up an endpoint of the embedded service and returns the final screen of the terminal. */
async function recordSession(): Promise<string> {
  const user = await newUser();
  // The receiver rejects a request that is not signed with its secret.
  const receiver = await target((response) => response.writeHead(401).end());
  const screen = startDialogue(['webhooks', 'setup', '--local'], user.env, 120);
  const answers = [
    ['Advanced webhooks are disabled', '\r'],
    ['Endpoint URL', `${receiver.url.href}\r`],
    ['Send a test request', 'y\r'],
    ['Events to receive', 'comment.a'],
    ['Events to receive comment.a', '\r'],
    ['Continue with the 1 selected', '\r'],
    ['Create it?', 'o\r'],
    ['Change a setting', `${DOWN.repeat(6)}\r`],
    ['Custom ID (uid)', 'crm\r'],
    ['Change a setting', '\r'],
    ['Create it?', '\r'],
  ] as const;
  for (const [question, keys] of answers) await screen.answer(question, keys);
  expect(await screen.ended, screen.text()).toBe(0);
  const session = `$ svc webhooks setup --local\n${screen.text().trimEnd()}\n`;
  return REPLACEMENTS.reduce((text, [varying, example]) => text.replace(varying, example), session);
}

describe('docs/webhooks.md', () => {
  it('shows the real session', SLOW, async () => {
    const session = await recordSession();
    const page = await readFile(PAGE, 'utf8');
    // With RECORD=1, the test writes the document instead.
    if (process.env['RECORD'])
      await writeFile(
        PAGE,
        page.replace(SESSION_BLOCK, (_, head, _old, foot) => head + session + foot),
      );
    else expect(SESSION_BLOCK.exec(page)?.[2]).toBe(session);
  });

  it('shows the code that svc webhooks snippet prints', async () => {
    const page = await readFile(PAGE, 'utf8');
    expect(page).toContain(`\`\`\`js\n${await readSnippet('node', 'express')}\`\`\`\n`);
  });
});
