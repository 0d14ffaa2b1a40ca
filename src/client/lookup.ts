import { commandWords, dataWords } from '../catalog/command-text.ts';
import type { Lookup, MadeRecord } from '../catalog/define.ts';
import { flagName } from '../catalog/flags.ts';
import { loadOperation } from '../catalog/index.ts';
import type { OperationEntry } from '../catalog/manifest.ts';
import type { Clock } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import { valueAt } from '../kernel/field-path.ts';
import { type Hint, hint, step } from '../kernel/hint.ts';
import { isObject } from '../kernel/is-object.ts';
import { redactText, redactValue } from '../kernel/redact.ts';
import { shellWord } from '../kernel/shell-word.ts';
import type { CallEvent } from './call-event.ts';
import type { Answer, Client } from './interface.ts';
import { followPages, nextPage } from './pages.ts';
import type { CalledOperation } from './request.ts';
import { isPerhapsOurs, withDetails } from './settle.ts';

interface LookupWorld {
  readonly clock: Clock;
  readonly send: Client['send'];
  readonly observe?: ((event: CallEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What no command line may show. */
  readonly secrets: readonly string[];
}

/**
 * Milliseconds before each look. What was sent may still be on its way when the answer is given up, so that one look
 * that finds nothing says little; and whoever repeats the call under the id that the error names is safe in any case.
 */
const PAUSES = [0, 1_000, 3_000];

/** Characters of a command line beyond which it helps nobody. */
const LONGEST_COMMAND = 1_000;

/**
 * Settles a call that ended without anybody knowing whether it was applied: by looking for the record that it makes,
 * or by saying with which command to look.
 * @returns the answer that the call turns out to have deserved
 * @throws the error, with what was found out about it
 */
export async function settleByLooking(
  thrown: unknown,
  operation: CalledOperation,
  data: unknown,
  world: LookupWorld,
): Promise<Answer<unknown>> {
  if (!(thrown instanceof SvcError) || operation.bulk?.field !== undefined) throw thrown;
  const { lookup } = operation;
  const isUnknown = thrown.failure === 'outcome_unknown';
  if (lookup?.made && isObject(data) && (isUnknown || isPerhapsOurs(thrown)) && !world.signal?.aborted) {
    const found = await look(lookup, lookup.made, data, world).catch(() => undefined);
    if (found) return applied(found, lookup.made, thrown, world);
    if (found === null && isUnknown && lookup.made.absenceTells) throw notApplied(thrown, lookup.made, data);
  }
  if (!isUnknown && !wasInterrupted(thrown, world)) throw thrown;
  const way = await wayToFindOut(operation, data, world);
  throw way === undefined
    ? thrown
    : withHint(
        thrown,
        way.reworded((text) => redactText(text, world.secrets)),
      );
}

type Fields = Readonly<Record<string, unknown>>;

/** The record that the write made; null when there is none, after all looks. */
async function look({ operation, by }: Lookup, made: MadeRecord, data: Fields, world: LookupWorld) {
  const entry = await entryOf(operation);
  const read = await loadOperation(entry.resource, entry.name);
  const input = inputOf(by, data);
  for (const pause of PAUSES) {
    await world.clock.sleep(pause, world.signal);
    const pages = followPages({
      path: read.path,
      call: (page) => world.send(read, { ...input, ...page }),
      next: (answer) => nextPage(read, answer),
    });
    for await (const page of pages) {
      const list = valueAt(page.data, [made.list]);
      const record = Array.isArray(list) ? list.find((known) => isMade(known, made, data)) : undefined;
      if (record) return record as Fields;
    }
  }
  return null;
}

function isMade(record: unknown, { id, same }: MadeRecord, data: Fields): boolean {
  if (!isObject(record) || data[id] === undefined) return false;
  return [id, ...same].every((field) => record[field] === data[field]);
}

function applied(record: Fields, made: MadeRecord, { retries }: SvcError, { observe }: LookupWorld): Answer<unknown> {
  const data = made.data(record);
  const message = `no usable answer came, but it was applied: ${made.id} ${String(record[made.id])} is there`;
  observe?.({ kind: 'settled', message });
  const result = { status: 'success', message, data };
  return { sent: true, confirmed: false, data, result, retries, waits: 0, waited: 0, unsettled: true };
}

function notApplied({ message, cause }: SvcError, { id }: MadeRecord, data: Fields): SvcError {
  const own = String(data[id]);
  return new SvcError('unreachable', `${message}; nothing was applied: there is no ${id} ${own}`, {
    hint: `run it again with ${idFlag(id, own)}: under the same id it cannot be applied twice`,
    cause,
  });
}

/** The id may have been made up: only whoever knows it can recognise the record, or repeat the call without harm. */
function sameId({ id }: MadeRecord, data: unknown): string {
  const own = valueAt(data, [id]);
  return typeof own === 'string' ? `; run again with ${idFlag(id, own)}, it cannot be applied twice` : '';
}

function idFlag(id: string, own: string): string {
  return `--${flagName(id)} ${shellWord(own)}`;
}

function wasInterrupted({ cause }: SvcError, { signal }: LookupWorld): boolean {
  return signal?.aborted === true && cause === signal.reason;
}

async function wayToFindOut(
  { lookup, command, effect }: CalledOperation,
  data: unknown,
  { secrets }: LookupWorld,
): Promise<Hint | undefined> {
  if (lookup) {
    const look = step('show', ...commandWords(await entryOf(lookup.operation), inputOf(lookup.by, data)));
    const tells = lookup.tells === undefined ? '' : ` (${lookup.tells})`;
    return hint`it may have been applied; find out with: ${look}${tells}${lookup.made ? sameId(lookup.made, data) : ''}`;
  }
  if (!command || effect === 'once') return undefined;
  const words = dataWords(command, data);
  const isFit = words.join(' ').length <= LONGEST_COMMAND && !holdsSecrets(data, secrets);
  return isFit ? hint`it may have been applied; the same again does no harm: ${step('retry', ...words)}` : undefined;
}

function holdsSecrets(data: unknown, secrets: readonly string[]): boolean {
  return JSON.stringify(redactValue(data, secrets)) !== JSON.stringify(data);
}

function withHint(error: SvcError, way: Hint): SvcError {
  return Object.assign(withDetails(error, error.failure, way), { retries: error.retries });
}

async function entryOf(operation: string): Promise<OperationEntry> {
  const { entryNamed } = await import('../catalog/manifest.ts');
  return entryNamed(operation);
}

function inputOf(by: Lookup['by'], data: unknown): Fields {
  const fields = Object.entries(by).map(([field, places]) => {
    const values = [places].flat().map((place) => valueAt(data, place.split('.')));
    return [field, values.find((value) => value !== undefined)];
  });
  return Object.fromEntries(fields);
}
