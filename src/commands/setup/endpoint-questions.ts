import type { Operation } from '../../catalog/define.ts';
import { EVENT_NAMES, EVENT_TYPES, findNearestEvent } from '../../catalog/events.ts';
import { lowerFirst } from '../../kernel/first-letter.ts';
import { completeLoopbackUrl } from '../../kernel/loopback.ts';
import { createDeliveryHeaders, createDeliveryId } from '../../webhooks/delivery.ts';
import { isSuccessStatus } from '../../webhooks/listener.ts';
import { type PostResult, sendPost } from '../../webhooks/post.ts';
import { createSigningSecret } from '../../webhooks/signature.ts';
import { PAIRS, parsePairs } from '../call/key-value.ts';
import type { Context } from '../context.ts';
import { createPostOptions, findCredentialProblem } from '../deliveries/targets.ts';
import {
  confirmOptional,
  formatColumns,
  type NumberQuestion,
  notConfirmed,
  WAITING_MESSAGE,
} from './messages.ts';
import {
  type Data,
  describeDuplicates,
  type ExistingEndpoint,
  SAMPLE_URL,
} from './setup-operation.ts';

interface Question {
  readonly label: string;
  readonly message: string;
  /** Stands for a missing answer in the plan. */
  readonly missing: string;
  /** Effect of an empty answer (default: `missing`). */
  readonly emptyMeaning?: string;
  readonly complete?: (typed: string) => string;
  readonly check?: (answer: string, subject: EndpointSubject) => string | undefined;
  readonly parse?: (answer: string) => unknown;
  readonly format?: (value: unknown) => string;
  /** Asks for something other than an optional text. */
  readonly ask?: (context: Context, asked: Asked) => Promise<unknown>;
}

interface Asked extends Question {
  readonly field: string;
  readonly subject: EndpointSubject;
  readonly current: unknown;
}

const QUESTIONS: Readonly<Record<string, Question>> = {
  url: { label: 'url', message: 'Endpoint URL', missing: '', ask: askUrl },
  filterTypes: { label: 'events', message: 'Events to receive', missing: 'all', ask: askEvents },
  channels: {
    label: 'channels',
    message: 'Channels (comma-separated)',
    missing: 'all',
    emptyMeaning: 'all channels',
    ask: askChannels,
    parse: parseList,
  },
  rateLimit: {
    label: 'rate limit',
    message: 'Rate limit (deliveries per second)',
    missing: 'none',
    emptyMeaning: 'no limit',
    complete: (typed) => typed.replace(/\s*(\/\s*s|per second)$/, ''),
    check: findRateLimitProblem,
    parse: Number,
  },
  description: { label: 'description', message: 'Description (optional)', missing: 'none' },
  uid: { label: 'uid', message: 'Custom ID (uid)', missing: 'generated' },
  metadata: {
    label: 'metadata',
    message: 'Metadata (key=value,…)',
    missing: 'none',
    format: formatPairs,
    check: (answer) =>
      PAIRS.test(answer) ? undefined : 'use the form key=value, and commas between pairs',
    parse: (answer) => Object.fromEntries(parsePairs(answer, 'metadata')),
  },
};

export function countQuestions(given: Data): number {
  return Object.keys(QUESTIONS).filter((field) => given[field] === undefined).length;
}

export async function askForEndpoint(
  context: Context,
  subject: EndpointSubject,
  given: Data,
  number: NumberQuestion,
) {
  const data: Record<string, unknown> = { ...given };
  for (const [field, question] of Object.entries(QUESTIONS)) {
    if (data[field] !== undefined) continue;
    const asked = {
      ...question,
      message: number(question.message),
      field,
      subject,
      current: undefined,
    };
    data[field] = await askQuestion(context, asked);
  }
  return data;
}

/**
 * Lets the user change any answer, until they continue.
 * @throws SvcError `usage` if the user cancels
 */
