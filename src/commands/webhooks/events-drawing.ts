import type { Column } from '../../catalog/define.ts';
import type { EventType } from '../../catalog/events.ts';
import type { View } from '../../output/renderer.ts';
import { tableText } from '../../output/table.ts';
import { wrapWords } from '../../output/wrap.ts';

export const EVENT_COLUMNS: readonly Column[] = [
  { header: 'EVENT', field: 'event', kind: 'whole' },
  { header: 'GROUP', field: 'group' },
  { header: 'ON BY DEFAULT', field: 'onByDefault' },
  { header: 'E-MAIL', field: 'email' },
  { header: 'WHEN', field: 'describes' },
];

/** With less room beside the names, what an event means stands below its name. */
const LEAST_ROOM = 30;

const length = (text: string) => text.length;

/** The event types as a table where it fits; on a narrow terminal by their groups, a line each where there is room. */
export async function drawEvents(types: readonly EventType[], view: View): Promise<string> {
  const rows = types.map(({ name, email = false, ...type }) => ({ ...type, event: name, email }));
  const { width } = view;
  const table = (room: number | undefined, color: boolean) =>
    tableText(rows, { ...view, columns: EVENT_COLUMNS, width: room, color });
  if (!width) return table(undefined, view.color);
  const whole = (await table(undefined, false)).split('\n');
  if (whole.every((line) => line.length <= width)) return table(width, view.color);
  const { marks } = view.look;
  const named = types.map((type) => ({ ...type, head: (marks ? marksOf(type) : '') + type.name }));
  const isNarrow = width - 2 - widestHead(named) - 2 < LEAST_ROOM;
  const groups = [...Map.groupBy(named, ({ group }) => group)].map(([group, members]) => {
    const indent = isNarrow ? 0 : 2;
    const margin = isNarrow ? 5 : indent + widestHead(members) + 2;
    return `${group}\n${members.map((type) => listed(type, marks, { indent, margin, width })).join('')}`;
  });
  return [...(marks && view.headers ? [`${LEGEND}\n`] : []), ...groups].join('\n');
}

interface Named extends EventType {
  /** What its line begins with. */
  readonly head: string;
}

function widestHead(types: readonly Named[]): number {
  return Math.max(...types.map(({ head }) => head.length));
}

interface Room {
  readonly indent: number;
  /** Where explanations begin: beside a name where that ends before, else below it. */
  readonly margin: number;
  readonly width: number;
}

function listed({ head, ...type }: Named, marks: boolean, { indent, margin, width }: Room): string {
  const name = ' '.repeat(indent) + head;
  const lines = wrapWords(marks ? type.describes : inWords(type), width - margin, length);
  const [first = '', ...more] = name.length + 2 > margin ? ['', ...lines] : lines;
  return [(name.padEnd(margin) + first).trimEnd(), ...more.map((line) => ' '.repeat(margin) + line)]
    .map((line) => `${line}\n`)
    .join('');
}

const [ON, E_MAIL] = ['✓', '@'];
const LEGEND = `${ON} on by default  ${E_MAIL} sent by e-mail too`;

function marksOf({ onByDefault, email }: Pick<EventType, 'onByDefault' | 'email'>): string {
  return `${onByDefault ? ON : ' '}${email ? E_MAIL : ' '} `;
}

function inWords({ describes, onByDefault, email }: EventType): string {
  return `${describes} (${onByDefault ? 'on' : 'off'} by default${email ? ', e-mail too' : ''})`;
}
