import { expect, onTestFinished } from 'vitest';
import type { DeliveryRecord } from '../../../src/catalog/local/delivery.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { type DeliveryOptions, startDeliveries } from '../../../src/service/deliveries/engine.ts';
import { listDeliveries } from '../../../src/service/deliveries/records.ts';
import { eventually } from '../../eventually.ts';
import { startTestService, type TestService } from '../test-service.ts';

const ENDPOINTS = '/v2/workspace/advancedwebhook/endpoints';

export interface DeliveringWorld extends TestService {
  /** Enables advanced webhooks and creates an endpoint. @returns its ID */
  endpoint(settings: object): Promise<string>;
  /** Causes `comment.add` events. */
  comment(count?: number): Promise<void>;
  /** Delivers in this process until the test ends or `stop` is called. */
  deliver(options?: Partial<DeliveryOptions>): { stop(): Promise<void> };
  /** Returns all deliveries, oldest first. */
  deliveries(): Promise<readonly DeliveryRecord[]>;
  /** Waits until the deliveries have these states, in the order in which they were recorded. */
  until(...states: readonly string[]): Promise<readonly DeliveryRecord[]>;
}

/** Creates a service with the system clock, and functions that deliver its events. */
export async function deliveringWorld(): Promise<DeliveringWorld> {
  const world = await startTestService();
  const clock = Object.assign(world.clock, systemClock);
  const deliveries = async () => {
    const details = await listDeliveries(world.store, world.credentials.apiKey, {}, 100_000);
    return details.map(({ record }) => record).reverse();
  };
  let comments = 0;
  return {
    ...world,
    deliveries,
    endpoint: async (settings) => {
      await world.call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
      const { body } = await world.call(`${ENDPOINTS}/create`, settings);
      return body.result?.data.id;
    },
    comment: async (count = 1) => {
      const activities = Array.from({ length: count }, () => ({
        featureType: 'comment',
        actionType: 'comment.add',
        actionUser: { userId: 'u1' },
        entityTargetData: { commentId: comments++ },
      }));
      await world.call('/v2/activities/add', {
        organizationId: 'acme',
        documentId: 'd1',
        activities,
      });
    },
    deliver: (options) => {
      const reported: unknown[] = [];
      const report = (error: unknown) => reported.push(error);
      const running = startDeliveries(world.store, {
        clock,
        allowPrivateTargets: true,
        report,
        ...options,
      });
      let stopped: Promise<void> | undefined;
      const stop = () => {
        stopped ??= running.stop();
        return stopped;
      };
      onTestFinished(async () => {
        await stop();
        if (reported.length > 0) throw reported[0];
      });
      return { stop };
    },
    until: (...states) =>
      eventually(async () => {
        const found = await deliveries();
        expect(
          found.map(({ state }) => state),
          JSON.stringify(found),
        ).toEqual(states);
        return found;
      }),
  };
}
