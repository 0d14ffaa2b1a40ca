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
    const showsLatency = isForwarding && io.stdout.isTerminal;
    return { show: (delivery) => io.stdout.write(formatLine(delivery, showsLatency, isNarrow, palette)), end };
  }
  const all: ReceivedDeliveryEvent[] = [];
  return { show: async (delivery) => void all.push(delivery), end: () => printer.value(all, {}) };
}

const MIN_WIDTH = 96;

const WIDTHS = [20, 32, 8, 12];

function formatLine(delivery: ReceivedDeliveryEvent, showsLatency: boolean, isNarrow: boolean, palette: Palette): string {
  const { receivedAt, replayedAt = receivedAt, event, form, verified, payload, forwarded } = delivery;
  const cells = [
    isNarrow ? replayedAt.slice(11, 19) : replayedAt.replace(/\.\d+Z$/, 'Z'),
    event,
    ...(isNarrow && verified ? [] : [verified ? form : `${form}, unverified`]),
    documentIdOf(payload),
    ...(showsLatency ? [(forwarded ? formatMilliseconds(forwarded.milliseconds) : '-').padStart(isNarrow ? 0 : 6)] : []),
  ].map((cell, column) => escapeForTerminal(cell).padEnd(isNarrow ? 0 : (WIDTHS[column] ?? 0)));
  const colorize = forwarded && (isSuccessStatus(forwarded) ? palette.good : palette.bad);
  const outcome = escapeForTerminal(formatForwardResult(delivery));
  return `${[...cells, colorize?.(outcome) ?? outcome].join(isNarrow ? ' ' : '  ')}\n`;
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