export async function reviewEndpoint(
  context: Context,
  subject: EndpointSubject,
  answers: Data,
): Promise<Data> {
  const data: Record<string, unknown> = { ...answers };
  const prompter = await context.prompter();
  for (;;) {
    const lines = formatColumns(describeEndpoint(data)).map((line) => line.trim());
    const chosen = await prompter.pick({
      message: 'Change an answer',
      choices: [DONE, ...lines, CANCEL].map((value) => ({ value })),
      defaultValue: DONE,
    });
    if (chosen === CANCEL) throw notConfirmed();
    const [field, question] = Object.entries(QUESTIONS)[lines.indexOf(chosen)] ?? [];
    if (field === undefined || question === undefined) return data;
    data[field] = await askQuestion(context, { ...question, field, subject, current: data[field] });
  }
}

const DONE = 'Continue with these answers';
const CANCEL = 'Cancel';

function askQuestion(context: Context, asked: Asked): Promise<unknown> {
  return (asked.ask ?? askOptional)(context, asked);
}

async function askOptional(context: Context, asked: Asked): Promise<unknown> {
  const {
    field,
    subject,
    message,
    missing,
    emptyMeaning = missing,
    complete,
    check,
    current,
  } = asked;
  const { parse = (answer: string) => answer, format = joinList } = asked;
  const prompter = await context.prompter();
  const answer = await prompter.text({
    message,
    defaultValue: current === undefined ? undefined : format(current),
    emptyMeaning,
    ...(complete && { complete }),
    validate: (text) => check?.(text, subject) ?? findProblem(subject, field, parse(text)),
  });
  return answer === '' ? undefined : parse(answer);
}

export function describeEndpoint(data: Data): readonly (readonly [label: string, value: string])[] {
  return Object.entries(QUESTIONS).map(([field, { label, missing, format = joinList }]) => {
    if (data[field] === undefined) return [label, missing];
    return [label, `${format(data[field])}${field === 'rateLimit' ? ' per second' : ''}`];
  });
}

function joinList(value: unknown): string {
  return [value].flat().join(', ');
}

function formatPairs(metadata: unknown): string {
  return Object.entries<string>(Object(metadata))
    .map(
      ([key, value]) => `${key}=${/[,"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value}`,
    )
    .join(', ');
}

async function askEvents(context: Context, { subject, message, current }: Asked) {
  const prompter = await context.prompter();
  const chosen = await prompter.multiSelect({
    message,
    choices: EVENT_TYPES.map(({ name, description, group }) => ({
      value: name,
      description,
      group,
    })),
    defaultValues: Array.isArray(current) ? current : [],
    emptyMeaning: 'all events',
    validateOther: (name) =>
      findProblem(subject, 'filterTypes', [name]) ?? findEventProblem(subject, name),
  });
  return chosen.length > 0 ? chosen : undefined;
}

function findEventProblem(
  { allowsUnknownEvents }: EndpointSubject,
  name: string,
): string | undefined {
  if (allowsUnknownEvents) return undefined;
  const near = findNearestEvent(name);
  return `unknown event type; ${near === undefined ? '--allow-unknown-event accepts it' : `did you mean '${near}'?`}`;
}

async function askChannels(context: Context, asked: Asked): Promise<unknown> {
  const prompter = await context.prompter();
  for (;;) {
    const channels = await askOptional(context, asked);
    const misplaced = Array.isArray(channels)
      ? channels.map(describeMisplaced).find((text) => text !== undefined)
      : '';
    if (!misplaced || (await prompter.confirm(`${misplaced}. Use it as a channel?`, false)))
      return channels;
  }
}

function describeMisplaced(channel: string): string | undefined {
  if (/^\d+$/.test(channel))
    return `'${channel}' looks like a rate limit, which is the next question`;
  return EVENT_NAMES.includes(channel) ? `'${channel}' is an event type` : undefined;
}

