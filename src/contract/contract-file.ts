import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { OperationName } from '../catalog/index.ts';
import { serializedOperations } from '../catalog/serialized-operations.ts';
import type { Clock } from '../kernel/clock.ts';
import { hint, SvcError, step } from '../kernel/errors.ts';
import {
  createPrivateFolder,
  readTextIfExists,
  resolveLinks,
  withoutByteOrderMark,
} from '../kernel/files.ts';
import { type Fields, isObject } from '../kernel/json.ts';
import { formatTextPosition, locateJsonValue } from '../kernel/json-position.ts';
import { locateJsonProblem } from '../kernel/json-problem.ts';
import { withLock } from '../kernel/lock.ts';
import { replaceFile } from '../kernel/staged-file.ts';
import {
  CONTRACT_VERSION,
  type Contract,
  EMPTY_CONTRACT,
  ENVELOPES,
  type Envelope,
  type Outcome,
} from './contract.ts';
import { mergeContracts } from './merge.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** Time to wait for another recording that writes the file, in milliseconds. */
const LOCK_TIMEOUT = 10_000;

type Path = readonly (string | number)[];

class ProblemAt extends Error {
  readonly path: Path;

  constructor(path: Path, message: string) {
    super(message);
    this.path = path;
  }
}

/**
 * Parses a contract.
 * @param name name of the file, for messages
 * @throws SvcError `invalid_input` with the position, if the text is not a contract of this version
 */
export function parseContract(text: string, name: string): Contract {
  const content = withoutByteOrderMark(text);
  const problem = locateJsonProblem(content);
  if (problem) throw createFileError(name, content, problem.offset, problem.problem);
  try {
    return readContract(JSON.parse(content));
  } catch (error) {
    if (!(error instanceof ProblemAt)) throw error;
    throw createFileError(name, content, locateJsonValue(content, error.path), error.message);
  }
}

function createFileError(name: string, text: string, offset: number, problem: string): SvcError {
  return new SvcError('invalid_input', `${name}:${formatTextPosition(text, offset)}: ${problem}`, {
    hint: 'restore the file from version control, or delete it and record again',
  });
}

function readContract(content: unknown): Contract {
  if (!isObject(content)) throw new ProblemAt([], 'a contract must be an object');
  const version = content['svcContract'];
  if (typeof version !== 'number') throw new ProblemAt([], 'svcContract is required');
  if (version > CONTRACT_VERSION)
    throw new ProblemAt(
      ['svcContract'],
      `version ${version} was recorded by a newer version of svc`,
    );
  if (version !== CONTRACT_VERSION)
    throw new ProblemAt(['svcContract'], `version ${version} does not exist`);
  const operations = readObject(content, ['operations']);
  const read = Object.entries(operations).map(([operation, outcomes]) => {
    const path = ['operations', operation];
    if (!Object.hasOwn(serializedOperations, operation))
      throw new ProblemAt(path, `the operation '${operation}' is unknown`);
    if (!Array.isArray(outcomes)) throw new ProblemAt(path, 'expected a list of outcomes');
    return [
      operation as OperationName,
      outcomes.map((outcome, at) => readOutcome(outcome, [...path, at])),
    ] as const;
  });
  const otherPaths = content['otherPaths'] ?? 0;
  if (!isCount(otherPaths)) throw new ProblemAt(['otherPaths'], 'expected a number');
  return { operations: new Map(read), otherPaths };
}

