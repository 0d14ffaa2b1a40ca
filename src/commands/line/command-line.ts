import type { Command } from 'commander';
import { CommandExit, FAILURES, SvcError } from '../../kernel/errors.ts';
import { FOLDER_VARIABLES, type Folders, withFolderHint } from '../../kernel/folders.ts';
import { guardLog } from '../../kernel/log-commands.ts';
import { once } from '../../kernel/once.ts';
import { redactRemembered } from '../../kernel/redact.ts';
import { SETTING_VARIABLES, SWITCH_VARIABLES } from '../../kernel/variables.ts';
import { Activity } from '../activity.ts';
import { withoutForbiddenHint } from '../connection/protections.ts';
import type {
  Context,
  GlobalOptions,
  OpenedContext,
  ProcessEnvironment,
  Tracing,
} from '../context.ts';
import { parseGlobalOptions } from '../global-flags.ts';
import type { HelpPage } from '../help/blocks.ts';
import { printHelp } from '../help/print-help.ts';
import { type ContextOrigin, openContext } from '../run/open-context.ts';
import { type ServiceFlags, withServiceFlags } from '../service-flags.ts';
import { usesJsonMessages } from '../terminal/terminal.ts';
import { commandPath } from './command-words.ts';
import { withLocalList } from './local-list.ts';
import { createProgram } from './program.ts';
import { completeSuggestions } from './usage-error.ts';

export async function runCommandLine(
  words: readonly string[],
  givenEnvironment: ProcessEnvironment,
): Promise<void> {
  const processEnvironment: ProcessEnvironment = {
    ...givenEnvironment,
    io: guardLog(givenEnvironment.io, givenEnvironment.environment),
    runLine: (nested, environment) => runCommandLine(nested, { ...givenEnvironment, environment }),
  };
  const line = withLocalList(words);
  let printed = '';
  const pages: HelpPage[] = [];
  let opened: OpenedContext | undefined;
  let failure: unknown;
  const program = await createProgram({
    words: line,
    print: (text) => {
      printed += text;
    },
    showHelp: (page) => {
      pages.push(page);
    },
    openContext: (options, command, origin) => {
      opened = openCommandContext(processEnvironment, options, command, origin);
      return opened.context;
    },
  });
  try {
    await program.parseAsync(line, { from: 'user' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && HELP_CODES.includes(error.code))) {
      failure =
        error instanceof SvcError
          ? withServiceFlags(
              withFolderHint(
                opened
                  ? await withoutForbiddenHint(error, opened.context)
                  : await completeSuggestions(error),
                processEnvironment.folders,
              ),
              opened?.context.options ?? parsedServiceFlags(program),
            )
          : error;
      throw failure;
    }
  } finally {
    await opened?.close(failure);
  }
  // The other flags may be invalid.
  const { color = 'auto' } = program.opts<{ readonly color?: GlobalOptions['color'] }>();
  if (printed) await processEnvironment.io.stdout.write(printed);
  if (pages.length > 0) await printHelp(pages.flat(), processEnvironment, color);
}

/** Opens the context of a command. Closing the context adds the command's writes to the history. */
function openCommandContext(
  processEnvironment: ProcessEnvironment,
  options: GlobalOptions,
  command: Command,
  origin: ContextOrigin,
): OpenedContext {
  const { clock, environment } = processEnvironment;
  const started = clock.now();
  const keepsHistory = environment[SWITCH_VARIABLES.history] !== '0';
  const loadRecorder = once(() => import('../history/record.ts'));
  // During the first write: an update of svc may delete the program files before the command ends.
  const activity = new Activity(() => {
    if (keepsHistory) void loadRecorder().catch(() => undefined);
  });
  const folders = withOptionalProfiles(processEnvironment, options, (text) => context.warn(text));
  const { context, close } = openContext(
    { ...processEnvironment, folders },
    options,
    activity,
    origin,
  );
  return {
    context,
    close: async (error) => {
      await nameTarget(context);
      const isRecorded = activity.calls > 0 || activity.isRecordedRead;
      if (isRecorded && keepsHistory) {
        const { recordRun } = await loadRecorder();
        await recordRun(context, activity, { command, started, error });
      }
      await close(error);
      const tracing = await context.tracing();
      if (tracing) await sendSpans(context, tracing, commandPath(command), exitCodeOf(error));
    },
  };
}

/** Names the profile of writes if a `.svc.json` chose it, unless a message has done so. */
async function nameTarget({ activity, note }: OpenedContext['context']): Promise<void> {
  const { profile, folderFile } = activity.target ?? {};
  if (folderFile !== undefined && !activity.isTargetNamed)
    await note(`Sent to profile ${profile}, from ${folderFile}`);
}

/** Sends the spans of a command. Failures do not affect the command; `--verbose` prints the reason. */
async function sendSpans(
  context: OpenedContext['context'],
  tracing: Tracing,
  command: string,
  exitCode: number,
): Promise<void> {
  const { options, io } = context;
  const outcome = await tracing.finish(command, exitCode);
  if (options.debug || (options.verbose && !usesJsonMessages(context)))
    await io.stderr.write(`${redactRemembered(outcome)}\n`).catch(() => undefined);
}

function exitCodeOf(error: unknown): number {
  if (error === undefined) return 0;
  if (error instanceof CommandExit) return error.exitCode;
  return FAILURES[error instanceof SvcError ? error.failure : 'bug'].exitCode;
}

function parsedServiceFlags(program: Command): ServiceFlags {
  try {
    return parseGlobalOptions(program.opts());
  } catch {
    return { local: false };
  }
}

const HELP_CODES: readonly unknown[] = [
  'commander.helpDisplayed',
  'commander.help',
  'commander.version',
];

/**
 * Lets a command run without readable profiles if the environment names no profile and has all
 * credentials, as in a container of another user. The command then warns once.
 */
function withOptionalProfiles(
  { folders, environment }: ProcessEnvironment,
  { local, profile, baseUrl }: GlobalOptions,
  warn: Context['warn'],
): Folders {
  const isSet = (name: keyof typeof SETTING_VARIABLES) =>
    Boolean(environment[SETTING_VARIABLES[name]]);
  const hasCredential =
    (isSet('apiKey') && isSet('authToken')) ||
    (isSet('workspaceId') && isSet('workspaceAuthToken'));
  const isComplete = hasCredential && (baseUrl !== undefined || isSet('baseUrl'));
  if (local || profile !== undefined || isSet('profile') || !isComplete) return folders;
  const ignoreUnreadableProfiles = once(({ message }: Error) =>
    warn(
      `${message}; using the environment only (to use another folder, set ${FOLDER_VARIABLES.config})`,
    ),
  );
  return { ...folders, ignoreUnreadableProfiles };
}
