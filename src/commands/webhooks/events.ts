import { EVENT_TYPES } from '../../catalog/events.ts';
import { singlePage } from '../../output/renderer.ts';
import type { Context } from '../context.ts';
import { EVENT_COLUMNS } from './columns.ts';

export async function eventsCommand(context: Context): Promise<void> {
  const printer = await context.printer();
  const rows = EVENT_TYPES.map(
    ({ name, group, onByDefault, email = false, actionType, source, description }) => ({
      event: name,
      group,
      onByDefault,
      email,
      actionType,
      source,
      describes: description,
    }),
  );
  await printer.records(singlePage(rows), { columns: EVENT_COLUMNS });
  await context.note('services may send other event types');
}
