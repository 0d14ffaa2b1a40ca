import type { Column } from '../../catalog/define.ts';
import { EVENT_SOURCES, EVENT_TYPES } from '../../catalog/events.ts';
import { onePage } from '../../output/renderer.ts';
import type { Context } from '../context.ts';

const COLUMNS: readonly Column[] = [
  { header: 'EVENT', field: 'event', kind: 'whole' },
  { header: 'GROUP', field: 'group' },
  { header: 'ON BY DEFAULT', field: 'onByDefault' },
  { header: 'E-MAIL', field: 'email' },
  { header: 'WHEN', field: 'describes' },
];

/** Prints the known event types. */
export async function eventsCommand(context: Context): Promise<void> {
  const printer = await context.printer();
  const rows = EVENT_TYPES.map(({ name, group, onByDefault, email = false, actionType, describes }) => ({
    ...{ event: name, group, onByDefault, email, actionType },
    source: EVENT_SOURCES[group],
    describes,
  }));
  await printer.records(onePage(rows), { columns: COLUMNS });
  await context.note('the set is open: other types are taken as well');
}
