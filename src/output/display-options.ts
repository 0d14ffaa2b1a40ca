import { type Glyphs, UNICODE_GLYPHS } from './glyphs.ts';

/** Values of `--time`: RFC 3339, relative to now, or unchanged. */
export const TIME_STYLES = ['iso', 'relative', 'raw'] as const;
export type TimeStyle = (typeof TIME_STYLES)[number];

export interface DisplayOptions {
  readonly time: TimeStyle;
  /** In milliseconds since the epoch. */
  readonly now: number;
  /**
   * Whether the output is for a person at a terminal: tables wrap long text, align numbers, and
   * format recognizable times.
   */
  readonly isInteractive: boolean;
  readonly useMarks: boolean;
  /** Breaks commands of the build system that reads the output as a log, before texts are aligned. */
  readonly breakCommands?: ((text: string) => string) | undefined;
  readonly glyphs: Glyphs;
}

export const PIPE_DISPLAY: DisplayOptions = {
  time: 'iso',
  now: 0,
  isInteractive: false,
  useMarks: false,
  glyphs: UNICODE_GLYPHS,
};