function readOutcome(outcome: unknown, path: Path): Outcome {
  if (!isObject(outcome)) throw new ProblemAt(path, 'expected an object');
  const { http, envelope, status, seen, examined = seen, pages } = outcome;
  const fail = (field: string, expected: string) =>
    new ProblemAt([...path, field], `${field}: expected ${expected}`);
  if (!isCount(http)) throw fail('http', 'an HTTP status');
  if (!ENVELOPES.includes(envelope as Envelope)) throw fail('envelope', ENVELOPES.join(', '));
  if (status !== null && typeof status !== 'string') throw fail('status', 'a text or null');
  if (!isCount(seen)) throw fail('seen', 'a number');
  if (!isCount(examined)) throw fail('examined', 'a number');
  const sequences = readTexts(outcome, 'sequences', path);
  return {
    http,
    envelope: envelope as Envelope,
    status,
    seen,
    examined,
    messages: readTexts(outcome, 'messages', path),
    headers: readTexts(outcome, 'headers', path),
    always: readTextMap(outcome, 'always', path),
    sometimes: readTextMap(outcome, 'sometimes', path),
    values: readValues(outcome, path),
    ...(pages !== undefined && { pages: readPages(pages, [...path, 'pages']) }),
    ...(sequences.length > 0 && { sequences }),
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function readObject(fields: Fields, path: Path): Fields {
  const value = fields[String(path.at(-1))] ?? {};
  if (!isObject(value)) throw new ProblemAt(path, 'expected an object');
  return value;
}

function readTexts(fields: Fields, field: string, path: Path): readonly string[] {
  const value = fields[field] ?? [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new ProblemAt([...path, field], `${field}: expected a list of texts`);
}

function readTextMap(fields: Fields, field: string, path: Path): Readonly<Record<string, string>> {
  const entries = Object.entries(readObject(fields, [...path, field]));
  for (const [name, value] of entries) {
    if (typeof value !== 'string')
      throw new ProblemAt([...path, field, name], `${name}: expected types such as string`);
  }
  return Object.fromEntries(entries) as Record<string, string>;
}

function readValues(fields: Fields, path: Path): Outcome['values'] {
  const values = readObject(fields, [...path, 'values']);
  return Object.fromEntries(
    Object.keys(values).map((name) => [name, readTexts(values, name, [...path, 'values'])]),
  );
}

function readPages(pages: unknown, path: Path): NonNullable<Outcome['pages']> {
  if (!isObject(pages) || !isCount(pages['largestPage']))
    throw new ProblemAt(path, 'pages: expected the behavior of a paged list');
  return {
    lastCursor: readTexts(pages, 'lastCursor', path),
    nextCursor: readTexts(pages, 'nextCursor', path),
    largestPage: pages['largestPage'],
  };
}

/** Formats a contract with one line per field, in a stable order. */
export function formatContract(contract: Contract): string {
  const operations = [...mergeContracts(contract, EMPTY_CONTRACT).operations].map(
    ([name, outcomes]) => [name, outcomes.map(toWritten)],
  );
  const content = {
    svcContract: CONTRACT_VERSION,
    ...(contract.otherPaths > 0 && { otherPaths: contract.otherPaths }),
    operations: Object.fromEntries(operations),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Sorts the fields, and omits empty parts. */
function toWritten({ examined, seen, always, sometimes, values, ...outcome }: Outcome): Fields {
  const parts = Object.entries({
    ...outcome,
    always: sortFields(always),
    sometimes: sortFields(sometimes),
    values: sortFields(values),
    seen,
    examined: examined === seen ? {} : examined,
  });
  const isEmpty = (value: unknown) =>
    typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return Object.fromEntries(parts.filter(([, value]) => !isEmpty(value)));
}

function sortFields(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** @throws SvcError `usage` if the file does not exist, `invalid_input` if it is not a contract */
export async function readContractFile(path: string, name: string): Promise<Contract> {
  const contract = await readContractIfExists(path, name);
  if (contract) return contract;
  throw new SvcError('usage', `file not found: ${name}`, {
    hint: hint`to record a contract, run ${step('inspect', 'contract', 'probe')}`,
  });
}

/** @throws SvcError `invalid_input` if the file is not a contract, `local` if it cannot be read */
export async function readContractIfExists(
  path: string,
  name: string,
): Promise<Contract | undefined> {
  const text = await readTextIfExists(path, MAX_BYTES);
  return text === undefined ? undefined : parseContract(text, name);
}

export interface ContractFile {
  readonly path: string;
  /** Name of the file, for messages. */
  readonly name: string;
  /** Folder for locks. */
  readonly stateFolder: string;
  readonly clock: Clock;
}

/**
 * Adds recorded exchanges to a file. Recordings that end at the same time wait for each other.
 * @throws SvcError `locked` if another recording keeps the file, `invalid_input` if the file is not
 * a contract
 */
export async function addToContractFile(
  { path, name, stateFolder, clock }: ContractFile,
  recorded: Contract,
): Promise<void> {
  const folder = join(stateFolder, 'contracts');
  await createPrivateFolder(folder);
  // All names of a file share a lock.
  const target = await resolveLinks(path);
  const digest = createHash('sha256').update(target).digest('hex').slice(0, 32);
  const options = { clock, timeout: LOCK_TIMEOUT };
  await withLock(join(folder, `${digest}.lock`), options, async () => {
    const known = (await readContractIfExists(target, name)) ?? EMPTY_CONTRACT;
    await replaceFile(target, formatContract(mergeContracts(known, recorded)), { mode: 0o644 });
  });
}
