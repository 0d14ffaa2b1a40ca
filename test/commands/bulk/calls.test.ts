import { describe, expect, it } from 'vitest';
import { type BulkScenario, refused, results, runBulk } from './run-bulk.ts';

const HELLO = {
  actionUser: { userId: 'u1' },
  displayHeadlineMessageTemplate: 'hello',
  displayBodyMessage: 'there',
  notifyUsers: [{ userId: 'u2' }],
  notifyAll: false,
};
const ndjson = (...records: readonly object[]) =>
  records.map((record) => JSON.stringify(record)).join('\n');
const UUID = expect.stringMatching(/^[\da-f-]{36}$/);

const notify = (scenario: BulkScenario) =>
  runBulk({
    operation: 'notifications.add',
    data: { organizationId: 'acme', documentId: 'd1' },
    answer: () => results({ success: true, message: 'Notification added successfully.' }),
    ...scenario,
  });

describe('a call for each record', () => {
  it('contains the shared data, the fields of the record, and a generated ID', async () => {
    const files = {
      'n.ndjson': ndjson(
        { ...HELLO, documentId: 'd2' },
        { ...HELLO, documentId: 'd1', notificationId: 'n-2' },
      ),
    };
    const { requests, summary, questions } = await notify({
      files,
      data: { organizationId: 'acme' },
    });
    expect(requests).toEqual([
      { organizationId: 'acme', documentId: 'd2', ...HELLO, notificationId: UUID },
      { organizationId: 'acme', documentId: 'd1', ...HELLO, notificationId: 'n-2' },
    ]);
    expect(summary).toMatchObject({
      operation: 'notifications.add',
      total: 2,
      succeeded: 2,
      requests: 2,
    });
    expect(questions).toEqual([]);
  });

  it('must not differ from the shared data', async () => {
    const files = {
      'n.ndjson': ndjson({ ...HELLO, documentId: 'd1' }, { ...HELLO, documentId: 'd2' }),
    };
    const { exitCode, error, requests } = await notify({ files });
    const message = "n.ndjson:2: documentId: 'd2' differs from 'd1', the target of all records";
    expect([exitCode, error?.message, requests]).toEqual([3, message, []]);
  });

  it('converts values from CSV and YAML to the types of the fields', async () => {
    const csv = [
      'actionUser,displayHeadlineMessageTemplate,displayBodyMessage,notifyUsers,notifyAll,notificationId',
      '"{""userId"":""u1""}",true,12,"[{""userId"":""0123""}]",false,1e5',
    ].join('\n');
    const yaml = [
      'notifications:',
      '- actionUser: {userId: u1}',
      '  displayHeadlineMessageTemplate: true',
      '  displayBodyMessage: 12',
      '  notifyUsers: [{userId: 0123}]',
      '  notifyAll: false',
      '  notificationId: 1e5',
    ].join('\n');
    const [fromCsv, fromYaml] = [
      await notify({ files: { 'n.csv': csv } }),
      await notify({ files: { 'n.yaml': yaml } }),
    ];
    expect(fromCsv.requests).toEqual([
      {
        organizationId: 'acme',
        documentId: 'd1',
        actionUser: { userId: 'u1' },
        displayHeadlineMessageTemplate: 'true',
        displayBodyMessage: '12',
        notifyUsers: [{ userId: '0123' }],
        notifyAll: false,
        notificationId: '1e5',
      },
    ]);
    expect(fromYaml.requests).toEqual(fromCsv.requests);
  });

  it('is checked together with all others before the first is sent', async () => {
    const { displayBodyMessage: _, ...silent } = HELLO;
    const files = {
      'n.ndjson': ndjson(
        HELLO,
        { ...silent, notificationId: 'no spaces' },
        { ...HELLO, notifyAll: 'no' },
      ),
    };
    const { exitCode, error, requests } = await notify({ files, data: { organizationId: 'acme' } });
    expect([exitCode, requests.length]).toEqual([3, 0]);
    expect(error?.message).toContain('n.ndjson:1: documentId: is required');
    expect(error?.message).toContain(
      'n.ndjson:2: notificationId: only letters, digits, _ and - are allowed',
    );
    expect(error?.message).toContain('n.ndjson:3: notifyAll: expected true or false, got text');
    const whole = await notify({ files: { 'n.ndjson': ndjson(silent) } });
    expect(whole.error?.message).toBe('n.ndjson:1: displayBodyMessage: is required');
    const notOne = await notify({ files: { 'n.json': '["hello"]' } });
    expect(notOne.error?.message).toBe('n.json:1: the record: expected an object, got text');
  });

  it('fails on its own, and is sent again with the same ID', async () => {
    const files = { 'n.ndjson': ndjson(HELLO, HELLO, HELLO) };
    const first = await notify({
      files,
      answer: (_, index) =>
        index === 0
          ? refused('NOT_FOUND', 404)
          : index === 1
            ? results('odd')
            : results({ success: true }),
    });
    expect(first.summary).toMatchObject({
      total: 3,
      succeeded: 1,
      failed: 1,
      unknown: 1,
      requests: 3,
    });
    const again = await notify({ files: { 'n.ndjson': await first.read('n.rejects.ndjson') } });
    expect(again.requests).toEqual(first.requests.slice(0, 2));
  });

  it('rejects a batch size and a shared ID', async () => {
    const files = { 'n.ndjson': ndjson(HELLO) };
    const sized = await notify({ files, options: { batchSize: 1 } });
    expect([sized.exitCode, sized.error?.message]).toEqual([
      2,
      '--batch-size does not apply: each notification is sent in a separate request',
    ]);
    const data = { organizationId: 'acme', documentId: 'd1', notificationId: 'n-1' };
    const named = await notify({ files, data });
    expect([named.exitCode, named.error?.message]).toEqual([
      2,
      '--notification cannot be combined with a file: each notification has its own ID',
    ]);
    expect([...sized.requests, ...named.requests]).toEqual([]);
  });
});

