import { expect, it } from 'vitest';
import { queryKeys } from '../../src/settings/live/declared-query.ts';
import { readLive } from '../../src/settings/live/read-live.ts';
import { createSavedPlan, parseSavedPlan } from '../../src/settings/plan/saved-plan.ts';
import { planUndo } from '../../src/settings/undo/plan-undo.ts';
import { startPlannedWorld } from './planned-world.ts';

it('plans only values that the API accepts, and lists the others', async () => {
  const world = await startPlannedWorld();
  await world.service.call('/v2/workspace/emailconfig/update', {
    emailServiceConfig: { type: 'custom', fromCompany: 'Acme' },
  });
  const key = 'config//email';
  const live = await readLive(world.client, queryKeys([key]));
  const fields = [
    { path: ['emailServiceConfig', 'type'], before: undefined, after: 'custom' },
    { path: ['emailServiceConfig', 'fromCompany'], before: undefined, after: 'Acme' },
  ];
  const target = { url: 'http://localhost', apiKey: 'key' };
  const plan = planUndo(target, [{ key, fields, secrets: [] }], live);
  expect(plan.changes).toMatchObject([{ field: 'emailServiceConfig.fromCompany', after: '' }]);
  expect(plan.notRestored).toEqual([
    'config email emailServiceConfig.type: the API does not accept ""',
  ]);
  const saved = await createSavedPlan(plan, {
    files: [],
    secrets: [],
    allowReplace: false,
    now: 0,
  });
  const read = await parseSavedPlan(JSON.stringify(saved), 'undo.json');
  expect(read.changes).toEqual(plan.changes);
});
