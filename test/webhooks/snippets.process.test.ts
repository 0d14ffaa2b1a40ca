import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  readSnippet,
  readVerification,
  SNIPPET_LANGUAGES,
  type SnippetLanguage,
} from '../../src/webhooks/snippets.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { newSecret, unixNow } from './listener-fixture.ts';

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

function signedWithNothing(body: string) {
  const content = `msg.${unixNow()}.${body}`;
  const signature = createHmac('sha256', '').update(content).digest('base64');
  return {
    'webhook-id': 'msg',
    'webhook-timestamp': String(unixNow()),
    'webhook-signature': `v1,${signature}`,
  };
}

/** Deliveries that verify, and the same with something about them changed. */
function cases(): readonly Case[] {
  const bodies = fc.sample(fc.string({ unit: 'grapheme', maxLength: 40 }), {
    numRuns: 40,
    seed: 7,
  });
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
      // Anybody can sign with an empty secret.
      { headers: signedWithNothing(body), body, secret: '', isGood: false },
      { headers: signedWithNothing(body), body, secret: 'whsec_', isGood: false },
      { headers, body, secret: other, isGood: false },
    ] as readonly Case[];
  });
}

/**
 * A program that verifies the cases on its stdin with the code of a snippet, and prints true or
 * false for each.
 */
interface Program {
  readonly check: readonly [command: string, ...words: readonly string[]];
  readonly run: readonly [command: string, ...words: readonly string[]];
  readonly files: (code: string) => Readonly<Record<string, string>>;
}

const PROGRAMS: Readonly<Record<SnippetLanguage, Program>> = {
  node: {
    check: [process.execPath, '--version'],
    run: [process.execPath, 'main.mjs'],
    files: (code) => ({
      'main.mjs': `${code}
import { readFileSync } from 'node:fs';
for (const one of JSON.parse(readFileSync(0))) console.log(verifyDelivery(Buffer.from(one.body), one.headers, one.secret));`,
    }),
  },
  python: {
    check: ['python3', '--version'],
    run: ['python3', 'main.py'],
    files: (code) => ({
      'main.py': `${code}
import sys
for one in json.load(sys.stdin):
    print(verify_delivery(one["body"].encode(), one["headers"], one["secret"]))`,
    }),
  },
  go: {
    check: ['go', 'version'],
    run: ['go', 'run', 'main.go', 'cases.go'],
    files: (code) => ({
      'main.go': code,
      'cases.go': `package main

import ("encoding/json"; "fmt"; "net/http"; "os")

func main() {
	var cases []struct { Headers map[string]string; Body string; Secret string }
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil { panic(err) }
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers { header.Set(name, value) }
		fmt.Println(VerifyDelivery([]byte(one.Body), header, one.Secret))
	}
}`,
    }),
  },
  ruby: {
    check: ['ruby', '--version'],
    run: ['ruby', 'main.rb'],
    files: (code) => ({
      'main.rb': `${code}
require "json"
JSON.parse(STDIN.read).each { |one| puts verify_delivery(one["body"], one["headers"], one["secret"]) }`,
    }),
  },
  php: {
    check: ['php', '--version'],
    run: ['php', 'main.php'],
    files: (code) => ({
      'main.php': `${code}
foreach (json_decode(stream_get_contents(STDIN), true) as $one) {
    echo verify_delivery($one['body'], $one['headers'], $one['secret']) ? "true\\n" : "false\\n";
}`,
    }),
  },
};

describe('the code that verifies deliveries', () => {
  for (const language of SNIPPET_LANGUAGES) {
    const { check, run, files } = PROGRAMS[language];
    const [checker, ...flags] = check;
    const isInstalled = spawnSync(checker, flags).status === 0;
    it.skipIf(!isInstalled)(`accepts only valid signatures in ${language}`, async () => {
      const folder = await createTemporaryFolder();
      for (const [name, text] of Object.entries(files(await readVerification(language))))
        await writeFile(join(folder, name), text);
      const all = cases();
      const [program, ...words] = run;
      const { stdout, stderr } = spawnSync(program, words, {
        cwd: folder,
        input: JSON.stringify(all),
      });
      expect(stderr.toString()).toBe('');
      const results = stdout.toString().trim().toLowerCase().split('\n');
      expect(results).toEqual(all.map(({ isGood }) => String(isGood)));
    });
  }

  it.each(SNIPPET_LANGUAGES)(
    'names the headers and the tolerance of the signature in %s',
    async (language) => {
      const code = await readSnippet(language);
      for (const text of [
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
        'whsec_',
        '300',
        'WEBHOOK_SECRET',
      ]) {
        expect(code).toContain(text);
      }
      // Go indents with tabs, the others with spaces.
      expect(code).not.toMatch(language === 'go' ? /^ +\S/m : /\t/);
    },
  );
});