describe('warnings and confirmations', () => {
  const loud = { ...HELLO, notifyAll: true };

  it.each<[string, readonly object[], string]>([
    ['one', [loud], 'Notify every user of organization acme?'],
    ['all', [loud, loud], 'Notify every user of organization acme? (2 notifications)'],
    ['some', [HELLO, loud, loud], 'Notify every user of organization acme? (2 of 3 notifications)'],
    [
      'several organizations',
      [
        { ...loud, organizationId: 'acme' },
        { ...loud, organizationId: 'beta' },
      ],
      'Notify every user of organization acme? And 1 more like this. (2 notifications)',
    ],
  ])('ask once about %s', async (_, records, question) => {
    const files = { 'n.ndjson': ndjson(...records) };
    const data = records.some((record) => 'organizationId' in record)
      ? { documentId: 'd1' }
      : { organizationId: 'acme', documentId: 'd1' };
    const scenario = { files, data };
    const { questions, requests } = await notify({ ...scenario, answers: ['yes'] });
    expect([questions, requests.length]).toEqual([[question], records.length]);
    await expect(notify({ ...scenario, answers: ['no'] })).rejects.toThrow('not confirmed');
  });

  it('ask once for all batches, and never in a dry run', async () => {
    const presence: BulkScenario = {
      operation: 'presence.delete',
      data: { organizationId: 'acme', documentId: 'd1' },
      files: { 'u.csv': 'userId\na\nb\nc\n' },
      options: { batchSize: 1 },
      answer: () => results({ success: true }),
      answers: ['yes'],
    };
    const { questions, requests } = await runBulk(presence);
    expect(questions).toEqual(['Remove users from the presence list of document d1? (3 users)']);
    expect(requests.map(({ userIds }) => userIds)).toEqual([['a'], ['b'], ['c']]);
    const planned = await runBulk({ ...presence, global: { dryRun: true } });
    expect([planned.questions, planned.requests, JSON.parse(planned.stdout)]).toMatchObject([
      [],
      [],
      { records: 3, valid: true, requests: 3 },
    ]);
  });

  it('print each distinct warning once, and count those after the fifth', async () => {
    const records = Array.from({ length: 14 }, (_, at) => ({
      ...HELLO,
      displayHeadlineMessageTemplate: `{{x${at % 7}}}`,
    }));
    const { stderr } = await notify({
      files: { 'n.ndjson': ndjson(...records) },
      global: { quiet: true },
    });
    const warnings = stderr.split('\n').filter((line) => line.startsWith('warning'));
    expect(warnings).toHaveLength(6);
    expect(warnings[4]).toContain('{{x4}} is not replaced');
    expect(warnings[5]).toBe('warning: and 2 more');
  });
});
