import { valueAt } from '../../kernel/field-path.ts';
import { isObject } from '../../kernel/is-object.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { loadPalette, type Palette } from '../../output/palette.ts';
import { formatMilliseconds } from '../../output/quantities.ts';
import { isSuccessStatus, type ReceivedDeliveryEvent } from '../../webhooks/listener.ts';
import type { Context } from '../context.ts';
import { shouldUseColor } from '../terminal/terminal.ts';

export interface DeliveryOutput {
  show(delivery: ReceivedDeliveryEvent): Promise<void>;
  /** Prints all deliveries, in formats that consist of a single document. */
  end(): Promise<void>;
}

/** @param isForwarding whether lines on a terminal include the response time of the target */
export async function createDeliveryOutput(context: Context, isForwarding: boolean): Promise<DeliveryOutput> {
  const [format, printer] = [await context.format(), await context.printer()];
  const end = async () => undefined;
  if (format === 'ndjson') return { show: (delivery) => printer.value(delivery, {}), end };
  if (format === 'table' && !context.options.fields) {
    const { io, options, environment } = context;
    const isNarrow = (io.stdout.columns ?? MIN_WIDTH) < MIN_WIDTH;
    const palette = await loadPalette(shouldUseColor(options.color, io.stdout, environment));
    const line = createLineFormatter(isForwarding && io.stdout.isTerminal, isNarrow, palette);
    return { show: (delivery) => io.stdout.write(line(delivery)), end };
  }
  const all: ReceivedDeliveryEvent[] = [];
  return { show: async (delivery) => void all.push(delivery), end: () => printer.value(all, {}) };
}

/** Minimum width of a terminal for aligned columns. */
const MIN_WIDTH = 96;

/** Pads each column to its widest cell so far. On a narrow terminal, omits alignment, dates, and forms. */
function createLineFormatter(showsLatency: boolean, isNarrow: boolean, palette: Palette) {
  const widths = [20, 20, 8, 12, ...(showsLatency ? [6] : [])];
  return (delivery: ReceivedDeliveryEvent): string => {
    const { forwarded } = delivery;
    const cells = [
      ...(isNarrow ? formatNarrowCells : formatCells)(delivery),
      ...(showsLatency ? [forwarded ? formatMilliseconds(forwarded.milliseconds) : '-'] : []),
    ];
    const padded = cells.map(escapeForTerminal).map((cell, column) => {
      if (isNarrow) return cell;
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
      return column === LATENCY_COLUMN ? cell.padStart(widths[column]) : cell.padEnd(widths[column]);
    });
    const colorize = forwarded && (isSuccessStatus(forwarded) ? palette.good : palette.bad);
    const outcome = escapeForTerminal(formatForwardResult(delivery));
    return `${[...padded, colorize?.(outcome) ?? outcome].join(isNarrow ? ' ' : '  ')}\n`;
  };
}

const LATENCY_COLUMN = 4;

function formatCells(delivery: ReceivedDeliveryEvent): readonly string[] {
  const { receivedAt, replayedAt = receivedAt, event, form, verified, payload } = delivery;
  const time = replayedAt.replace(/\.\d+Z$/, 'Z');
  return [time, event, verified ? form : `${form}, unverified`, documentIdOf(payload)];
}

function formatNarrowCells(delivery: ReceivedDeliveryEvent): readonly string[] {
  const [time = '', event = '', form = '', document = ''] = formatCells(delivery);
  return [time.slice(11, 19), event, ...(delivery.verified ? [] : [form]), document];
}

function formatForwardResult({ forwarded, replayedAt }: ReceivedDeliveryEvent): string {
  if (!forwarded) return '-';
  if (forwarded.status === null) return `failed: ${forwarded.error ?? 'no response'}`;
  return `${replayedAt === undefined ? 'forwarded' : 'replayed'}: ${forwarded.status}`;
}

function documentIdOf(payload: unknown): string {
  const data = valueAt(payload, ['data']);
  const metadata = valueAt(isObject(data) ? data : payload, ['metadata']);
  const document = valueAt(metadata, ['document']);
  const documentId = valueAt(isObject(document) ? document : metadata, ['documentId']);
  return typeof documentId === 'string' ? documentId : '-';
}
