import { EVENT_SOURCES, EVENT_TYPES } from '../../catalog/events.ts';
import { onePage } from '../../output/renderer.ts';
import type { Context } from '../context.ts';
import { drawEvents, EVENT_COLUMNS } from './events-drawing.ts';

/** Prints the known event types. */
export async function eventsCommand(context: Context): Promise<void> {
  const printer = await context.printer();
  const rows = EVENT_TYPES.map(({ name, group, onByDefault, email = false, actionType, describes }) => ({
    ...{ event: name, group, onByDefault, email, actionType },
    source: EVENT_SOURCES[group],
    describes,
  }));
  const isTable = (await context.format()) === 'table' && !context.options.fields;
  if (isTable) await printer.value(rows, { drawing: (view) => drawEvents(EVENT_TYPES, view) });
  else await printer.records(onePage(rows), { columns: EVENT_COLUMNS });
  await context.note('the set is open: other types are taken as well');
}
