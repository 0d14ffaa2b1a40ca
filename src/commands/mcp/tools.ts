import type { Tool } from '@modelcontextprotocol/server';
import { isHarmless } from '../../catalog/harmless.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';
import { commandLineOf, Hint, type NextStep, SvcError } from '../../kernel/errors.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { type ServiceFlags, withServiceFlags } from '../service-flags.ts';

export type ToolInput = Readonly<Record<string, unknown>>;
export type ToolName = 'describe' | 'read' | 'write';

/** Largest result of a tool, in bytes. */
export const MAX_RESULT_BYTES = 40_000;

const OPERATION = {
  type: 'string',
  description: 'operation name, such as documents.list',
} as const;
const ID = { type: 'string' } as const;
/**
 * The input of any operation. Strict hosts reject an object without named properties, so the schema
 * names the fields that most operations have.
 */
const INPUT = {
  type: 'object',
  description: 'fields of the operation, as describe lists them',
  properties: { organizationId: ID, documentId: ID, folderId: ID, userId: ID },
  additionalProperties: true,
} as const;

export function createTools({
  writes,
  remote,
}: {
  readonly writes: boolean;
  /** Whether the service is on another machine. */
  readonly remote: boolean;
}): readonly Tool[] {
  return [
    {
      name: 'describe',
      title: 'List the operations, or describe one',
      description:
        'Without an operation: every operation with its effect and purpose. With one: its input and result fields, and an example.',
      inputSchema: schema({ operation: OPERATION }, []),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    {
      name: 'read',
      title: 'Call an operation that reads',
      description: `Returns the result as JSON, at most ${MAX_RESULT_BYTES / 1_000} kB. A longer list is cut; a note says how to get the rest. A list operation returns one page; a note contains the cursor of the next.`,
      inputSchema: schema(
        {
          operation: OPERATION,
          input: INPUT,
          fields: {
            type: 'array',
            items: { type: 'string' },
            description: 'result fields to return; a.b selects a nested field',
          },
          offset: { type: 'integer', minimum: 0, description: 'records of the page to skip' },
        },
        ['operation'],
      ),
      annotations: { readOnlyHint: true, openWorldHint: remote },
    },
    ...(writes
      ? [
          {
            name: 'write',
            title: 'Call an operation that writes',
            description:
              'Call it twice. Without a token, it checks the input, sends nothing, and returns the request, its effects, and a token. Show them to the user, then repeat the call with the same input and the token to send the request. A token works once. If the target demands approvals, use saveAs.',
            inputSchema: schema(
              {
                operation: OPERATION,
                input: INPUT,
                token: { type: 'string', description: 'token of the preview of exactly this call' },
                keep: {
                  type: 'array',
                  items: { type: 'string' },
                  description: 'fields of records to send although they look like others',
                },
                saveAs: {
                  type: 'string',
                  description:
                    'name of a new .json file: send nothing, and save a plan for a person to apply',
                },
              },
              ['operation', 'input'],
            ),
            annotations: {
              readOnlyHint: false,
              destructiveHint: true,
              idempotentHint: false,
              openWorldHint: remote,
            },
          },
        ]
      : []),
  ];
}

function schema(properties: Tool['inputSchema']['properties'], required: readonly string[]) {
  return {
    type: 'object' as const,
    properties,
    required: [...required],
    additionalProperties: false,
  };
}

export interface ToolArguments {
  readonly operation?: string | undefined;
  readonly input: ToolInput;
  readonly fields?: readonly string[] | undefined;
  readonly offset: number;
  readonly token?: string | undefined;
  readonly keep?: readonly string[] | undefined;
  /** Name of the file for a plan. */
  readonly saveAs?: string | undefined;
}

/** Checks the arguments of a tool, since hosts need not. @throws SvcError `invalid_input` */
export function parseArguments({ inputSchema }: Tool, given: ToolInput): ToolArguments {
  const known = Object.keys(inputSchema.properties ?? {});
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw createUnknownFieldError(unknown, known);
  const { operation, fields, offset = 0, token, keep, saveAs } = given;
  const input = parseObject(given['input'] ?? {});
  const check = (name: string, isValid: boolean, expected: string) => {
    if (!isValid) throw new SvcError('invalid_input', `${name} must be ${expected}`);
  };
  const isText = (value: unknown) => typeof value === 'string';
  const isTextList = (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.every(isText);
  const isOptional = !inputSchema.required?.includes('operation');
  check('operation', isText(operation) || (isOptional && operation === undefined), 'a string');
  check('input', isObject(input), 'an object');
  check('fields', fields === undefined || isTextList(fields), 'a list of field names');
  check('offset', Number.isSafeInteger(offset) && Number(offset) >= 0, 'a whole number');
  check('keep', keep === undefined || isTextList(keep), 'a list of field names');
  check('token', token === undefined || isText(token), 'a string');
  check('saveAs', saveAs === undefined || isText(saveAs), 'a string');
  return { operation, input, fields, offset, token, keep, saveAs } as ToolArguments;
}

/** Some hosts send an object as JSON text. */
function parseObject(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const parsed = tryParseJson(value);
  return isObject(parsed) ? parsed : value;
}

export function createUnknownFieldError(field: string, known: readonly string[]): SvcError {
  return new SvcError('invalid_input', `unknown field '${field}'; nothing was sent`, {
    hint: didYouMean(field, known),
  });
}

/** Whether a tool offers an operation. None offers one that hands out a secret. */
export function isOffered(entry: OperationEntry, tool: 'read' | 'write'): boolean {
  return (
    isHarmless({ ...entry, effect: 'read' }) && (entry.effect === 'read') === (tool === 'read')
  );
}

/** @throws SvcError `invalid_input` if the tool does not offer the operation */
export function findOperation(
  name: string,
  tool: 'read' | 'write',
  allowWrites: boolean,
): OperationEntry {
  const entry = findEntry(name, allowWrites);
  if (isOffered(entry, tool)) return entry;
  const problem = !isHarmless({ ...entry, effect: 'read' })
    ? 'hands out a secret, which would stay in the conversation'
    : entry.effect === 'read'
      ? 'reads: use the tool read'
      : allowWrites
        ? 'writes: use the tool write'
        : 'writes, and this server only reads';
  throw new SvcError('invalid_input', `${entry.name} ${problem}`);
}

/** Finds an operation by its name or its command. @throws SvcError `invalid_input` */
export function findEntry(name: string, allowWrites: boolean): OperationEntry {
  const bare = name.replace(/^svc /, '');
  const entry = manifest.find(
    (known) => known.name === bare || known.command.join(' ') === bare || known.path === bare,
  );
  if (entry) return entry;
  const offered = manifest.filter(
    (known) => isOffered(known, 'read') || (allowWrites && isOffered(known, 'write')),
  );
  throw new SvcError('invalid_input', `unknown operation '${name}'`, {
    hint: didYouMean(
      bare.replaceAll(' ', '.'),
      offered.map((known) => known.name),
      'the tool describe lists the operations',
    ),
  });
}

/**
 * Formats an error for a host: names fields instead of flags, and tools instead of commands.
 * @param entry the operation that was called, if it is known
 */
export function toToolError(
  thrown: SvcError,
  options: ServiceFlags,
  entry: OperationEntry | undefined,
): SvcError {
  const error = withServiceFlags(thrown, options);
  const { structuredHint = '' } = error;
  const parts = structuredHint instanceof Hint ? structuredHint.parts : [structuredHint];
  const hint = parts
    .map((part) => (typeof part === 'string' ? toFieldNames(part, entry) : toToolStep(part)))
    .join('');
  return error.reworded({
    message: toFieldNames(error.message, entry),
    ...(hint !== '' && { hint }),
  });
}

/** Flags of the server itself. */
const SERVER_FLAGS = [
  'yes',
  'allow-writes',
  'profile',
  'max-wait',
  'retry-for',
  'timeout',
  'base-url',
  'ca-file',
  'client-cert',
  'client-key',
  'insecure-http',
];

/** Replaces the flags in a text with the fields that they set: `createOrganization`. */
export function toFieldNames(text: string, entry: OperationEntry | undefined): string {
  return text.replace(/(?<![\w-])--([a-z][a-z-]*)/g, (flag, name: string) => {
    if (SERVER_FLAGS.includes(name)) return flag;
    if (name === 'out') return 'saveAs';
    const known = entry?.flags.find((each) => each.name === name);
    return (
      known?.path.join('.') ?? name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
    );
  });
}

function toToolStep(step: NextStep): string {
  const { kind, command } = step;
  const firstFlag = command.findIndex((word) => word.startsWith('-'));
  const words = command.slice(0, firstFlag < 0 ? undefined : firstFlag).join(' ');
  const entry = manifest.find((known) => known.command.join(' ') === words);
  if (!entry) return commandLineOf(step);
  if (kind === 'help') return `describe with operation ${entry.name}`;
  if (kind === 'list' && isOffered(entry, 'read')) return `read with operation ${entry.name}`;
  return kind === 'change' && isOffered(entry, 'write')
    ? `write with operation ${entry.name}`
    : commandLineOf(step);
}
