import { resolve } from 'node:path';
import {
  type CallEvent,
  type Client,
  type ClientOptions,
  type Target as ClientTarget,
  createClient,
} from '../../client/client.ts';
import { messageOf } from '../../kernel/errors.ts';
import { createPause } from '../../kernel/run-in-slices.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { traceHeadersOf } from '../../kernel/trace-parent.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import { formatJsonDocument } from '../../output/json.ts';
import { formatJsonMessage } from '../../output/message-text.ts';
import { formatCountdown } from '../../output/progress-text.ts';
import { createNotConfiguredError } from '../../profiles/missing-settings.ts';
import type { TargetWithSecrets } from '../../profiles/target.ts';
import type { EmbeddedInstance } from '../../service/embedded.ts';
import { trackActivity } from '../activity.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';
import { addSpinner } from '../terminal/spinner.ts';
import { usesJsonMessages } from '../terminal/terminal.ts';
import { checkProtectedProfile } from './protected-profile.ts';
import { findProtections } from './protections.ts';
import { openEmbeddedRoute, openNetworkRoute, type ServiceRoute } from './service-route.ts';

export interface Connection {
  readonly client: Client;
  readonly embedded?: EmbeddedInstance;
  /** @param error why the command failed; an error of the close itself is then only a warning */
  close(error?: unknown): Promise<void>;
}

export async function connect(context: Context): Promise<Connection> {
  const resolved = await context.targetWithSecrets();
  const protections = await findProtections(context);
  if (resolved.embedded) {
    const { embedded, ...route } = await openEmbeddedRoute(context);
    const tracer = await context.tracing();
    const target = { ...resolved, client: embedded.target };
    return { ...connection(context, target, route, { ...protections, tracer }), embedded };
  }
  const target = toClientTarget(resolved);
  const recording = await openRecording(context);
  const { wire, close } = await openNetworkRoute(context, target);
  const route: OpenedRoute = {
    wire: { ...wire, ...optionalProperty('record', recording?.record) },
    close: async (error) => {
      await close();
      await recording?.save(error);
    },
  };
  const tracer = await context.tracing();
  return connection(context, { ...resolved, client: target }, route, { ...protections, tracer });
}

interface OpenedRoute extends Pick<Connection, 'close'> {
  readonly wire: ServiceRoute['wire'] & Pick<ClientOptions, 'record'>;
}

function connection(
  context: Context,
  {
    client: target,
    embedded,
    profile,
    folderFile,
  }: Pick<TargetWithSecrets, 'embedded' | 'profile' | 'folderFile'> & {
    readonly client: ClientTarget;
  },
  { wire, close }: OpenedRoute,
  { readOnly, approvals, tracer }: Pick<ClientOptions, 'readOnly' | 'approvals' | 'tracer'>,
): Connection {
  const { clock, signal, options, io } = context;
  const pause = createPause(signal);
  const printPlan: ClientOptions['dryRun'] = async (request) => {
    await pause();
    await io.stdout.write(formatJsonDocument(request, io.stdout.isTerminal));
  };
  const client = createClient({
    ...wire,
    target,
    clock,
    signal,
    maxWait: options.maxWait,
    ...(options.retryFor !== undefined && {
      retryTimes: { call: options.retryFor, job: options.retryFor },
    }),
    insecureHttp: options.insecureHttp,
    inputNaming: context.inputNaming,
    observe: createCallLog(context),
    readOnly,
    approvals,
    tracer,
    headers: traceHeadersOf(context.environment),
    beforeWrite: () => checkProtectedProfile(context),
    ...(options.dryRun && { dryRun: printPlan }),
  });
  if (options.dryRun) return { client, close };
  const host = URL.parse(target.baseUrl)?.host ?? target.baseUrl;
  const tracked = trackActivity(client, context.activity, {
    profile: profile?.value ?? null,
    host: embedded ? EMBEDDED_SERVICE : host,
    ...optionalProperty('folderFile', folderFile),
  });
  const name = embedded ? `the ${EMBEDDED_SERVICE}` : host;
  return { client: addSpinner(tracked, context, name), close };
}

/**
 * @throws SvcError `no_credential` without a service URL. Operations that need other settings
 * report missing ones.
 */
