import { DRAWN, type Signs } from './signs.ts';

/** How `--time` shows times: RFC 3339, how long ago, or as they came. */
export const TIME_STYLES = ['iso', 'relative', 'raw'] as const;
export type TimeStyle = (typeof TIME_STYLES)[number];

/** What tables do with values for whoever reads them. */
export interface Look {
  readonly time: TimeStyle;
  /** The moment that relative times count from, in milliseconds. */
  readonly now: number;
  /** Somebody looks at a terminal: wrap what is long, align numbers, show what is surely a time as one. */
  readonly forPeople: boolean;
  /** Marks may stand for words: the terminal can draw them, and nobody asked for words. */
  readonly marks: boolean;
  readonly signs: Signs;
}

/** What pipes get. */
export const PLAIN_LOOK: Look = { time: 'iso', now: 0, forPeople: false, marks: false, signs: DRAWN };
