import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { NODE_VERIFICATION, PYTHON_VERIFICATION } from '../../../src/commands/setup/verification-code.ts';
import { hasPython } from '../../python.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { newSecret, unixNow } from '../../webhooks/listener-fixture.ts';

interface Case {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly secret: string;
  readonly isGood: boolean;
}

/** The headers of a delivery, signed by an implementation that is not ours. */
function signed(secret: string, body: string, id = 'msg', time = unixNow()) {
  const signature = new Webhook(secret).sign(id, new Date(time * 1000), body);
  return { 'webhook-id': id, 'webhook-timestamp': String(time), 'webhook-signature': signature };
}

/** Deliveries that verify, and the same with something about them changed. */
function cases(): readonly Case[] {
  const bodies = fc.sample(fc.string({ unit: 'grapheme', maxLength: 40 }), { numRuns: 40, seed: 7 });
  return bodies.flatMap((body, index) => {
    const [secret, other] = [newSecret(), newSecret()];
    const headers = signed(secret, body, `msg_${index}`);
    const [signature = '', foreign = ''] = [headers, signed(other, body, `msg_${index}`)].map(
      (h) => h['webhook-signature'],
    );
    const good = [
      headers,
      { ...headers, 'webhook-signature': `${foreign} v2,x ${signature}` },
      signed(secret, body, 'msg', unixNow() - 290),
    ];
    const bad = [
      { ...headers, 'webhook-signature': foreign },
      { ...headers, 'webhook-signature': signature.slice(0, -1) },
      { ...headers, 'webhook-signature': signature.replace('v1,', 'v1a,') },
      { ...headers, 'webhook-signature': '' },
      { ...headers, 'webhook-id': `${headers['webhook-id']}x` },
      { ...headers, 'webhook-timestamp': `${headers['webhook-timestamp']} ` },
      { ...headers, 'webhook-timestamp': '1e9' },
      { ...headers, 'webhook-timestamp': '9'.repeat(5000) },
      signed(secret, body, 'msg', unixNow() - 320),
      signed(secret, body, 'msg', unixNow() + 320),
      signed(secret, body, 'msg.1'),
      {},
    ];
    return [
      ...good.map((headers) => ({ headers, body, secret, isGood: true })),
      ...bad.map((headers) => ({ headers, body, secret, isGood: false })),
      { headers, body: `${body} `, secret, isGood: false },
      { headers, body, secret: other, isGood: false },
    ] as readonly Case[];
  });
}

describe('the verification code', () => {
  it('accepts only valid signatures in Node.js', async () => {
    const file = join(await createTemporaryFolder(), 'verify.mjs');
    await writeFile(file, NODE_VERIFICATION);
    const { verified } = await import(pathToFileURL(file).href);
    for (const { headers, body, secret, isGood } of cases()) {
      expect(verified(Buffer.from(body), headers, secret), JSON.stringify({ headers, body })).toBe(isGood);
    }
  });

  it.skipIf(!hasPython)('in Python takes the same', async () => {
    const all = cases();
    const program = `${PYTHON_VERIFICATION}

import json, sys
for one in json.load(sys.stdin):
    print(verified(one["body"].encode(), one["headers"], one["secret"]))
`;
    const { stdout, stderr } = spawnSync('python3', ['-c', program], { input: JSON.stringify(all) });
    const said = stdout.toString().trim().split('\n');
    expect(stderr.toString()).toBe('');
    expect(said).toEqual(all.map(({ isGood }) => (isGood ? 'True' : 'False')));
  });
});
