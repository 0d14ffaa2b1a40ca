import { isObject } from '../../kernel/is-object.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import type { ForwardResult, ReceivedDeliveryEvent } from '../../webhooks/listener.ts';
import type { Context } from '../context.ts';

/** Shows deliveries as they arrive. */
export interface DeliveryOutput {
  show(delivery: ReceivedDeliveryEvent): Promise<void>;
  /** Prints the document that holds all deliveries, in formats that need all of them first. */
  end(): Promise<void>;
}

/** Prints one line per delivery: aligned columns in a table, JSON with `ndjson`. Other formats are printed at the end. */
export async function createDeliveryOutput(context: Context): Promise<DeliveryOutput> {
  const [format, printer] = [await context.format(), await context.printer()];
  const end = async () => undefined;
  if (format === 'ndjson') return { show: (delivery) => printer.value(delivery, {}), end };
  if (format === 'table' && !context.options.fields) {
    const line = createLineFormatter();
    return { show: (delivery) => context.io.stdout.write(line(delivery)), end };
  }
  const all: ReceivedDeliveryEvent[] = [];
  return {
    show: async (delivery) => void all.push(delivery),
    end: () => printer.value(all, {}),
  };
}

/** Pads each column to its widest cell so far. */
function createLineFormatter(): (delivery: ReceivedDeliveryEvent) => string {
  const widths = [20, 20, 8, 12];
  return (delivery) => {
    const cells = formatCells(delivery).map(escapeForTerminal);
    const padded = cells.map((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
      return cell.padEnd(widths[column]);
    });
    return `${padded.join('  ').trimEnd()}\n`;
  };
}

function formatCells({
  receivedAt,
  event,
  form,
  verified,
  payload,
  forwarded,
}: ReceivedDeliveryEvent): readonly string[] {
  const time = receivedAt.replace(/\.\d+Z$/, 'Z');
  return [time, event, verified ? form : `${form}, unverified`, documentIdOf(payload), formatForwardResult(forwarded)];
}

function formatForwardResult(forwarded: ForwardResult | null): string {
  if (!forwarded) return '-';
  return forwarded.status === null ? `failed: ${forwarded.error ?? 'no response'}` : `forwarded: ${forwarded.status}`;
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
