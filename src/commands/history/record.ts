import type { Command, Option } from 'commander';
import { readAttribution } from '../../kernel/attribution.ts';
import { CommandExit, FAILURES, messageOf, SvcError } from '../../kernel/errors.ts';
import { withFolderHint } from '../../kernel/folders.ts';
import { redactRemembered } from '../../kernel/redact.ts';
import { rememberEnvironmentSecrets } from '../../kernel/variables.ts';
import type { Activity } from '../activity.ts';
import type { Context } from '../context.ts';
import { appendEntry, type HistoryEntry } from '../history-log.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';

export interface FinishedRun {
  readonly command: Command;
  /** Milliseconds since the epoch. */
  readonly started: number;
  readonly error: unknown;
}

/** Maximum size of a line, in bytes, so that the system writes it at once. */
const MAX_LINE_BYTES = 4_000;
const MAX_COMMAND_LENGTH = 1_000;

/** Adds a command to the history. A failure is a warning: the command has made its writes. */
export async function recordRun(
  context: Context,
  activity: Activity,
  run: FinishedRun,
): Promise<void> {
  try {
    const entry = await createEntry(context, activity, run);
    await appendEntry(context.folders, context.clock, formatLine(entry));
  } catch (error) {
    const hint =
      error instanceof SvcError ? withFolderHint(error, context.folders).hint : undefined;
    const reason = `${messageOf(error)}${hint === undefined ? '' : ` (${hint})`}`;
    await context
      .warn(`the command was not recorded in the history: ${reason}`)
      .catch(() => undefined);
  }
}

async function createEntry(
  context: Context,
  activity: Activity,
  run: FinishedRun,
): Promise<HistoryEntry> {
  const { clock, environment } = context;
  rememberEnvironmentSecrets(environment);
  const attribution = readAttribution(environment);
  const tracing = await context.tracing();
  const command = redactRemembered(sanitizeCommand(run.command));
  return {
    at: new Date(run.started).toISOString(),
    profile: activity.target?.profile ?? null,
    host: activity.target?.host ?? EMBEDDED_SERVICE,
    command:
      command.length > MAX_COMMAND_LENGTH ? `${command.slice(0, MAX_COMMAND_LENGTH)}…` : command,
    ids: activity.ids.map((id) => redactRemembered(id)),
    calls: activity.calls,
    records: activity.counts ?? null,
    ...outcomeOf(run.error),
    undo: activity.undo,
    ...(activity.approvedBy.length > 0 && { approvedBy: activity.approvedBy }),
    seconds: Math.round(clock.now() - run.started) / 1_000,
    user: attribution.user,
    agent: attribution.agent && redactRemembered(attribution.agent),
    ci: attribution.ci && redactRemembered(attribution.ci),
    trace: tracing?.traceId ?? attribution.trace,
  };
}

function outcomeOf(error: unknown): Pick<HistoryEntry, 'outcome' | 'exitCode'> {
  if (error === undefined) return { outcome: 'done', exitCode: 0 };
  if (error instanceof CommandExit) return { outcome: 'command_exit', exitCode: error.exitCode };
  const failure = error instanceof SvcError ? error.failure : 'bug';
  return { outcome: failure, exitCode: FAILURES[failure].exitCode };
}

function formatLine(entry: HistoryEntry): string {
  const line = JSON.stringify(entry);
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;
  if (entry.ids.length > 0) return formatLine({ ...entry, ids: entry.ids.slice(0, -1) });
  return JSON.stringify({ ...entry, command: `${entry.command.slice(0, 200)}…` });
}

/**
 * Value names of flags whose values are recorded, such as `<id>`. Values of other flags may be free
 * text.
 */
const RECORDED_VALUES = new Set(
  'id n n|auto i/n path name format duration when time v url a,b'.split(' '),
);
const MAX_VALUES = 5;
const MAX_VALUE_LENGTH = 100;
const ELLIPSIS = '…';

export function sanitizeCommand(command: Command): string {
  const chain = [...ancestry(command)];
  const path = chain.map((level) => level.name());
  const operands = command.args.map(truncate);
  const flags = chain
    .toReversed()
    .flatMap((level) => level.options.flatMap((option) => formatFlag(level, option)));
  return [...path, ...operands, ...flags].join(' ');
}

function* ancestry(command: Command): Generator<Command> {
  if (command.parent) yield* ancestry(command.parent);
  yield command;
}

function formatFlag(command: Command, option: Option): readonly string[] {
  const name = option.attributeName();
  if (command.getOptionValueSource(name) !== 'cli') return [];
  const value: unknown = command.getOptionValue(name);
  const flag = option.long ?? option.flags;
  if (typeof value === 'boolean') return value === !option.negate ? [flag] : [];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isRecorded =
    option.argChoices !== undefined || RECORDED_VALUES.has(/<(.*)>/.exec(option.flags)?.[1] ?? '');
  if (!isRecorded) return [`${flag} ${ELLIPSIS}`];
  const shown = values.slice(0, MAX_VALUES).map((one) => `${flag} ${truncate(String(one))}`);
  return values.length > MAX_VALUES ? [...shown, ELLIPSIS] : shown;
}

function truncate(text: string): string {
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}${ELLIPSIS}` : text;
}
