import { Chalk } from 'chalk';
import type { Environment } from '../../kernel/folders.ts';
import type { View } from '../../output/renderer.ts';
import { wantsMarks } from './terminal.ts';

/** How something that was looked at came out. */
export type Finding = 'ok' | 'warn' | 'fail' | 'skipped';

/** Words and colours for findings. */
export interface Marks {
  /** All of one width. */
  readonly mark: (finding: Finding) => string;
  readonly paint: (finding: Finding, text: string) => string;
}

const DRAWN = { ok: '✓', warn: '!', fail: '✗', skipped: '–' } as const satisfies Record<Finding, string>;
const WRITTEN = { ok: 'ok     ', warn: 'warn   ', fail: 'fail   ', skipped: 'skipped' } as const satisfies Record<
  Finding,
  string
>;

/** Marks for a terminal that can draw them, words for everything else. */
export function marksFor({ isTerminal, color }: View, environment: Environment): Marks {
  const draws = isTerminal && wantsMarks({ environment });
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const paints = { ok: chalk.green, warn: chalk.yellow, fail: chalk.red, skipped: chalk.dim };
  return {
    mark: (finding) => (draws ? DRAWN : WRITTEN)[finding],
    paint: (finding, text) => paints[finding](text),
  };
}
