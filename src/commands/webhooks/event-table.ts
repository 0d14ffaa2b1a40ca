import type { EventType } from '../../catalog/events.ts';
import type { View } from '../../output/renderer.ts';
import { renderTable } from '../../output/table.ts';
import { wrapWords } from '../../output/wrap.ts';
import { EVENT_COLUMNS } from './columns.ts';

/** Minimum width of the description column. Below that, descriptions go on their own lines. */
const MIN_DESCRIPTION_WIDTH = 30;

const length = (text: string) => text.length;

/** Renders event types as a table if it fits, and otherwise grouped, with one line each if possible. */
export async function renderEventTypes(types: readonly EventType[], view: View): Promise<string> {
  const rows = types.map(({ name, description: describes, email = false, ...type }) => ({
    ...type,
    ...{ event: name, email, describes },
  }));
  const { width } = view;
  const table = (room: number | undefined, color: boolean) =>
    renderTable(rows, { ...view, columns: EVENT_COLUMNS, width: room, color });
  if (!width) return table(undefined, view.color);
  const whole = (await table(undefined, false)).split('\n');
  if (whole.every((line) => line.length <= width)) return table(width, view.color);
  const { useMarks: marks } = view.display;
  const named = types.map((type) => ({ ...type, label: (marks ? formatMarks(type) : '') + type.name }));
  const isNarrow = width - 2 - maxLabelWidth(named) - 2 < MIN_DESCRIPTION_WIDTH;
  const groups = [...Map.groupBy(named, ({ group }) => group)].map(([group, members]) => {
    const indent = isNarrow ? 0 : 2;
    const margin = isNarrow ? 5 : indent + maxLabelWidth(members) + 2;
    return `${group}\n${members.map((type) => renderEventType(type, marks, { indent, descriptionColumn: margin, width })).join('')}`;
  });
  return [...(marks && view.headers ? [`${LEGEND}\n`] : []), ...groups].join('\n');
}

interface LabeledEventType extends EventType {
  /** Beginning of the line: marks and name. */
  readonly label: string;
}

function maxLabelWidth(types: readonly LabeledEventType[]): number {
  return Math.max(...types.map(({ label: head }) => head.length));
}

interface ListLayout {
  readonly indent: number;
  /** Column where descriptions start. A longer label pushes the description to the next line. */
  readonly descriptionColumn: number;
  readonly width: number;
}

function renderEventType(
  { label: head, ...type }: LabeledEventType,
  marks: boolean,
  { indent, descriptionColumn: margin, width }: ListLayout,
): string {
  const name = ' '.repeat(indent) + head;
  const lines = wrapWords(marks ? type.description : describeInWords(type), width - margin, length);
  const [first = '', ...more] = name.length + 2 > margin ? ['', ...lines] : lines;
  return [(name.padEnd(margin) + first).trimEnd(), ...more.map((line) => ' '.repeat(margin) + line)]
    .map((line) => `${line}\n`)
    .join('');
}

const [ON, E_MAIL] = ['✓', '@'];
const LEGEND = `${ON} on by default  ${E_MAIL} also sent by email`;

function formatMarks({ onByDefault, email }: Pick<EventType, 'onByDefault' | 'email'>): string {
  return `${onByDefault ? ON : ' '}${email ? E_MAIL : ' '} `;
}

function describeInWords({ description, onByDefault, email }: EventType): string {
  return `${description} (${onByDefault ? 'on' : 'off'} by default${email ? ', also by email' : ''})`;
}
