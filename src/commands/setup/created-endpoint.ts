import { commandLineOf, step } from '../../kernel/hint.ts';
import { wrapWords } from '../../output/wrap.ts';
import { isSuccessStatus } from '../../webhooks/listener.ts';
import { sendPost } from '../../webhooks/post.ts';
import { SNIPPET_LANGUAGES } from '../../webhooks/snippets.ts';
import type { Context } from '../context.ts';
import { createSampleDelivery } from '../deliveries/sample-delivery.ts';
import { createPostOptions } from '../deliveries/targets.ts';
import { commandForService } from '../service-flags.ts';
import { canUseSymbols } from '../terminal/terminal.ts';
import { confirmOptional, printLines, WAITING_MESSAGE, wrapForMessages } from './messages.ts';
import type { AdvancedWebhookSettings } from './webhook-state.ts';

const SAMPLE_EVENT = 'comment.add';

interface CreatedEndpoint {
  readonly endpoint: { readonly id: string; readonly url: string; readonly filterTypes?: readonly string[] | null | undefined };
  readonly secret: string;
  readonly service: AdvancedWebhookSettings;
}

/** On a terminal, the secret comes last, in a box. Otherwise it is a field of the result. */
export async function showCreatedEndpoint(context: Context, created: CreatedEndpoint): Promise<void> {
  const { endpoint, secret } = created;
  const { io, options } = context;
  const printer = await context.printer();
  const hasBox = io.stdout.isTerminal && (await context.format()) === 'table' && !options.fields;
  await printer.value(hasBox ? endpoint : { ...endpoint, secret }, {});
  const [language, ...otherLanguages] = SNIPPET_LANGUAGES;
  await printLines(context, [
    '',
    'Print code that verifies deliveries:',
    ...(await wrapForMessages(context, commandLineOf(step('inspect', 'webhooks', 'snippet', '--lang', language)))),
    `  (or ${otherLanguages.join(', ')})`,
    'Print the secret again:',
    ...(await wrapForMessages(context, commandForService(options, 'webhooks', 'endpoints', 'secret', endpoint.id, '-q'))),
    '',
  ]);
  if (hasBox) await io.stdout.write(formatSecretBox(context, secret));
  while (await confirmOptional(context, 'Send a test event signed with this secret?', { isRemovedAfterwards: true })) {
    if (await sendTest(context, created)) return;
  }
}

const SECRET_TITLE = 'Signing secret: store it where your receiver can read it';

/** Formats the secret on a separate line in a box. Omits the sides on narrow terminals, and all lines for screen readers. */
function formatSecretBox(context: Context, secret: string): string {
  const columns = context.io.stdout.columns || 80;
  const title = wrapWords(SECRET_TITLE, columns - 4, (text) => text.length);
  if (!canUseSymbols(context)) return `${[...title, secret].join('\n')}\n`;
  const width = Math.max(...[...title, secret].map(({ length }) => length));
  if (width + 4 > columns) return `${['─'.repeat(columns), ...title, secret, '─'.repeat(columns)].join('\n')}\n`;
  const lines = [...title, '', secret].map((line) => `│ ${line.padEnd(width)} │`);
  return `${[`╭${'─'.repeat(width + 2)}╮`, ...lines, `╰${'─'.repeat(width + 2)}╯`].join('\n')}\n`;
}

async function sendTest(context: Context, { endpoint, secret, service }: CreatedEndpoint): Promise<boolean> {
  const { encodeData, encryptFor } = service;
  const event = endpoint.filterTypes?.[0] ?? SAMPLE_EVENT;
  const sending = {
    form: 'advanced',
    secret,
    authToken: undefined,
    packing: { encode: encodeData, encryptFor },
    payload: async (sample: unknown) => sample,
  } as const;
  const { outgoing } = await createSampleDelivery(new URL(endpoint.url), event, sending, context.clock.now());
  await printLines(context, ['Sending a test event', WAITING_MESSAGE]);
  const receipt = await sendPost(outgoing, await createPostOptions(context));
  const outcome = receipt.status === null ? `no response: ${receipt.error}` : `HTTP ${receipt.status}`;
  await context.note(`  ${event}: ${outcome}${isSuccessStatus(receipt) ? ', accepted' : ''}`);
  return isSuccessStatus(receipt);
}
