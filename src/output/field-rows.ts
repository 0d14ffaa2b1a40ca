import { exactNumberText } from '../kernel/exact-json.ts';
import { isObject } from '../kernel/is-object.ts';
import { formatCell } from './cells.ts';
import type { DisplayOptions } from './display-options.ts';
import type { Row } from './table-layout.ts';
import { isTimeField } from './times.ts';

const INDENT = '  ';
const BULLET = '- ';

type Field = readonly [name: string, value: unknown];

/**
 * Yields each field as an indented name and its text. For an object or a list of objects, yields the name without text,
 * then the fields.
 */
export function* nestedRows(fields: Iterable<Field>, display: DisplayOptions, indent = ''): Generator<Row> {
  for (const [name, value] of fields) {
    const label = indent + formatCell(name, display);
    if (hasFields(value)) {
      yield [label, ''];
      yield* nestedRows(Object.entries(value), display, indent + INDENT);
    } else if (Array.isArray(value) && value.some(hasFields)) {
      yield [label, ''];
      for (const item of value) yield* itemRows(item, display, indent + INDENT);
    } else {
      const isTime = (display.isInteractive || display.time !== 'iso') && isTimeField(name, value);
      yield [label, formatCell(value, display, isTime ? 'time' : 'text')];
    }
  }
}

/** Yields the fields of a list item, the first one with a bullet. */
function* itemRows(item: unknown, display: DisplayOptions, indent: string): Generator<Row> {
  if (!hasFields(item)) return yield [indent + BULLET.trimEnd(), formatCell(item, display)];
  const [[first = '', text = ''] = [], ...rows] = nestedRows(Object.entries(item), display, indent + INDENT);
  yield [`${indent}${BULLET}${first.slice(indent.length + BULLET.length)}`, text];
  yield* rows;
}

function hasFields(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.keys(value).length > 0 && exactNumberText(value) === undefined;
}
