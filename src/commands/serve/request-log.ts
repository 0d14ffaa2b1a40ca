import type { Sink } from '../../kernel/io.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { escapeForTerminal, escapeJsonForTerminal } from '../../kernel/safe-text.ts';
import { loadPalette, type Palette } from '../../output/palette.ts';
import { formatMilliseconds } from '../../output/quantities.ts';
import type { HandledCall } from '../../service/call-log.ts';
import type { Context } from '../context.ts';
import { shouldUseColor } from '../terminal/terminal.ts';

/** Maximum bytes waiting for a slow reader. Further lines are dropped, so that the service is not delayed. */
const MAX_PENDING_BYTES = 1_000_000;

/** Logs NDJSON on stdout with `-o ndjson`, or text on a terminal's stderr. Returns `undefined` if there is no log. */
export async function createRequestLog(context: Context): Promise<((call: HandledCall) => void) | undefined> {
  const { io, options, environment, clock } = context;
  if (options.quiet) return undefined;
  const format = await context.format();
  const now = () => new Date(clock.now());
  if (format === 'ndjson') {
    const write = createLineWriter(io.stdout, (dropped) => `${JSON.stringify({ dropped })}\n`);
    return (call) => write(`${escapeJsonForTerminal(JSON.stringify(describeCall(call, now())))}\n`);
  }
  if (format === 'json' || !io.stderr.isTerminal) return undefined;
  const palette = await loadPalette(shouldUseColor(options.color, io.stderr, environment));
  const write = createLineWriter(io.stderr, (dropped) => `${dropped} lines dropped\n`);
  const formatLine = createLineFormatter(io.stderr, palette);
  return (call) => write(`${formatLine(call, now())}\n`);
}

/** Creates a function that writes lines without waiting for the reader. A write error ends the log. */
function createLineWriter(sink: Sink, describeDropped: (lines: number) => string): (line: string) => void {
  let [pending, dropped, isOpen] = [0, 0, true];
  const write = (text: string) => {
    pending += text.length;
    const done = () => {
      pending -= text.length;
    };
    sink.write(text).then(done, () => {
      isOpen = false;
    });
  };
  return (line) => {
    // Accessing `stream` opens the stream, because the first write to an unopened sink blocks the process.
    if (!isOpen || !sink.stream.writable) return;
    if (pending + line.length > MAX_PENDING_BYTES) {
      dropped += 1;
      return;
    }
    if (dropped > 0) write(describeDropped(dropped));
    dropped = 0;
    write(line);
  };
}

function describeCall({ method, target, operation, status, error, milliseconds }: HandledCall, time: Date) {
  return {
    time: time.toISOString(),
    method,
    path: pathOf(target),
    operation: operation?.name ?? null,
    status,
    error: error ?? null,
    milliseconds: Math.round(milliseconds * 10) / 10,
    records: operation?.records ?? null,
    failed: operation?.failed ?? 0,
  };
}

const WIDE = 72;
const MAX_PATH_LENGTH = 60;

/** Creates a formatter of lines such as `14:05:42  POST  users add  200  12 ms  2 records`. */
function createLineFormatter({ columns = 80 }: Sink, palette: Palette) {
  const isWide = columns >= WIDE;
  let nameWidth = 24;
  return ({ method, target, operation, status, error, milliseconds }: HandledCall, now: Date): string => {
    const name = escapeForTerminal(operation?.command ?? pathOf(target)).slice(0, MAX_PATH_LENGTH);
    nameWidth = Math.max(nameWidth, name.length);
    const outcome = [status, error].filter(Boolean).join(' ');
    const duration = formatMilliseconds(milliseconds);
    const colorize = status < 400 ? palette.good : palette.bad;
    const cells = [
      ...(isWide ? [palette.dim(now.toTimeString().slice(0, 8))] : []),
      escapeForTerminal(method),
      isWide ? name.padEnd(nameWidth) : name,
      colorize(outcome),
      isWide ? duration.padStart(6) : duration,
      formatRecords(operation),
    ];
    return cells.join(isWide ? '  ' : ' ').trimEnd();
  };
}

/** Removes the query from a request target, because it may contain a secret. */
function pathOf(target: string): string {
  return target.replace(/[?#].*$/s, '');
}

function formatRecords(operation: HandledCall['operation']): string {
  const { records, failed = 0 } = operation ?? {};
  if (records === undefined) return '';
  return `${formatNounCount(records, 'record')}${failed > 0 ? `, ${failed} failed` : ''}`;
}
