import * as fc from 'fast-check';
import { codePoint } from '../code-point.ts';

/** Text as a hostile or international service may send it. */
export const anyText = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.string({ unit: 'grapheme' }),
  fc.string(),
  fc
    .array(
      fc.constantFrom(
        '\u001b[31m',
        '\u009b',
        '\u202e',
        '\u200b',
        '\u007f',
        '\r',
        '\n',
        '\t',
        '\u2028',
        '文書',
        '👩‍👩‍👧',
        '🪐',
        'é',
        '́',
        ' ',
      ),
    )
    .map((parts) => parts.join('')),
);

/** An object with any property names, `__proto__` among them. */
const anyRecord = <Value>(value: fc.Arbitrary<Value>) =>
  fc
    .array(
      fc.tuple(
        fc.oneof(anyText, fc.constantFrom('__proto__', 'constructor', 'no', '10', '9')),
        value,
      ),
      { maxLength: 5 },
    )
    .map((entries) => Object.fromEntries(entries));

/** Anything that JSON can hold. */
export const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    anyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    anyRecord(tie('value')),
  ),
})).value;
