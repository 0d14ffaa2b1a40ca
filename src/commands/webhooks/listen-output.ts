import { isObject } from '../../kernel/is-object.ts';
import { safeText } from '../../kernel/safe-text.ts';
import type { Forwarded, TakenDelivery } from '../../webhooks/listener.ts';
import type { Context } from '../context.ts';

/** Shows deliveries as they come. */
export interface DeliveryOutput {
  show(delivery: TakenDelivery): Promise<void>;
  /** Prints what could not be printed before the last one was known. */
  end(): Promise<void>;
}

/** A line a delivery: aligned for people, JSON with `ndjson`. Other formats are documents, printed whole at the end. */
export async function deliveryOutput(context: Context): Promise<DeliveryOutput> {
  const [format, printer] = [await context.format(), await context.printer()];
  const end = async () => undefined;
  if (format === 'ndjson') return { show: (delivery) => printer.value(delivery, {}), end };
  if (format === 'table' && !context.options.fields) {
    const line = alignedLine();
    return { show: (delivery) => context.io.stdout.write(line(delivery)), end };
  }
  const all: TakenDelivery[] = [];
  return {
    show: async (delivery) => void all.push(delivery),
    end: () => printer.value(all, {}),
  };
}

/** Columns as wide as their widest cell so far; what is to come is not known. */
function alignedLine(): (delivery: TakenDelivery) => string {
  const widths = [20, 20, 8, 12];
  return (delivery) => {
    const cells = cellsOf(delivery).map(safeText);
    const padded = cells.map((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
      return cell.padEnd(widths[column]);
    });
    return `${padded.join('  ').trimEnd()}\n`;
  };
}

function cellsOf({ receivedAt, event, form, verified, payload, forwarded }: TakenDelivery): readonly string[] {
  const time = receivedAt.replace(/\.\d+Z$/, 'Z');
  return [time, event, verified ? form : `${form}, unverified`, documentOf(payload), forwardCell(forwarded)];
}

function forwardCell(forwarded: Forwarded | null): string {
  if (!forwarded) return '-';
  return forwarded.status === null ? `failed: ${forwarded.error ?? 'no answer'}` : `forwarded: ${forwarded.status}`;
}

/** The document that a payload of either form is about. */
function documentOf(payload: unknown): string {
  if (!isObject(payload)) return '-';
  const data = isObject(payload['data']) ? payload['data'] : payload;
  const metadata = isObject(data['metadata']) ? data['metadata'] : {};
  const document = isObject(metadata['document']) ? metadata['document'] : metadata;
  const { documentId } = document;
  return typeof documentId === 'string' ? documentId : '-';
}
