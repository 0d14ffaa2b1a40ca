import { Chalk } from 'chalk';
import type { Environment } from '../../kernel/folders.ts';
import type { View } from '../../output/renderer.ts';
import { wantsMarks } from './terminal.ts';

/** How something that was checked came out. */
export type CheckState = 'ok' | 'warn' | 'fail' | 'skipped';

/** Words and colours for what was checked. */
export interface Marks {
  /** All of one width. */
  readonly mark: (state: CheckState) => string;
  readonly paint: (state: CheckState, text: string) => string;
}

const DRAWN = { ok: '✓', warn: '!', fail: '✗', skipped: '–' } as const satisfies Record<CheckState, string>;
const WRITTEN = { ok: 'ok     ', warn: 'warn   ', fail: 'fail   ', skipped: 'skipped' } as const satisfies Record<
  CheckState,
  string
>;

/** Marks for a terminal that can draw them, words for everything else. */
export function marksFor({ isTerminal, color }: View, environment: Environment): Marks {
  const draws = isTerminal && wantsMarks({ environment });
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const paints = { ok: chalk.green, warn: chalk.yellow, fail: chalk.red, skipped: chalk.dim };
  return {
    mark: (state) => (draws ? DRAWN : WRITTEN)[state],
    paint: (state, text) => paints[state](text),
  };
}
