import type { Auth, Operation } from '../../catalog/define.ts';
import type { CalledOperation } from '../../client/client.ts';
import { followPages } from '../../client/pages.ts';
import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/is-object.ts';
import { readJson } from '../call/data-argument.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { given, textValue } from '../option-values.ts';
import { type KnownOperation, operationAt } from './known-operation.ts';
import { nextPageOf } from './next-page.ts';
import { showRawAnswers } from './raw-answers.ts';

/** A raw call as the command line describes it. */
export interface RawCall {
  readonly path: string;
  readonly data: unknown;
  readonly auth?: Auth;
  readonly paginate: boolean;
}

export async function apiCommand(context: Context, { arguments: [path = ''], options }: Invocation): Promise<void> {
  await callPath(context, {
    path: checkedPath(path),
    data: await readBody(context, textValue(options, 'data')),
    ...given('auth', textValue(options, 'auth') as Auth | undefined),
    paginate: options['paginate'] === true,
  });
}

/** Makes the call, with what the catalog knows of its path, and prints the data of its answers. */
export async function callPath(context: Context, raw: RawCall): Promise<void> {
  const { path, data, paginate } = raw;
  if (paginate && !isObject(data)) {
    throw new SvcError('usage', '--paginate needs data that is an object: the page to go on with is named in it');
  }
  const [client, known] = await Promise.all([context.client(), operationAt(path, data)]);
  const called = calledOperation(raw, known);
  const next = nextPageOf(known?.operation);
  const answers = followPages({
    path,
    call: (page) => client.send(called, isObject(data) ? { ...data, ...page } : data),
    next: (answer) => (paginate ? next(answer) : undefined),
  });
  await showRawAnswers(context, answers, { known, paginate, next });
}

/**
 * What a path that is not known does to the service nobody knows: it must never be called twice blindly. Nor must a
 * write whose ids the service makes up, since the data lacks them.
 */
function calledOperation({ path, auth, data }: RawCall, known: KnownOperation | undefined): CalledOperation {
  const { entry, operation } = known ?? {};
  const isRepeatable = operation !== undefined && namesItsIds(operation, data);
  return {
    path,
    auth: auth ?? entry?.auth ?? 'key',
    effect: entry && isRepeatable ? entry.effect : 'once',
    ...given('feature', operation?.feature),
    ...given('lookup', operation?.lookup),
    ...given('command', operation?.command),
  };
}

function namesItsIds({ mints, bulk }: Operation, data: unknown): boolean {
  const holds = (record: unknown, field: string) => isObject(record) && record[field] !== undefined;
  if (mints) return holds(data, mints);
  if (!bulk?.mints || !bulk.field || !isObject(data)) return true;
  const records = data[bulk.field];
  return !Array.isArray(records) || records.every((record) => holds(record, bulk.id));
}

/** @throws SvcError `usage` for a whole address: credentials go to the service of the settings only. */
function checkedPath(word: string): string {
  const isPath = word !== '' && !URL.canParse(word) && !/[\s\\#\p{Cc}]/u.test(word);
  if (!isPath) {
    throw new SvcError('usage', `'${word}' is not a path`, {
      hint: 'give what follows the base URL: /v2/users/add',
    });
  }
  return word.startsWith('/') ? word : `/${word}`;
}

/** The data of a body: what stands in `{"data": …}`, or the whole of it. */
async function readBody(context: Context, argument: string | undefined): Promise<unknown> {
  if (argument === undefined) return {};
  const body = await readJson(context, argument);
  const isWrapped = isObject(body) && Object.keys(body).join() === 'data';
  return isWrapped ? body['data'] : body;
}
