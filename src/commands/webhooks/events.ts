import { EVENT_SOURCES, EVENT_TYPES } from '../../catalog/events.ts';
import { singlePage } from '../../output/renderer.ts';
import type { Context } from '../context.ts';
import { EVENT_COLUMNS } from './columns.ts';
import { renderEventTypes } from './event-table.ts';

/** Prints the known event types. */
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
  await context.note('services may send other event types, too');
}
