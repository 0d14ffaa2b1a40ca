import { EVENT_NAMES } from '../../catalog/events.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { targetUrl } from '../deliveries/target.ts';
import type { Data } from './data.ts';
import { eventChoices } from './event-choices.ts';
import { fieldProblem } from './field-check.ts';
import { tryOut } from './ping.ts';
import { SAMPLE_URL, type Subject } from './subject.ts';

type Ask = (context: Context, subject: Subject) => Promise<unknown>;

/** How each field of an endpoint is asked for, in this order. An answer of nothing leaves the field out. */
const QUESTIONS: Readonly<Record<string, Ask>> = {
  url: askUrl,
  filterTypes: async (context, subject) => {
    const asker = await context.asker();
    const chosen = await asker.many({
      message: 'Events to receive',
      choices: eventChoices(EVENT_NAMES),
      preset: [],
      none: 'all events',
      checkOther: (name) => checked(subject, 'filterTypes', [name]),
    });
    return chosen.length > 0 ? chosen : undefined;
  },
  channels: async (context, subject) => {
    const check = (answer: string) => checked(subject, 'channels', listOf(answer));
    const answer = await optional(context, 'Channels, with commas between', 'all channels', check);
    return answer && listOf(answer);
  },
  rateLimit: async (context, subject) => {
    const check = (answer: string) =>
      /^\d+$/.test(answer) ? checked(subject, 'rateLimit', Number(answer)) : `'${answer}' is not a whole number`;
    const answer = await optional(context, 'Most deliveries a second', 'no limit', check);
    return answer && Number(answer);
  },
  description: (context, subject) =>
    optional(context, 'What it is for', 'nothing', (answer) => checked(subject, 'description', answer)),
  uid: (context, subject) =>
    optional(context, 'Id of your own for it', 'svc makes one up', (answer) => checked(subject, 'uid', answer)),
  metadata: askMetadata,
};

/** The fields of an endpoint: as given, and the others as answered. */
export async function askForEndpoint(context: Context, subject: Subject, given: Data): Promise<Data> {
  const data: Record<string, unknown> = { ...given };
  for (const [field, ask] of Object.entries(QUESTIONS)) {
    if (data[field] !== undefined) continue;
    const answer = await ask(context, subject);
    if (answer !== undefined) data[field] = answer;
  }
  return data;
}

function checked({ operation }: Subject, field: string, value: unknown): string | undefined {
  return fieldProblem(operation, [field], value, { url: SAMPLE_URL });
}

async function optional(
  context: Context,
  message: string,
  otherwise: string,
  check: (answer: string) => string | undefined,
): Promise<string | undefined> {
  return (await (await context.asker()).text({ message, otherwise, check })) || undefined;
}

function listOf(answer: string): readonly string[] {
  return answer
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Asked for until it is one that the user wants to keep. */
async function askUrl(context: Context, subject: Subject): Promise<string> {
  const asker = await context.asker();
  let preset: string | undefined;
  for (;;) {
    const check = (answer: string) => checked(subject, 'url', answer) ?? targetProblem(answer);
    const url = await asker.text({ message: 'Where deliveries go (URL)', preset, check });
    if (await tryOut(context, new URL(url))) return url;
    preset = url;
  }
}

/** A URL may hold a user name and a password for the service; whoever sees the endpoint would see them. */
function targetProblem(answer: string): string | undefined {
  try {
    targetUrl(answer, 'URL');
    return undefined;
  } catch (error) {
    if (error instanceof SvcError) return error.message.replace(/^URL: /, '');
    throw error;
  }
}

async function askMetadata(context: Context): Promise<Readonly<Record<string, string>> | undefined> {
  const asker = await context.asker();
  const pairs = new Map<string, string>();
  for (;;) {
    const answer = await asker.text({
      message: pairs.size === 0 ? 'Metadata, as key=value' : 'More metadata',
      otherwise: pairs.size === 0 ? 'none' : 'no more',
      check: (text) => (text.indexOf('=') > 0 ? undefined : 'write it as key=value'),
    });
    if (answer === '') return pairs.size > 0 ? Object.fromEntries(pairs) : undefined;
    const at = answer.indexOf('=');
    pairs.set(answer.slice(0, at), answer.slice(at + 1));
  }
}
