import type { Operation } from '../../catalog/define.ts';
import { loadOperation, loadResource } from '../../catalog/index.ts';
import type { Client } from '../../client/client.ts';
import { requireData } from '../../client/response-data.ts';
import { commandLineOf, hint, SvcError, step } from '../../kernel/errors.ts';
import { completeLoopbackUrl } from '../../kernel/loopback.ts';
import { wrapMessage } from '../../output/message-text.ts';
import { wrapWords } from '../../output/wrap.ts';
import { SNIPPET_LANGUAGES } from '../../webhooks/snippets.ts';
import { CALL_FLAGS } from '../call/call-flags.ts';
import { checkEventTypes } from '../call/event-types.ts';
import { readInputData } from '../call/input-data.ts';
import { addGeneratedId } from '../call/run-call.ts';
import { checkInput } from '../call/validation.ts';
import { ensureAllowed } from '../connection/protections.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { selectOptions } from '../options.ts';
import { commandForService } from '../service-flags.ts';
import { canUseSymbols } from '../terminal/terminal.ts';
import { changeEvents, type EndpointChange } from './change-events.ts';
import {
  askForEndpoint,
  countQuestions,
  describeEndpoint,
  reviewEndpoint,
} from './endpoint-questions.ts';
import { chooseDuplicate } from './endpoint-url.ts';
import {
  confirmByDefault,
  confirmCreation,
  createNotConfirmedError,
  createQuestionNumbers,
  formatColumns,
  printLines,
  wrapForMessages,
} from './setup-messages.ts';
import {
  createEquivalentStep,
  type Data,
  describeDuplicate,
  ENTRY,
  type ExistingEndpoint,
  findDuplicates,
  listEndpoints,
  readIsEnabled,
  requireTerminal,
  SAMPLE_URL,
} from './setup-operation.ts';

export async function setUpEndpoint(context: Context, invocation: Invocation): Promise<void> {
  await ensureAllowed(context, { effect: 'once' });
  const operation = await loadOperation(ENTRY.resource, ENTRY.name);
  const { data: flags } = await readInputData(context, ENTRY, invocation);
  const given =
    typeof flags['url'] === 'string' ? { ...flags, url: completeLoopbackUrl(flags['url']) } : flags;
  const checked = checkInput(context, ENTRY, operation, { url: SAMPLE_URL, ...given }, 'usage');
  await checkEventTypes(
    context,
    operation.eventTypes?.(checked) ?? [],
    selectOptions(CALL_FLAGS, invocation.options),
  );
  requireTerminal(context, given, invocation);
  const client = await context.client();
  const creation = await planEndpoint(context, operation, client, given, invocation).catch(
    (error: unknown) => {
      // A test request may have been sent, so the message must not claim that nothing was sent.
      const isStopped = error instanceof SvcError && error.failure === 'interrupted';
      throw isStopped
        ? new SvcError('interrupted', 'canceled; no endpoint was created', { cause: error })
        : error;
    },
  );
  if ('endpoint' in creation) return changeEvents(context, client, creation);
  await create(context, client, creation);
}

/**
 * Prompts for missing values, shows the plan, and returns it after confirmation. Until then, every
 * answer can be changed.
 */
async function planEndpoint(
  context: Context,
  operation: Operation,
  client: Client,
  given: Data,
  invocation: Invocation,
): Promise<EndpointCreation | EndpointChange> {
  const { dryRun, yes } = context.options;
  const isEnabled = await readIsEnabled(context, client);
  // An extra question, so it has no number.
  if (!isEnabled && !(await confirmByDefault(context, ENABLE_QUESTION)))
    throw createNotConfirmedError();
  const total = countQuestions(given) + (yes || dryRun ? 0 : 1);
  const number = createQuestionNumbers(total, !canUseSymbols(context));
  const existing = isEnabled && !dryRun ? await listEndpoints(client) : [];
  const allowsUnknownEvents =
    selectOptions(CALL_FLAGS, invocation.options).allowUnknownEvent === true;
  const subject = { operation, existing, allowsUnknownEvents };
  const url = String(given['url'] ?? '');
  if (yes) {
    for (const duplicate of findDuplicates(existing, url))
      await context.warn(describeDuplicate(duplicate));
  } else {
    const endpoint = await chooseDuplicate(context, subject, url);
    if (endpoint) return { subject, endpoint };
  }
  const generated: Record<string, unknown> = { ...given };
  addGeneratedId(operation, generated);
  const answers = await askForEndpoint(context, subject, given, number);
  if ('changed' in answers) return { subject, endpoint: answers.changed };
  let asked = answers.data;
  const lastQuestion = yes ? '' : number('Create it?');
  for (;;) {
    const all = Object.entries({ ...asked, uid: asked['uid'] ?? generated['uid'] });
    const data = Object.fromEntries(all.filter(([, value]) => value !== undefined));
    checkInput(context, ENTRY, operation, data, 'usage');
    const command = commandLineOf(createEquivalentStep(context, asked, invocation));
    await showPlan(context, data, isEnabled, command);
    if (dryRun || (await confirmCreation(context, lastQuestion))) return { isEnabled, data };
    asked = await reviewEndpoint(context, subject, asked);
  }
}

