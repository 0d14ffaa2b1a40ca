import { describe, expect, it } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import type { Node } from '../../src/commands/definition.ts';
import { loadLeaf } from '../../src/commands/tree/leaf.ts';
import { commandTree } from '../../src/commands/tree/tree.ts';

async function toolColumns(
  node: Node,
): Promise<{ name: string; columns: readonly { hideOrder?: number }[] }[]> {
  const leaf = node.leaf?.kind === 'tool' ? await loadLeaf(node.leaf) : undefined;
  const columns = leaf?.kind === 'tool' ? leaf.definition.columns : undefined;
  const inner = await Promise.all([...node.children.values()].map(toolColumns));
  return [...(columns ? [{ name: node.path.join(' '), columns }] : []), ...inner.flat()];
}

describe('the columns of every list', () => {
  it('are hidden in an order without gaps, and some are always shown', async () => {
    const lists = [
      ...manifest.flatMap(({ name, columns }) => (columns ? [{ name, columns }] : [])),
      ...(await toolColumns(commandTree())),
    ];
    expect(lists.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'documents.list',
        'jobs list',
        'history',
        'local deliveries list',
        'webhooks.endpoints.list',
      ]),
    );
    for (const { name, columns } of lists) {
      const orders = columns.flatMap(({ hideOrder }) => hideOrder ?? []).sort((a, b) => a - b);
      expect(orders, name).toEqual(orders.map((_, at) => at + 1));
      expect(orders.length, name).toBeLessThan(columns.length);
    }
  });
});
