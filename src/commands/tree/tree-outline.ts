import { outline } from '../../catalog/outline.ts';
import { createOutline, type NodeOutline } from './create-outline.ts';
import { loadRunners, loadTools } from './definitions.ts';

/**
 * Outline of all commands. The build replaces this module with a constant, so that the tree loads no
 * definitions.
 */
export const treeOutline: NodeOutline = createOutline(
  outline,
  await loadTools(),
  (await loadRunners()).map(({ operation }) => operation),
);
