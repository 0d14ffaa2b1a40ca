import type { Clock } from '../../kernel/clock.ts';
import { SvcError } from '../../kernel/errors.ts';
import { type PostOptions, sendPost } from '../post.ts';
import type { ReceiverCase } from './cases.ts';
import { EXPECTATIONS } from './expectations.ts';
import {
  type CaseObservation,
  createSkippedGrade,
  type Grade,
  gradeObservation,
  type ReceiverEffect,
} from './observation.ts';
import { createBodySender } from './send-mode.ts';
import type { CreateTestDelivery, SenderConfiguration, TestDelivery } from './test-delivery.ts';

export interface GradingDependencies {
  readonly url: URL;
  readonly sender: SenderConfiguration;
  readonly createDelivery: CreateTestDelivery;
  readonly clock: Clock;
  readonly postOptions: Omit<PostOptions, 'write'>;
  readonly fetchEffects?: (() => Promise<readonly ReceiverEffect[]>) | undefined;
  readonly onProgress?: (done: number) => void;
}

/**
 * Time for a receiver to recover, the delay between health checks, and the time limit of each, in
 * milliseconds.
 */
const RECOVERY_TIME = 5_000;
const RECOVERY_INTERVAL = 250;
const RECOVERY_TIMEOUT = 5_000;
/** Time to wait for effects after the responses, and the delay between checks, in milliseconds. */
const EFFECT_TIME = 3_000;
const EFFECT_INTERVAL = 300;

/**
 * Skips the remaining cases after a crash, and if the receiver does not accept a valid delivery:
 * their results would say nothing about it.
 * @throws SvcError `unreachable` if the receiver does not respond to the first case
 */
export async function gradeReceiver(
  cases: readonly ReceiverCase[],
  dependencies: GradingDependencies,
) {
  await dependencies.fetchEffects?.();
  const observed: (CaseObservation | Grade)[] = [];
  let crashCase: string | undefined;
  let rejectsValid = false;
  for (const testCase of cases) {
    const skipReason =
      testCase.skipReason?.(dependencies.sender) ??
      (crashCase && `the receiver has not responded since ${crashCase}`) ??
      (rejectsValid ? 'the receiver does not accept a valid delivery' : undefined);
    if (skipReason) {
      observed.push(createSkippedGrade(testCase, skipReason));
      continue;
    }
    dependencies.onProgress?.(observed.length);
    const deliveries = testCase.send(dependencies.createDelivery);
    const results = await Array.fromAsync(deliveries, (delivery) =>
      sendDelivery(delivery, dependencies),
    );
    const failedResult = results.find((result) => result.status === null);
    const isFirst = !observed.some((earlier) => 'results' in earlier);
    const recovery = isFirst ? 0 : RECOVERY_TIME;
    const isUnresponsive =
      failedResult !== undefined && !(await isReachable(dependencies, recovery));
    if (isUnresponsive && isFirst) {
      throw new SvcError('unreachable', `${dependencies.url.href}: ${failedResult.error}`, {
        hint: 'check that the receiver is running at this URL',
      });
    }
    if (isUnresponsive) crashCase = testCase.name;
    rejectsValid ||= testCase.name === 'valid' && !results.every(EXPECTATIONS.accepted.isMet);
    const fix = rejectsValid && !isUnresponsive ? await findTokenFix(dependencies) : undefined;
    observed.push({ case: testCase, deliveries, results, isUnresponsive, fix });
  }
  const effects =
    dependencies.fetchEffects && crashCase === undefined
      ? await waitForEffects(observed, dependencies)
      : undefined;
  return observed.map((entry) => ('results' in entry ? gradeObservation(entry, effects) : entry));
}

/** Finds out whether the receiver expects the token without the scheme. */
async function findTokenFix(dependencies: GradingDependencies): Promise<string | undefined> {
  const { form, authToken } = dependencies.sender;
  if (form !== 'basic' || authToken === undefined) return undefined;
  const bare = dependencies.createDelivery({ proof: 'bare token' });
  return EXPECTATIONS.accepted.isMet(await sendDelivery(bare, dependencies))
    ? "the receiver expects the token alone: compare the Authorization header with 'Basic ' followed by the token"
    : undefined;
}

async function sendDelivery(
  delivery: TestDelivery,
  { url, postOptions, clock }: GradingDependencies,
) {
  const { id: _, event: __, sendMode, ...outgoing } = delivery;
  const { write, allowance, elapsed } = createBodySender(sendMode, clock, postOptions.signal);
  const options = {
    ...postOptions,
    timeout: postOptions.timeout + allowance,
    ...(write && { write }),
  };
  const result = await sendPost({ ...outgoing, url }, options);
  return { ...result, milliseconds: Math.max(0, result.milliseconds - elapsed()) };
}

async function isReachable(
  dependencies: GradingDependencies,
  recoveryTime: number,
): Promise<boolean> {
  const { clock, postOptions } = dependencies;
  const timeout = Math.min(postOptions.timeout, RECOVERY_TIMEOUT);
  const healthCheck = { ...dependencies, postOptions: { ...postOptions, timeout } };
  const end = clock.now() + recoveryTime;
  for (;;) {
    if ((await sendDelivery(dependencies.createDelivery(), healthCheck)).status !== null)
      return true;
    if (clock.now() >= end) return false;
    await clock.sleep(RECOVERY_INTERVAL, postOptions.signal);
  }
}

async function waitForEffects(
  observed: readonly (CaseObservation | Grade)[],
  { fetchEffects = async () => [], clock, postOptions }: GradingDependencies,
): Promise<readonly ReceiverEffect[]> {
  const ids = observed.flatMap((entry) =>
    'results' in entry && EXPECTATIONS[entry.case.expects].applied === 1
      ? entry.deliveries.map(({ id }) => id)
      : [],
  );
  const end = clock.now() + EFFECT_TIME;
  for (;;) {
    await clock.sleep(EFFECT_INTERVAL, postOptions.signal);
    const found = await fetchEffects();
    const seen = new Set(found.map(({ id }) => id));
    if (ids.every((id) => seen.has(id)) || clock.now() >= end) return found;
  }
}