const ENABLE_QUESTION = 'Advanced webhooks are disabled. Enable them when creating the endpoint?';

async function showPlan(
  context: Context,
  data: Data,
  isEnabled: boolean,
  command: string,
): Promise<void> {
  const enabling = commandForService(context.options, 'webhooks', 'advanced', 'update', '--enable');
  await printLines(context, [
    '',
    'Endpoint',
    ...formatColumns([
      ...describeEndpoint(data),
      ...(data['disabled'] === true ? [['disabled', 'yes'] as const] : []),
    ]),
    '',
    'Request',
    `  POST ${ENTRY.path}`,
    ...JSON.stringify({ data }, null, 2)
      .split('\n')
      .map((line) => `  ${line}`),
    '',
    'Equivalent command',
    ...(isEnabled ? [] : await wrapForMessages(context, enabling)),
    ...(await wrapForMessages(context, command)),
    '',
  ]);
}

interface EndpointCreation {
  readonly isEnabled: boolean;
  readonly data: Data;
}

async function create(
  context: Context,
  client: Client,
  { isEnabled, data }: EndpointCreation,
): Promise<void> {
  const [config, endpoints] = [
    await loadResource('webhook-config'),
    await loadResource('webhook-endpoints'),
  ];
  if (!isEnabled) await client.call(config['webhooks.advanced.update'], { isEnabled: true });
  const operation = endpoints['webhooks.endpoints.create'];
  const reply = await client
    .call(operation, operation.input.parse(data))
    .catch(async (error: unknown) => {
      const disabling = step('change', 'webhooks', 'advanced', 'update', '--disable');
      if (!isEnabled)
        await context.warn(
          hint`advanced webhooks are now enabled; to disable them again, run ${disabling}`,
        );
      throw error;
    });
  if (!reply.sent) return;
  const { data: endpoint } = reply;
  const listing = step('list', 'webhooks', 'endpoints', 'list');
  if (!endpoint?.id)
    return context.warn(
      hint`the response contains no endpoint ID; to find the endpoint, run ${listing}`,
    );
  try {
    const secret = await client.call(endpoints['webhooks.endpoints.secret'], {
      endpointId: endpoint.id,
    });
    await showCreatedEndpoint(context, { endpoint, secret: requireData(secret).secret });
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw error.reworded({
      message: `${error.failure === 'interrupted' ? 'canceled' : error.message}; the endpoint ${endpoint.id} was created`,
      hint: hint`to delete it, run ${step('change', 'webhooks', 'endpoints', 'delete', endpoint.id)}`,
    });
  }
}

interface CreatedEndpoint {
  readonly endpoint: ExistingEndpoint;
  readonly secret: string;
}

/** On a terminal, the secret comes last, in a box. Otherwise it is a field of the result. */
async function showCreatedEndpoint(
  context: Context,
  { endpoint, secret }: CreatedEndpoint,
): Promise<void> {
  const { io, options } = context;
  const printer = await context.printer();
  const hasBox = io.stdout.isTerminal && (await context.format()) === 'table' && !options.fields;
  await printer.value(hasBox ? endpoint : { ...endpoint, secret }, {});
  const [language, ...otherLanguages] = SNIPPET_LANGUAGES;
  const printSecret = commandForService(
    options,
    'webhooks',
    'endpoints',
    'secret',
    endpoint.id,
    '-q',
  );
  await printLines(context, [
    '',
    'Print code that verifies deliveries:',
    ...(await wrapForMessages(
      context,
      commandLineOf(step('inspect', 'webhooks', 'snippet', '--lang', language)),
    )),
    `  (or ${otherLanguages.join(', ')})`,
    'Print the secret again:',
    ...(await wrapForMessages(context, printSecret)),
    '',
  ]);
  if (hasBox) await io.stderr.write(formatSecretBox(context, secret));
  const test = step('inspect', 'webhooks', 'test', endpoint.url, '--secret-file', '/dev/stdin');
  const command = `${printSecret} | ${commandLineOf(test)}`;
  const line = await wrapMessage(['Test the receiver: ', { command }], io.stderr.columns || 80);
  await printLines(context, line.split('\n'));
}

const SECRET_TITLE = 'Signing secret: store it where your receiver can read it';

/**
 * Formats the secret on a separate line in a box. Omits the sides on narrow terminals, and all
 * lines for screen readers.
 */
function formatSecretBox(context: Context, secret: string): string {
  const columns = context.io.stderr.columns || 80;
  const title = wrapWords(SECRET_TITLE, columns - 4, (text) => text.length);
  if (!canUseSymbols(context)) return `${[...title, secret].join('\n')}\n`;
  const width = Math.max(...[...title, secret].map(({ length }) => length));
  if (width + 4 > columns)
    return `${['─'.repeat(columns), ...title, secret, '─'.repeat(columns)].join('\n')}\n`;
  const lines = [...title, '', secret].map((line) => `│ ${line.padEnd(width)} │`);
  return `${[`╭${'─'.repeat(width + 2)}╮`, ...lines, `╰${'─'.repeat(width + 2)}╯`].join('\n')}\n`;
}
