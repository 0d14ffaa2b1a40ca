import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST = 0x10ffff;

/**
 * Any code point as text, to be the `unit` of an `fc.string`. Takes the place of fast-check's unit
 * `binary`, which builds a table of a million characters in each process, and slows down every
 * garbage collection after that.
 */
export const codePoint = fc.nat({ max: LAST - SURROGATES.count }).map(
  (at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count),
  (text) => {
    const point = typeof text === 'string' && text.isWellFormed() ? text.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== text)
      throw new Error('not a single code point');
    return point < SURROGATES.first ? point : point - SURROGATES.count;
  },
);
