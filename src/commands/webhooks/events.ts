import { EVENT_SOURCES, EVENT_TYPES, type EventType } from '../../catalog/events.ts';
import { singlePage, type View } from '../../output/renderer.ts';
import { renderTable } from '../../output/table.ts';
import { wrapWords } from '../../output/wrap.ts';
import type { Context } from '../context.ts';
import { EVENT_COLUMNS } from './columns.ts';

export async function eventsCommand(context: Context): Promise<void> {
  const printer = await context.printer();
  const rows = EVENT_TYPES.map(({ name, group, onByDefault, email = false, actionType, description }) => ({
    ...{ event: name, group, onByDefault, email, actionType },
    source: EVENT_SOURCES[group],
    describes: description,
  }));
  const isTable = (await context.format()) === 'table' && !context.options.fields;
  if (isTable) await printer.value(rows, { renderText: (view) => renderEventTypes(EVENT_TYPES, view) });
  else await printer.records(singlePage(rows), { columns: EVENT_COLUMNS });
  await context.note('services may send other event types');
}

/** Minimum width of the description column. In a narrower terminal, descriptions go on lines of their own. */
const MIN_DESCRIPTION_WIDTH = 30;

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
  const { useMarks } = view.display;
  const named = types.map((type) => ({ ...type, label: (useMarks ? formatMarks(type) : '') + type.name }));
  const isNarrow = width - 2 - maxLabelWidth(named) - 2 < MIN_DESCRIPTION_WIDTH;
  const groups = [...Map.groupBy(named, ({ group }) => group)].map(([group, members]) => {
    const indent = isNarrow ? 0 : 2;
    const margin = isNarrow ? 5 : indent + maxLabelWidth(members) + 2;
    return `${group}\n${members.map((type) => renderEventType(type, useMarks, { indent, margin, width })).join('')}`;
  });
  return [...(useMarks && view.headers ? [`${LEGEND}\n`] : []), ...groups].join('\n');
}

interface LabeledEventType extends EventType {
  readonly label: string;
}

function maxLabelWidth(types: readonly LabeledEventType[]): number {
  return Math.max(...types.map(({ label }) => label.length));
}

/** @param layout `margin`: column of the descriptions, which start on the next line after a longer label */
function renderEventType(
  type: LabeledEventType,
  useMarks: boolean,
  { indent, margin, width }: Readonly<Record<'indent' | 'margin' | 'width', number>>,
): string {
  const name = ' '.repeat(indent) + type.label;
  const description = useMarks ? type.description : describeInWords(type);
  const lines = wrapWords(description, width - margin, (text) => text.length);
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
