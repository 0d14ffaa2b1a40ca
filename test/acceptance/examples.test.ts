import { describe, expect, it } from 'vitest';
import type { Node } from '../../src/commands/definition.ts';
import { loadLeaf } from '../../src/commands/tree/leaf.ts';
import { commandTree } from '../../src/commands/tree/tree.ts';
import { copied, prepared, runLine } from './documented.ts';

/** Examples that name what only the service can know, or that are meant to find nothing. */
const ENDS_WITH: ReadonlyMap<string, number> = new Map([
  ['svc api /v2/some/new/path --data @body.json --auth workspace', 5],
  ['svc documents migration-status --org acme --migration m1 --wait', 5],
  ['svc auth recover --save', 5],
  ['svc jobs show 20260131-094500-5f3a9c -o json', 2],
  ['svc jobs report 20260131-094500-5f3a9c --html', 2],
  ['svc jobs report 20260131-094500-5f3a9c --html --file - > report.html', 2],
  ['svc jobs resume 20260131-094500-5f3a9c', 2],
  ['svc jobs resume 20260131-094500-5f3a9c --rate 50/s --concurrency 1', 2],
]);

/** Examples that need what a test of their own gives them. */
const ELSEWHERE: ReadonlyMap<RegExp, string> = new Map([
  [/^svc serve/, 'stays until it is stopped: processes.test.ts'],
  [/^svc webhooks listen/, 'stays until it is stopped: webhooks.test.ts'],
  [/^svc webhooks test/, 'grades a receiver: webhooks-test.test.ts'],
  [/^svc webhooks (send|verify|replay) .*(--url|--via-service|file|--at)/, 'with whoever receives: webhooks.test.ts'],
  [/^svc (webhooks|webhooks config|email) setup/, 'asks at a terminal: setup.test.ts'],
  [/svc completion (zsh|fish|powershell)/, 'for another shell: completion.test.ts'],
]);

async function examplesBelow(node: Node): Promise<readonly string[]> {
  const leaf = node.leaf && (await loadLeaf(node.leaf));
  const own = leaf?.kind === 'tool' ? leaf.definition.examples : leaf?.versions.flatMap(({ examples }) => examples);
  const inner = await Promise.all([...node.children.values()].map(examplesBelow));
  return [...(own ?? []).map(({ command }) => command), ...inner.flat()];
}

describe('the examples of help', () => {
  it('run, each of them', { timeout: 120_000 }, async () => {
    const { folder, apiKey } = await prepared();
    const examples = [...new Set(await examplesBelow(commandTree()))];
    expect(examples.length).toBeGreaterThan(60);
    const waiting = examples.filter((command) => ![...ELSEWHERE.keys()].some((kind) => kind.test(command)));
    const failed: string[] = [];
    const work = async () => {
      for (let command = waiting.shift(); command; command = waiting.shift()) {
        const line = command.replace('--api-key K', `--api-key ${apiKey}`);
        const { code, talk } = await runLine(line, await copied(folder));
        if (code !== (ENDS_WITH.get(command) ?? 0)) failed.push(`${command}\n  ended with ${code}: ${talk.trim()}`);
      }
    };
    await Promise.all([work(), work(), work()]);
    expect(failed.join('\n')).toBe('');
  });
});
