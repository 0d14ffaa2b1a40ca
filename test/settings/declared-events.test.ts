import { expect, test } from 'vitest';
import type { LiveRecords } from '../../src/settings/live-records.ts';
import { findMisspelledEvents, findNewEvents } from '../../src/settings/plan/declared-events.ts';

const DECLARED = {
  endpoints: [
    { uid: 'a', filterTypes: ['comment.add', 'coment.add'] },
    { uid: 'b', filterTypes: ['whiteboard.opened'] },
    { uid: 'c' },
  ],
  config: {
    webhook: { webhookServiceConfig: { triggers: { 'comment.add': true, 'comment.ad': true } } },
    email: { emailServiceConfig: { triggers: { 'poll.closed': true } } },
  },
};

const NOTHING: LiveRecords = {
  configs: new Map(),
  folders: new Map(),
  documents: new Map(),
  agents: { records: new Map() },
  reads: 0,
};

test('misspelled event types are problems with their paths', () => {
  expect(findMisspelledEvents(DECLARED, NOTHING)).toEqual([
    {
      path: ['endpoints', 0, 'filterTypes', 1],
      message: "unknown event type 'coment.add'; did you mean 'comment.add'?",
    },
    {
      path: ['config', 'webhook', 'webhookServiceConfig', 'triggers', 'comment.ad'],
      message: "unknown event type 'comment.ad'; did you mean 'comment.add'?",
    },
  ]);
});

test('an event type that the service has is not misspelled', () => {
  const live: LiveRecords = {
    ...NOTHING,
    endpoints: { records: [{ id: 'ep_1', filterTypes: ['coment.add'] }] },
    configs: new Map([
      ['webhook', { records: { webhookServiceConfig: { triggers: { 'comment.ad': false } } } }],
    ]),
  };
  expect(findMisspelledEvents(DECLARED, live)).toEqual([]);
});

test('other unknown event types are only named, because the set is open', () => {
  expect(findNewEvents(DECLARED)).toEqual([
    {
      path: ['endpoints', 1, 'filterTypes', 0],
      message: "'whiteboard.opened' is not a known event type",
    },
    {
      path: ['config', 'email', 'emailServiceConfig', 'triggers', 'poll.closed'],
      message: "'poll.closed' is not a known event type",
    },
  ]);
});
