import { SvcError } from '../../kernel/errors.ts';
import { once } from '../../kernel/once.ts';
import { FORMATS, type Format } from '../../output/format.ts';
import type { Activity } from '../activity.ts';
import { checkProtectedProfile, serviceLabel } from '../connection/protected-profile.ts';
import { ensureAllowed } from '../connection/protections.ts';
import type { Context, GlobalOptions, OpenedContext, ProcessEnvironment } from '../context.ts';
import { parseFormat } from '../global-flags.ts';
import { canAsk, openPrompter, withCiReason } from '../terminal/terminal.ts';
import { openOutput } from './open-output.ts';
import { type OpenedService, openService, type ServiceOrigin } from './open-service.ts';

/** Properties that a command sets for its context, and that a reopened context takes over. */
export interface ContextOrigin extends Partial<ServiceOrigin> {
  readonly inputNaming?: Context['inputNaming'];
  readonly words?: Context['words'];
}

/** Opens a context with the given options. Creates expensive parts on first use. */
export function openContext(
  processEnvironment: ProcessEnvironment,
  options: GlobalOptions,
  activity: Activity,
  { inputNaming = 'flags', words = [], ...given }: ContextOrigin = {},
): OpenedContext {
  const origin = {
    isLocalOnly: false,
    credential: 'apiKey',
    fileTarget: undefined,
    ...given,
  } as const;
  const { fileTarget, isLocalOnly } = origin;
  const self = () => context;
  const service = openService(processEnvironment, options, origin, self);
  const {
    checkFilter,
    close: closeOutput,
    ...output
  } = openOutput(processEnvironment, options, () => readFormat(service, isLocalOnly), self);
  const { output: _, folderFiles, close: closeService, ...serviceParts } = service;
  const context: Context = {
    ...processEnvironment,
    ...output,
    ...serviceParts,
    options,
    activity,
    inputNaming,
    words,
    fileTarget,
    client: async () => {
      const connecting = service.client();
      connecting.catch(() => undefined);
      // An invalid jq expression fails before anything is sent.
      await checkFilter();
      return connecting;
    },
    reopen: ({ options: changed = options, ...changes }) =>
      reopen(context, changed, changes, { ...origin, folderFiles, target: service.target }),
    confirm: (question, about = 'service') => confirm(context, question, about),
    prompter: once(async () => openPrompter(processEnvironment)),
  };
  return {
    context,
    close: async (error) => {
      await closeOutput();
      await closeService(error);
    },
  };
}

/** Opens a context for the same run. It has the same target, unless a change selects another one. */
function reopen(
  context: Context,
  options: GlobalOptions,
  { inputNaming = context.inputNaming, fileTarget, ...parts }: Parameters<Context['reopen']>[0],
  { target, ...origin }: ServiceOrigin,
): OpenedContext {
  const isSame =
    fileTarget === undefined &&
    TARGET_OPTIONS.every((name) => options[name] === context.options[name]);
  return openContext({ ...context, ...parts }, options, context.activity, {
    ...origin,
    inputNaming,
    words: context.words,
    fileTarget: fileTarget ?? origin.fileTarget,
    ...(isSame && { target }),
  });
}

/** Options that select the target. */
const TARGET_OPTIONS = [
  'local',
  'store',
  'profile',
  'baseUrl',
  'caFile',
  'clientCert',
  'clientKey',
] as const satisfies readonly (keyof GlobalOptions)[];

async function readFormat(
  { output }: OpenedService,
  isLocalOnly: boolean,
): Promise<Format | undefined> {
  if (!isLocalOnly) {
    const setting = await output();
    return setting && parseFormat(setting.value, setting.source);
  }
  // Commands of the embedded service run without readable settings.
  const setting = await output().catch(() => undefined);
  return FORMATS.find((known) => known === setting?.value);
}

/**
 * Asks for confirmation.
 * @throws SvcError `usage` if the user declines, or if prompts are not possible; like
 * `checkProtections` for a service
 */
async function confirm(
  context: Context,
  question: string,
  about: 'service' | 'this machine',
): Promise<void> {
  if (about === 'service') await checkProtections(context);
  if (context.options.yes) return;
  const asked = about === 'service' ? `${question} (${await serviceLabel(context)})` : question;
  if (!canAsk(context))
    throw new SvcError('usage', `confirmation required: ${asked}`, {
      hint: withCiReason(context, 'add --yes to confirm without a prompt'),
    });
  const prompter = await context.prompter();
  if (!(await prompter.confirm(asked, false)))
    throw new SvcError('usage', 'not confirmed; nothing was changed');
}

/**
 * Refuses a write to a read-only target, and a write to a protected profile if the user cannot be
 * asked, before any question.
 * @throws SvcError `read_only` or `usage`
 */
async function checkProtections(context: Context): Promise<void> {
  await ensureAllowed(context, { effect: 'once' });
  if (canAsk(context)) return;
  await checkProtectedProfile(context);
}
