import { EVENT_NAMES } from '../../catalog/events.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { parseTargetUrl } from '../deliveries/targets.ts';
import type { Data } from './data.ts';
import { eventChoices } from './event-choices.ts';
import { findFieldProblem } from './field-check.ts';
import { offerPing } from './ping.ts';
import { SAMPLE_URL, type SetupOperation } from './setup-operation.ts';

type Ask = (context: Context, subject: SetupOperation) => Promise<unknown>;

/** Prompts for the fields of an endpoint, in order. An empty answer omits the field. */
const QUESTIONS: Readonly<Record<string, Ask>> = {
  url: askUrl,
  filterTypes: async (context, subject) => {
    const asker = await context.prompter();
    const chosen = await asker.multiSelect({
      message: 'Events to receive',
      choices: eventChoices(EVENT_NAMES),
      defaultValues: [],
      emptyMeaning: 'all events',
      validateOther: (name) => findProblem(subject, 'filterTypes', [name]),
    });
    return chosen.length > 0 ? chosen : undefined;
  },
  channels: async (context, subject) => {
    const check = (answer: string) => findProblem(subject, 'channels', parseList(answer));
    const answer = await askOptional(context, 'Channels (comma-separated)', 'all channels', check);
    return answer && parseList(answer);
  },
  rateLimit: async (context, subject) => {
    const check = (answer: string) =>
      /^\d+$/.test(answer) ? findProblem(subject, 'rateLimit', Number(answer)) : `'${answer}' is not a whole number`;
    const answer = await askOptional(context, 'Rate limit (deliveries per second)', 'no limit', check);
    return answer && Number(answer);
  },
  description: (context, subject) =>
    askOptional(context, 'Description (optional)', 'none', (answer) => findProblem(subject, 'description', answer)),
  uid: (context, subject) =>
    askOptional(context, 'Custom ID (uid)', 'generated', (answer) => findProblem(subject, 'uid', answer)),
  metadata: askMetadata,
};

/** Prompts for the fields of an endpoint that were not given. */
export async function askForEndpoint(context: Context, subject: SetupOperation, given: Data): Promise<Data> {
  const data: Record<string, unknown> = { ...given };
  for (const [field, ask] of Object.entries(QUESTIONS)) {
    if (data[field] !== undefined) continue;
    const answer = await ask(context, subject);
    if (answer !== undefined) data[field] = answer;
  }
  return data;
}

function findProblem({ operation }: SetupOperation, field: string, value: unknown): string | undefined {
  return findFieldProblem(operation, [field], value, { url: SAMPLE_URL });
}

async function askOptional(
  context: Context,
  message: string,
  emptyMeaning: string,
  check: (answer: string) => string | undefined,
): Promise<string | undefined> {
  return (await (await context.prompter()).text({ message, emptyMeaning: emptyMeaning, validate: check })) || undefined;
}

function parseList(answer: string): readonly string[] {
  return answer
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Prompts for the URL until the user accepts it. */
async function askUrl(context: Context, subject: SetupOperation): Promise<string> {
  const asker = await context.prompter();
  let preset: string | undefined;
  for (;;) {
    const check = (answer: string) => findProblem(subject, 'url', answer) ?? findUrlProblem(answer);
    const url = await asker.text({ message: 'Endpoint URL', defaultValue: preset, validate: check });
    if (await offerPing(context, new URL(url))) return url;
    preset = url;
  }
}

/** Rejects URLs with a user name or password, which everyone who can read the endpoint would see. */
function findUrlProblem(answer: string): string | undefined {
  try {
    parseTargetUrl(answer, 'URL');
    return undefined;
  } catch (error) {
    if (error instanceof SvcError) return error.message.replace(/^URL: /, '');
    throw error;
  }
}

async function askMetadata(context: Context): Promise<Readonly<Record<string, string>> | undefined> {
  const asker = await context.prompter();
  const pairs = new Map<string, string>();
  for (;;) {
    const answer = await asker.text({
      message: pairs.size === 0 ? 'Metadata (key=value)' : 'More metadata (key=value)',
      emptyMeaning: pairs.size === 0 ? 'none' : 'no more',
      validate: (text) => (text.indexOf('=') > 0 ? undefined : 'use the form key=value'),
    });
    if (answer === '') return pairs.size > 0 ? Object.fromEntries(pairs) : undefined;
    const at = answer.indexOf('=');
    pairs.set(answer.slice(0, at), answer.slice(at + 1));
  }
}
