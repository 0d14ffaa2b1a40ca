import type { Column } from '../../catalog/define.ts';
import type { Shape } from '../../output/printer.ts';
import type { View } from '../../output/renderer.ts';
import type { Attempt } from '../../service/deliveries/attempts.ts';
import type { DeliveryDetail } from '../../service/deliveries/records.ts';

const COLUMNS: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'EVENT', field: 'event' },
  { header: 'ENDPOINT', field: 'endpointId', kind: 'whole' },
  { header: 'STATE', field: 'state', kind: 'state' },
  { header: 'ATTEMPTS', field: 'attempts' },
  { header: 'LAST', field: 'last' },
  { header: 'NEXT ATTEMPT', field: 'nextAttempt', kind: 'time' },
];

/** Deliveries as lines of a table, with how the last attempt went and when the next one is made. */
export function asTable(details: readonly DeliveryDetail[]): Shape {
  const rows = details.map(({ record, nextAttempt }) => ({
    ...record,
    attempts: record.attempts.length,
    last: outcome(record.attempts.at(-1)),
    nextAttempt,
  }));
  return { drawing: (view) => drawTable(rows, view) };
}

/** Each delivery as a list of what is known of it, a line an attempt. */
export function asLists(details: readonly DeliveryDetail[]): Shape {
  return { drawing: (view) => drawLists(details, view) };
}

async function drawTable(rows: readonly object[], view: View): Promise<string> {
  const { tableText } = await import('../../output/table.ts');
  return tableText(rows, { ...view, columns: COLUMNS });
}

async function drawLists(details: readonly DeliveryDetail[], view: View): Promise<string> {
  const { tableRenderer } = await import('../../output/table.ts');
  const { value } = await tableRenderer(view);
  return (await Promise.all(details.map(async (detail) => value(listed(detail))))).join('\n');
}

function listed({ record, createdAt, nextAttempt, payload }: DeliveryDetail): object {
  const { attempts, ...shown } = record;
  const tries = attempts.map((attempt, index) => [`attempt ${index + 1}`, `${attempt.at}  ${outcome(attempt)}`]);
  return {
    ...shown,
    recorded: new Date(createdAt).toISOString(),
    ...Object.fromEntries(tries),
    ...(nextAttempt !== undefined && { 'next attempt': new Date(nextAttempt).toISOString() }),
    ...(payload !== undefined && { payload }),
  };
}

function outcome(attempt: Attempt | undefined): string {
  return [attempt?.status, attempt?.error].filter((part) => part !== null && part !== undefined).join(' ');
}
