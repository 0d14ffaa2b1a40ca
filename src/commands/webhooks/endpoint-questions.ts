import { EVENT_NAMES, EVENT_TYPES, findMisspelledEvent } from '../../catalog/events.ts';
import { confirmUnknownEvents } from '../call/event-types.ts';
import { PAIRS, parsePairs } from '../call/flag-values.ts';
import type { Context } from '../context.ts';
import { askUrl } from './endpoint-url.ts';
import { createNotConfirmedError, formatColumns, type NumberQuestion } from './setup-messages.ts';
import {
  type Data,
  type EndpointSubject,
  type ExistingEndpoint,
  findProblem,
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

const EVENTS: Question = {
  label: 'events',
  message: 'Events to receive',
  missing: 'all',
  ask: askEvents,
};

const QUESTIONS: Readonly<Record<string, Question>> = {
  url: { label: 'url', message: 'Endpoint URL', missing: '', ask: askUrl },
  filterTypes: EVENTS,
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

/** Fields that are asked for in order. The others are options. */
const FIRST_FIELDS = ['url', 'filterTypes'];

function firstQuestions(given: Data): readonly (readonly [field: string, question: Question])[] {
  return Object.entries(QUESTIONS).filter(
    ([field]) => FIRST_FIELDS.includes(field) && given[field] === undefined,
  );
}

export function countQuestions(given: Data): number {
  return firstQuestions(given).length;
}

/**
 * Asks for the settings of a new endpoint.
 * @returns an existing endpoint with the same URL if the user prefers to change that
 */
export async function askForEndpoint(
  context: Context,
  subject: EndpointSubject,
  given: Data,
  number: NumberQuestion,
): Promise<{ readonly data: Data } | { readonly changed: ExistingEndpoint }> {
  const data: Record<string, unknown> = { ...given };
  for (const [field, question] of firstQuestions(given)) {
    const asked = {
      ...question,
      message: number(question.message),
      field,
      subject,
      current: undefined,
    };
    const answer = await askQuestion(context, asked);
    if (field === 'url' && typeof answer === 'object')
      return { changed: answer as ExistingEndpoint };
    data[field] = answer;
  }
  return { data };
}

/**
 * Lets the user change any setting, until they continue.
 * @throws SvcError `usage` if the user cancels
 */
export async function reviewEndpoint(
  context: Context,
  subject: EndpointSubject,
  settings: Data,
): Promise<Data> {
  const data: Record<string, unknown> = { ...settings };
  const prompter = await context.prompter();
  for (;;) {
    const lines = formatColumns(describeEndpoint(data)).map((line) => line.trim());
    const chosen = await prompter.pick({
      message: 'Change a setting',
      choices: [DONE, ...lines, CANCEL].map((value) => ({ value })),
      defaultValue: DONE,
    });
    if (chosen === CANCEL) throw createNotConfirmedError();
    const [field, question] = Object.entries(QUESTIONS)[lines.indexOf(chosen)] ?? [];
    if (field === undefined || question === undefined) return data;
    // Here, another endpoint with a URL is only described, because the user has confirmed settings.
    const others = { ...subject, existing: [] };
    const current = data[field];
    data[field] = await askQuestion(context, { ...question, field, subject: others, current });
  }
}

const DONE = 'Continue with these settings';
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

/** Prompts for event types. @returns undefined for all events */
export async function askEventTypes(
  context: Context,
  subject: EndpointSubject,
  current: readonly string[],
): Promise<readonly string[] | undefined> {
  const asked = { ...EVENTS, field: 'filterTypes', subject, current };
  return askEvents(context, asked);
}

async function askEvents(
  context: Context,
  { subject, message, current }: Asked,
): Promise<readonly string[] | undefined> {
  const prompter = await context.prompter();
  for (;;) {
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
    if (subject.allowsUnknownEvents || (await confirmUnknownEvents(context, chosen)))
      return chosen.length > 0 ? chosen : undefined;
  }
}

function findEventProblem(
  { allowsUnknownEvents }: EndpointSubject,
  name: string,
): string | undefined {
  if (allowsUnknownEvents) return undefined;
  const meant = findMisspelledEvent(name);
  return meant === undefined ? undefined : `unknown event type; did you mean '${meant}'?`;
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
  if (/^\d+$/.test(channel)) return `'${channel}' looks like a rate limit`;
  return EVENT_NAMES.includes(channel) ? `'${channel}' is an event type` : undefined;
}

function parseList(answer: string): readonly string[] {
  return answer
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function findRateLimitProblem(answer: string): string | undefined {
  return /^\d+$/.test(answer) ? undefined : `'${answer}' is not a whole number`;
}
