import type { Column } from '../../catalog/define.ts';
import {
  DELIVERY_COLUMNS,
  type Delivery,
  type DeliveryAttempt,
} from '../../catalog/local/delivery.ts';
import { escapeForTerminal, escapeJsonForTerminal } from '../../kernel/safe-text.ts';
import type { ResultShape } from '../../output/printer.ts';
import { formatMilliseconds } from '../../output/quantities.ts';
import { isAscii } from '../../output/width.ts';
import type { Context } from '../context.ts';
import { selectGlyphs } from './terminal.ts';

/** Widths of a terminal from which a table contains all columns, and whole IDs. */
const [WIDE, WIDEST] = [80, 120];
/** Columns of a narrow terminal. The last response includes the state unless it is a success. */
const NARROW_COLUMNS: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole', hideOrder: 2 },
  { header: 'EVENT', field: 'event', kind: 'whole' },
  { header: 'ENDPOINT', field: 'endpoint', kind: 'whole' },
  { header: 'LAST', field: 'last' },
  { header: 'RECORDED', field: 'createdAt', kind: 'whole', hideOrder: 1 },
];
/** Maximum length of a response in a table. */
const CELL_EXCERPT = 40;
/** Maximum length of an event in a terminal that is not wide. */
export const EVENT_WIDTH = 26;
const MIN_EVENT_WIDTH = 12;

export function deliveryTable(context: Context, deliveries: readonly Delivery[]): ResultShape {
  const { isTerminal, columns = WIDE } = context.io.stdout;
  const isNarrow = isTerminal && columns < WIDE;
  const isShort = isTerminal && columns < WIDEST;
  const shorten = isShort ? shortenId : (id: string) => id;
  const { ellipsis } = selectGlyphs(context);
  const eventWidth = isNarrow ? Math.max(MIN_EVENT_WIDTH, Math.floor(columns / 4)) : EVENT_WIDTH;
  const rows = deliveries.map((delivery) => {
    const { state, attempts } = delivery;
    const event = isShort ? shortenEvent(delivery.event, eventWidth, ellipsis) : delivery.event;
    const last = attempts.at(-1);
    const response = last ? formatOutcome(last, isNarrow ? 0 : CELL_EXCERPT) : '';
    const shown = { id: shorten(delivery.id), endpoint: shorten(nameEndpoint(delivery)) };
    if (!isNarrow)
      return { ...delivery, ...shown, event, attempts: attempts.length, last: response };
    return {
      ...shown,
      event,
      // The month, day, and minute.
      createdAt: delivery.createdAt.slice(5, 16).replace('T', ' '),
      last: [response, state !== 'delivered' && state].filter(Boolean).join(' '),
    };
  });
  return { table: { rows, columns: isNarrow ? NARROW_COLUMNS : DELIVERY_COLUMNS } };
}

/** Names an endpoint by its uid, unless that is generated. */
export function nameEndpoint({
  endpointId,
  endpointUid,
}: Pick<Delivery, 'endpointId' | 'endpointUid'>): string {
  return endpointUid !== null && endpointUid.length < endpointId.length ? endpointUid : endpointId;
}

/** Shortens an event in its middle, because the names of related events differ at their ends. */
export function shortenEvent(event: string, width: number, ellipsis: string): string {
  if (event.length <= width || !isAscii(event)) return event;
  const start = Math.floor((width - ellipsis.length) / 3);
  return event.slice(0, start) + ellipsis + event.slice(start + ellipsis.length - width);
}

/** Shortens an ID to its end, which differs between deliveries. Commands accept it. */
export function shortenId(id: string): string {
  return id.length > 16 ? `…${id.slice(-8)}` : id;
}

/** Shows deliveries as lists of fields, with responses and payloads as blocks of lines. */
export function deliveryLists(deliveries: readonly Delivery[]): ResultShape {
  return {
    renderText: async (view) => {
      const { createTableRenderer } = await import('../../output/table.ts');
      const { value } = await createTableRenderer(view);
      const texts = deliveries.map(async (delivery) => {
        const fields = await value(listFields(delivery));
        return view.fields ? fields : [fields, ...listBlocks(delivery)].join('\n');
      });
      return (await Promise.all(texts)).join('\n');
    },
  };
}