function toClientTarget(resolved: TargetWithSecrets): ClientTarget {
  const {
    baseUrl,
    headerPrefix,
    apiKey,
    authToken,
    workspaceId,
    workspaceAuthToken,
    missingReason,
    profile,
    tokenReplacedAt: at,
    workspaceConflict,
  } = resolved;
  const replaced = profile && at !== undefined ? { profile: profile.value, at } : undefined;
  if (!baseUrl) throw createNotConfiguredError(resolved);
  return {
    baseUrl: baseUrl.value,
    headerPrefix: headerPrefix.value,
    key: { apiKey: apiKey?.value ?? '', authToken: authToken?.value ?? '' },
    workspace: {
      workspaceId: workspaceId?.value ?? '',
      workspaceAuthToken: workspaceAuthToken?.value ?? '',
    },
    sources: {
      ...(apiKey &&
        authToken && {
          key: {
            id: apiKey.source,
            token: authToken.source,
            ...optionalProperty('replaced', replaced),
          },
        }),
      ...(workspaceId &&
        workspaceAuthToken && {
          workspace: { id: workspaceId.source, token: workspaceAuthToken.source },
        }),
    },
    ...optionalProperty('missingReason', missingReason),
    ...optionalProperty('profile', profile?.value),
    ...optionalProperty('workspaceConflict', workspaceConflict),
  };
}

/**
 * Creates an observer that prints calls to stderr: with `--verbose`, a line per request; with
 * `--debug`, also the bodies; without `--quiet`, a countdown while waiting for a rate limit. If
 * messages are lines of JSON, prints waits and settled writes as such, and lines about requests only
 * with `--debug`.
 */
function createCallLog(context: Context): NonNullable<ClientOptions['observe']> {
  const { options, clock } = context;
  const usesJson = usesJsonMessages(context);
  // Ignores failures to print.
  return (event) => {
    if (usesJson && event.kind === 'waiting') {
      const remaining = event.untilEpoch - clock.now();
      return void context.note(formatCountdown({ remaining, reason: event.reason }));
    }
    if (usesJson && event.kind === 'settled') return void context.note(event.message);
    if (usesJson && !options.debug) return;
    if (event.kind === 'waiting')
      return void context
        .progress()
        .then((progress) => progress.countDown(event.untilEpoch, event.reason));
    const text = linesOf(event, options).map((line) =>
      usesJson ? formatJsonMessage('debug', line) : `${escapeForTerminal(line)}\n`,
    );
    if (text.length > 0) void context.progress().then((progress) => progress.print(text.join('')));
  };
}

function linesOf(
  event: Exclude<CallEvent, { kind: 'waiting' }>,
  { debug, verbose, quiet }: Context['options'],
): readonly string[] {
  switch (event.kind) {
    case 'request': {
      if (!debug) return [];
      const { url, headers, body } = event.request();
      const headerLines = Object.entries(headers).map(([name, value]) => `> ${name}: ${value}`);
      return [`> POST ${url}`, ...headerLines, `> ${JSON.stringify(body)}`];
    }
    case 'response': {
      // The search for secrets in the URL takes longer than the rest of the call.
      if (!debug && !verbose) return [];
      const line = `POST ${event.url()} ${event.httpStatus} in ${Math.round(event.milliseconds)} ms`;
      return debug ? [`< ${line}`, `< ${event.body()}`] : [line];
    }
    case 'settled':
      return quiet ? [] : [event.message];
    case 'retry':
      return verbose || debug
        ? [`retrying in ${Math.round(event.inMilliseconds)} ms: ${event.reason}`]
        : [];
  }
}

interface Recording {
  readonly record: NonNullable<ClientOptions['record']>;
  /** @param error why the command failed; an error of the save itself is then only a warning */
  save(error: unknown): Promise<void>;
}

/**
 * Starts to record the exchanges of a command, if `SVC_CONTRACT` names a file.
 * @throws SvcError `invalid_input` if the file is not a contract, before anything is sent
 */
async function openRecording(context: Context): Promise<Recording | undefined> {
  const { recorder: given, environment, options, cwd, folders, clock } = context;
  if (given) return { record: given.record, save: async () => undefined };
  const name = environment[SWITCH_VARIABLES.contract];
  if (!name || options.dryRun) return undefined;
  const [{ addToContractFile, readContractIfExists }, { createRecorder }] = await Promise.all([
    import('../../contract/contract-file.ts'),
    import('../../contract/recorder.ts'),
  ]);
  const path = resolve(cwd, name);
  await readContractIfExists(path, name);
  const recorder = createRecorder();
  const save = async () => {
    const recorded = await recorder.contract();
    if (recorded.operations.size + recorded.otherPaths > 0)
      await addToContractFile({ path, name, stateFolder: folders.state, clock }, recorded);
  };
  return {
    record: recorder.record,
    save: (error) =>
      save().catch(async (problem: unknown) => {
        if (error === undefined) throw problem;
        await context.warn(`the exchanges were not recorded: ${messageOf(problem)}`);
      }),
  };
}
