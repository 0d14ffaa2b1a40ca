import type { RequestRecord } from '../../catalog/local/answers.ts';
import type { LoggedAttempt } from '../../catalog/local/delivery.ts';
import { manifest } from '../../catalog/manifest.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import type { Palette } from '../../output/palette.ts';
import { formatMilliseconds } from '../../output/quantities.ts';
import { formatOutcome, nameEndpoint, shortenId } from './delivery-views.ts';

const WIDE = 72;
const MAX_PATH_LENGTH = 60;

/** Creates a formatter of lines such as `14:05:42  POST  users add  200  12 ms  2 records`. */
export function createLineFormatter(
  columns = 80,
  palette: Palette,
): (record: RequestRecord) => string {
  const isWide = columns >= WIDE;
  let nameWidth = 24;
  return (record) => {
    const { time, method, path, operation, status, error, ms, fault } = record;
    const command = manifest.find(({ name }) => name === operation)?.command.join(' ');
    const name = escapeForTerminal(command ?? path).slice(0, MAX_PATH_LENGTH);
    nameWidth = Math.max(nameWidth, name.length);
    const outcome = status === null ? 'no response' : [status, error].filter(Boolean).join(' ');
    const duration = formatMilliseconds(ms);
    const colorize = status !== null && status < 400 ? palette.good : palette.bad;
    const cells = [
      ...(isWide ? [palette.dim(new Date(time).toTimeString().slice(0, 8))] : []),
      escapeForTerminal(method),
      isWide ? name.padEnd(nameWidth) : name,
      colorize(outcome),
      isWide ? duration.padStart(6) : duration,
      [formatRecords(record), fault === null ? '' : `fault ${escapeForTerminal(fault)}`]
        .filter(Boolean)
        .join(', '),
    ];
    return cells.join(isWide ? '  ' : ' ').trimEnd();
  };
}

/** Formats a line such as `14:05:42  HOOK  comment.add  crm  500 in 8 ms  "KeyError"`. */
export function formatAttemptLine(
  attempt: LoggedAttempt,
  columns: number | undefined,
  palette: Palette,
): string {
  const { at, event, attempt: number, reason } = attempt;
  const endpoint = nameEndpoint(attempt);
  const isWide = (columns ?? WIDE) >= WIDE;
  const colorize = reason === null ? palette.good : palette.bad;
  const outcome = formatOutcome(attempt, reason === null || !isWide ? 0 : undefined);
  const cells = [
    ...(isWide ? [palette.dim(new Date(at).toTimeString().slice(0, 8))] : []),
    'HOOK',
    escapeForTerminal(event),
    escapeForTerminal(isWide ? endpoint : shortenId(endpoint)),
    number === 1 ? '' : `attempt ${number}`,
    colorize(outcome),
  ];
  return cells.filter(Boolean).join(isWide ? '  ' : ' ');
}

function formatRecords({ records, failed }: RequestRecord): string {
  if (records === null) return '';
  return `${formatNounCount(records, 'record')}${failed > 0 ? `, ${failed} failed` : ''}`;
}
