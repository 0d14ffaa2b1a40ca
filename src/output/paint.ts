import type { Column } from '../catalog/define.ts';
import { MARKS } from './cells.ts';

export type Paint = (text: string) => string;

/** Paint for what stands in tables: only colours that every terminal has and its owner chose, light or dark. */
export interface Palette {
  readonly quiet: Paint;
  /** For the cells of a column. */
  column(column: Column): Paint;
}

/** Words for how something stands. */
const GOOD = new Set(['done', 'delivered', 'completed', 'online', 'active']);
const BAD = new Set(['failed', 'stopped', 'unknown']);
const MOVING = new Set(['running', 'pending', 'in_progress']);

export async function palette(): Promise<Palette> {
  const { Chalk } = await import('chalk');
  const { dim: quiet, green, red, yellow } = new Chalk({ level: 1 });
  const state: Paint = (text) => {
    if (GOOD.has(text)) return green(text);
    if (BAD.has(text)) return red(text);
    return MOVING.has(text) ? yellow(text) : text;
  };
  const plain: Paint = (text) => (text === MARKS.false ? quiet(text) : text);
  return {
    quiet,
    column: ({ kind }) => (kind === 'time' ? quiet : kind === 'state' ? state : plain),
  };
}
