import type { Command } from 'commander';
import { CommandExit, FAILURES, messageOf, SvcError } from '../../kernel/errors.ts';
import { redactMet } from '../../kernel/redact.ts';
import { meetEnvironment } from '../../kernel/variables.ts';
import type { Activity } from '../activity.ts';
import type { Context } from '../context.ts';
import { EMBEDDED } from '../embedded.ts';
import { keptCommand } from './kept-command.ts';
import { appendEntry, type HistoryEntry } from './log.ts';

/** A run that is over. */
export interface FinishedRun {
  readonly command: Command;
  /** Milliseconds since the epoch. */
  readonly started: number;
  /** What it failed with, if it did. */
  readonly error: unknown;
}

/** Bytes of a line: one write of so many is never mixed with another process's. */
const LONGEST_LINE = 4_000;
const LONGEST_COMMAND = 1_000;

/**
 * Writes the history's line of a run that called the service to write something. It never fails the run: `--verbose`
 * says why there is no line.
 */
export async function recordRun(context: Context, activity: Activity, run: FinishedRun): Promise<void> {
  try {
    const entry = await entryOf(context, activity, run);
    await appendEntry(context.folders, context.clock, lineOf(entry));
  } catch (error) {
    const reason = messageOf(error);
    if (context.options.verbose) await context.warn(`no line in the history: ${reason}`).catch(() => undefined);
  }
}

async function entryOf(context: Context, activity: Activity, run: FinishedRun): Promise<HistoryEntry> {
  const { options, clock, environment } = context;
  const { profile, baseUrl } = options.local ? {} : await context.openSettings();
  meetEnvironment(environment);
  const command = redactMet(keptCommand(run.command));
  return {
    at: new Date(run.started).toISOString(),
    profile: profile?.value ?? null,
    host: baseUrl ? new URL(baseUrl.value).host : EMBEDDED,
    ...activity.elsewhere,
    command: command.length > LONGEST_COMMAND ? `${command.slice(0, LONGEST_COMMAND)}…` : command,
    ids: activity.ids.map((id) => redactMet(id)),
    calls: activity.calls,
    records: activity.counts ?? null,
    ...endOf(run.error),
    seconds: Math.round(clock.now() - run.started) / 1_000,
  };
}

function endOf(error: unknown): Pick<HistoryEntry, 'outcome' | 'exitCode'> {
  if (error === undefined) return { outcome: 'done', exitCode: 0 };
  if (error instanceof CommandExit) return { outcome: 'command_exit', exitCode: error.exitCode };
  const failure = error instanceof SvcError ? error.failure : 'bug';
  return { outcome: failure, exitCode: FAILURES[failure].exitCode };
}

/** One line, with as many of the ids as it has room for. */
function lineOf(entry: HistoryEntry): string {
  const line = JSON.stringify(entry);
  if (Buffer.byteLength(line) <= LONGEST_LINE) return line;
  if (entry.ids.length > 0) return lineOf({ ...entry, ids: entry.ids.slice(0, -1) });
  return JSON.stringify({ ...entry, command: `${entry.command.slice(0, 200)}…` });
}
