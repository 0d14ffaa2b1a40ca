import { isObject } from '../../kernel/is-object.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { loadPalette, type Palette } from '../../output/palette.ts';
import { formatMilliseconds } from '../../output/quantities.ts';
import { type ForwardResult, isSuccessStatus, type ReceivedDeliveryEvent } from '../../webhooks/listener.ts';
import type { Context } from '../context.ts';
import { shouldUseColor } from '../terminal/terminal.ts';

/** Shows deliveries as they arrive. */
export interface DeliveryOutput {
  show(delivery: ReceivedDeliveryEvent): Promise<void>;
  /** Prints the document that holds all deliveries, in formats that need all of them first. */
  end(): Promise<void>;
}

/**
 * Prints one line per delivery: aligned columns in a table, JSON with `ndjson`. Other formats are printed at the end.
 * @param isForwarding whether lines on a terminal have a column for the duration of the target's response
 */
export async function createDeliveryOutput(context: Context, isForwarding: boolean): Promise<DeliveryOutput> {
  const [format, printer] = [await context.format(), await context.printer()];
  const end = async () => undefined;
  if (format === 'ndjson') return { show: (delivery) => printer.value(delivery, {}), end };
  if (format === 'table' && !context.options.fields) {
    const { io, options, environment } = context;
    const isColored = shouldUseColor(options.color, io.stdout, environment);
    const line = createLineFormatter({
      showsLatency: isForwarding && io.stdout.isTerminal,
      isNarrow: (io.stdout.columns ?? MIN_WIDTH) < MIN_WIDTH,
      palette: isColored ? await loadPalette() : undefined,
    });
    return { show: (delivery) => context.io.stdout.write(line(delivery)), end };
  }
  const all: ReceivedDeliveryEvent[] = [];
  return {
    show: async (delivery) => void all.push(delivery),
    end: () => printer.value(all, {}),
  };
}

/** Width of a terminal from which columns are aligned. */
const MIN_WIDTH = 96;

interface LineStyle {
  readonly showsLatency: boolean;
  /** Whether to leave out the date, the form of verified deliveries, and the alignment. */
  readonly isNarrow: boolean;
  readonly palette: Palette | undefined;
}

/** Pads each column to its widest cell so far. */
function createLineFormatter({ showsLatency, isNarrow, palette }: LineStyle) {
  const widths = [20, 20, 8, 12, ...(showsLatency ? [6] : [])];
  return (delivery: ReceivedDeliveryEvent): string => {
    const { forwarded } = delivery;
    const cells = [
      ...(isNarrow ? formatNarrowCells : formatCells)(delivery),
      ...(showsLatency ? [formatLatency(forwarded)] : []),
    ];
    const padded = cells.map(escapeForTerminal).map((cell, column) => {
      if (isNarrow) return cell;
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
      return column === LATENCY_COLUMN ? cell.padStart(widths[column]) : cell.padEnd(widths[column]);
    });
    const paint = forwarded && (isSuccessStatus(forwarded) ? palette?.good : palette?.bad);
    const outcome = escapeForTerminal(formatForwardResult(delivery));
    return `${[...padded, paint?.(outcome) ?? outcome].join(isNarrow ? ' ' : '  ')}\n`;
  };
}

const LATENCY_COLUMN = 4;

function formatLatency(forwarded: ForwardResult | null): string {
  return forwarded ? formatMilliseconds(forwarded.milliseconds) : '-';
}

function formatCells({
  receivedAt,
  replayedAt = receivedAt,
  event,
  form,
  verified,
  payload,
}: ReceivedDeliveryEvent): readonly string[] {
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

/** ID of the document that a payload of either form refers to. */
function documentIdOf(payload: unknown): string {
  if (!isObject(payload)) return '-';
  const data = isObject(payload['data']) ? payload['data'] : payload;
  const metadata = isObject(data['metadata']) ? data['metadata'] : {};
  const document = isObject(metadata['document']) ? metadata['document'] : metadata;
  const { documentId } = document;
  return typeof documentId === 'string' ? documentId : '-';
}
