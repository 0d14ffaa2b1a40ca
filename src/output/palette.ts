import { styleText } from 'node:util';
import type { Column } from '../catalog/define.ts';
import { MARKS } from './cells.ts';

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

/** Returns a style that writes the code of a color, also where Node.js would not write colors. */
export function colorize(color: 'cyan' | 'dim' | 'green' | 'red' | 'yellow'): Style {
  return (text) => styleText(color, text, { validateStream: false });
}

export function createPalette(isColored: boolean): Palette {
  if (!isColored) return PLAIN;
  const [dim, good, bad, changed] = [
    colorize('dim'),
    colorize('green'),
    colorize('red'),
    colorize('yellow'),
  ];
  const state: Style = (text) => {
    if (GOOD.has(text)) return good(text);
    if (BAD.has(text)) return bad(text);
    return PENDING.has(text) ? changed(text) : text;
  };
  const plain: Style = (text) => (text === MARKS.false ? dim(text) : text);
  return {
    dim,
    good,
    bad,
    changed,
    column: ({ kind }) => (kind === 'time' ? dim : kind === 'state' ? state : plain),
  };
}