function parseList(answer: string): readonly string[] {
  return answer
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function findRateLimitProblem(answer: string, subject: EndpointSubject): string | undefined {
  if (/^\d+$/.test(answer)) return undefined;
  const isChannel = findProblem(subject, 'channels', parseList(answer)) === undefined;
  const advice = isChannel ? '; to change the channels, answer No to the last question' : '';
  return `'${answer}' is not a whole number${advice}`;
}

async function askUrl(context: Context, { subject, message, current }: Asked): Promise<string> {
  const prompter = await context.prompter();
  let preset = current === undefined ? undefined : String(current);
  for (;;) {
    const url = await prompter.text({
      message,
      defaultValue: preset,
      complete: completeLoopbackUrl,
      validate: (answer) => findUrlProblem(subject, answer),
    });
    if (url === current) return url;
    if ((await acceptDuplicate(context, subject, url)) && (await offerPing(context, new URL(url))))
      return url;
    preset = url;
  }
}

async function acceptDuplicate(
  context: Context,
  { existing }: EndpointSubject,
  url: string,
): Promise<boolean> {
  const duplicates = describeDuplicates(existing, url);
  if (duplicates.length === 0) return true;
  for (const duplicate of duplicates) await context.note(`  ${duplicate}`);
  return (await context.prompter()).confirm('Add another endpoint for this URL?', true);
}

function findUrlProblem(subject: EndpointSubject, answer: string): string | undefined {
  const problem = findProblem(subject, 'url', answer);
  if (problem === undefined) {
    const credentialProblem = findCredentialProblem(new URL(answer));
    return credentialProblem && `URL ${credentialProblem}`;
  }
  const secure = `https://${answer}`;
  const isOnlyScheme = !answer.includes(':') && answer.includes('.') && URL.canParse(secure);
  return isOnlyScheme ? `${problem}; did you mean ${secure}?` : problem;
}

async function offerPing(context: Context, url: URL): Promise<boolean> {
  if (!(await confirmOptional(context, 'Send a test request to this URL?'))) return true;
  const id = createDeliveryId();
  const body = JSON.stringify({ event: 'ping', webhookId: id, data: {} });
  const timestamp = Math.floor(context.clock.now() / 1000);
  // The signature uses a random secret, so a receiver that verifies signatures rejects the request.
  const headers = createDeliveryHeaders(
    { form: 'advanced', id, timestamp, secret: createSigningSecret() },
    body,
  );
  await context.note(WAITING_MESSAGE);
  const receipt = await sendPost({ url, headers, body }, await createPostOptions(context));
  await context.note(`  ${describeResult(receipt)}`);
  if (isSuccessStatus(receipt) || isRejection(receipt)) return true;
  return (await context.prompter()).confirm('Keep this URL?', true);
}

function isRejection({ status }: PostResult): boolean {
  return status === 400 || status === 401 || status === 403;
}

function describeResult(receipt: PostResult): string {
  if (receipt.status === null) return `no response: ${receipt.error}`;
  const { status, milliseconds } = receipt;
  const answered = `HTTP ${status} after ${milliseconds} ms`;
  if (isSuccessStatus(receipt)) return `${answered}: accepted, but the signature was not verified`;
  if (isRejection(receipt)) return `${answered}: rejected the invalid signature, as expected`;
  if (status < 400)
    return `${answered}: redirects are not followed; use the URL that it redirects to`;
  if (status === 404) return `${answered}: check the path`;
  return `${answered}: a delivery would fail`;
}

interface EndpointSubject {
  readonly operation: Operation;
  readonly existing: readonly ExistingEndpoint[];
  readonly allowsUnknownEvents: boolean;
}

function findProblem(
  { operation }: EndpointSubject,
  field: string,
  value: unknown,
): string | undefined {
  const { error } = operation.input.safeParse({ url: SAMPLE_URL, [field]: value });
  const issue = error?.issues.find(({ path }) => path[0] === field);
  return issue && lowerFirst(issue.message);
}