function listFields(delivery: Delivery): object {
  const { id, endpointId, endpointUid, event, state, reason, createdAt, attempts } = delivery;
  const { nextAttempt, givesUpAt } = delivery;
  const tries = attempts.map((attempt, index) => {
    const time = formatAttemptTime(attempt.at, createdAt);
    return [`attempt ${index + 1}`, `${time}  ${formatOutcome(attempt)}`];
  });
  return {
    id,
    event,
    endpoint: endpointUid === null ? endpointId : `${endpointUid} (${endpointId})`,
    state,
    ...(reason !== null && { reason }),
    recorded: createdAt,
    ...Object.fromEntries(tries),
    ...(nextAttempt !== null && { 'next attempt': nextAttempt }),
    ...(givesUpAt !== null && { 'gives up': givesUpAt }),
  };
}

/** Formats the time of day, after the day if the attempt is on a later day than the event. */
function formatAttemptTime(at: string, createdAt: string): string {
  const time = at.slice(11, 19);
  return at.slice(0, 10) === createdAt.slice(0, 10) ? time : `${at.slice(0, 10)} ${time}`;
}

/** Returns the responses that do not fit on a line, each once, the headers, and the payload. */
function listBlocks({ attempts, headers = null, payload = null }: Delivery): readonly string[] {
  const long = attempts.flatMap(({ body }, index) =>
    isWholeExcerpt(body) ? [] : [{ body, index }],
  );
  const responses = [...Map.groupBy(long, ({ body }) => body)].map(([body, own]) => {
    const numbers = own.map(({ index }) => index + 1).join(', ');
    return formatBlock(
      `response to attempt ${numbers}`,
      (body ?? '').split(/\r\n|\n|\r/).map(escapeForTerminal),
    );
  });
  const sent = Object.entries(headers ?? {}).map(([name, value]) =>
    escapeForTerminal(`${name}: ${value}`),
  );
  const json = escapeJsonForTerminal(JSON.stringify(payload, null, 2)).split('\n');
  return [
    ...responses,
    ...(sent.length > 0 ? [formatBlock('headers', sent)] : []),
    ...(payload === null ? [] : [formatBlock('payload', json)]),
  ];
}

function formatBlock(title: string, lines: readonly string[]): string {
  return `${[title, ...lines.map((line) => `  ${line}`)].join('\n')}\n`;
}

/**
 * Formats an attempt: `500 in 8 ms  "KeyError: targetComment"`, `connection refused after 2 ms`.
 * @param excerptLength 0 for the status or the error alone
 */
export function formatOutcome(attempt: DeliveryAttempt, excerptLength?: number): string {
  const { status, error, milliseconds, body } = attempt;
  const result = escapeForTerminal(String(status ?? error ?? ''));
  if (excerptLength === 0) return result;
  const duration = milliseconds === null ? '' : formatMilliseconds(milliseconds);
  const timing = duration && ` ${status === null ? 'after' : 'in'} ${duration}`;
  const detail = status !== null && error !== null ? escapeForTerminal(error) : '';
  return [`${result}${timing}`, detail, excerptOf(body, excerptLength)].filter(Boolean).join('  ');
}

/** Maximum length of an excerpt, in characters. */
const EXCERPT_LENGTH = 120;

/**
 * Formats the start of a response body as a quoted line that is safe for a terminal. An HTML page is
 * shown by its title. Returns an empty text without a body.
 */
export function excerptOf(body: string | null, length = EXCERPT_LENGTH): string {
  if (body === null) return '';
  const [, title = ''] =
    /^\s*<(?:!doctype|html)\b[\s\S]*?<title>([^<]{1,200})<\/title>/i.exec(body) ?? [];
  const line = escapeForTerminal((title.trim() || body).replace(/\s+/g, ' ').trim());
  const characters = [...line];
  const shown = characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : line;
  return shown === '' ? '' : `"${shown}"`;
}

/** Whether an excerpt contains all of a body. */
function isWholeExcerpt(body: string | null): boolean {
  return body === null || excerptOf(body) === `"${body}"`;
}
