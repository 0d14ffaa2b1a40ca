import type { Column } from '../catalog/define.ts';
import { MARKS } from './columns.ts';

export type Style = (text: string) => string;

/**
 * Styles of table cells and log lines. Uses only the terminal's own basic colors, which suit light
 * and dark themes.
 */
export interface Palette {
  readonly dim: Style;
  readonly good: Style;
  readonly bad: Style;
  readonly changed: Style;
  column(column: Column): Style;
}

const GOOD = new Set(['done', 'delivered', 'completed', 'online', 'active']);
const BAD = new Set(['failed', 'stopped', 'unknown', 'exhausted']);
const PENDING = new Set(['running', 'pending', 'in_progress', 'retrying']);
const keep: Style = (text) => text;
const PLAIN: Palette = { dim: keep, good: keep, bad: keep, changed: keep, column: () => keep };

export async function loadPalette(isColored: boolean): Promise<Palette> {
  if (!isColored) return PLAIN;
  const { Chalk } = await import('chalk');
  const { dim, green, red, yellow } = new Chalk({ level: 1 });
  const state: Style = (text) => {
    if (GOOD.has(text)) return green(text);
    if (BAD.has(text)) return red(text);
    return PENDING.has(text) ? yellow(text) : text;
  };
  const plain: Style = (text) => (text === MARKS.false ? dim(text) : text);
  return {
    dim,
    good: green,
    bad: red,
    changed: yellow,
    column: ({ kind }) => (kind === 'time' ? dim : kind === 'state' ? state : plain),
  };
}
