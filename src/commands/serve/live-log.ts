import type { RequestRecord } from '../../catalog/local/answers.ts';
import type { LoggedAttempt } from '../../catalog/local/delivery.ts';
import type { Sink } from '../../kernel/io.ts';
import { escapeJsonForTerminal } from '../../kernel/safe-text.ts';
import { loadPalette } from '../../output/palette.ts';
import type { Context } from '../context.ts';
import { createLineFormatter, formatAttemptLine } from '../terminal/request-line.ts';
import { shouldUseColor } from '../terminal/terminal.ts';

/**
 * Maximum bytes waiting for a slow reader. Further lines are dropped, so that the service is not
 * delayed.
 */
const MAX_PENDING_BYTES = 1_000_000;

/** Log of `svc serve`. */
interface LiveLog {
  readonly onRequest: (record: RequestRecord) => void;
  readonly onAttempt: (attempt: LoggedAttempt) => void;
}

/**
 * Creates the log of requests and of delivery attempts: NDJSON on stdout with `-o ndjson`, otherwise
 * text on stderr if it is a terminal.
 */
export async function createLiveLog(context: Context): Promise<LiveLog | undefined> {
  const { io, options, environment } = context;
  if (options.quiet) return undefined;
  const format = await context.format();
  if (format === 'ndjson') {
    const write = createLineWriter(io.stdout, (dropped) => `${JSON.stringify({ dropped })}\n`);
    const writeJson = (value: object) => write(`${escapeJsonForTerminal(JSON.stringify(value))}\n`);
    return {
      onRequest: (record) => writeJson({ ...record, milliseconds: record.ms }),
      onAttempt: (delivery) => writeJson({ delivery }),
    };
  }
  if (format === 'json' || !io.stderr.isTerminal) return undefined;
  const palette = await loadPalette(shouldUseColor(options.color, io.stderr, environment));
  const write = createLineWriter(io.stderr, (dropped) => `${dropped} lines dropped\n`);
  const formatLine = createLineFormatter(io.stderr.columns, palette);
  return {
    onRequest: (record) => write(`${formatLine(record)}\n`),
    onAttempt: (attempt) => write(`${formatAttemptLine(attempt, io.stderr.columns, palette)}\n`),
  };
}

/**
 * Creates a function that writes lines without waiting for the reader. A write error ends the log.
 */
function createLineWriter(
  sink: Sink,
  describeDropped: (lines: number) => string,
): (line: string) => void {
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
    // Accessing `stream` opens the stream, because the first write to an unopened sink blocks the
    // process.
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
