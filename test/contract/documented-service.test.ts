import { expect, test } from 'vitest';
import { loadOperation } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { gradeAgainstEmulators } from '../../src/contract/emulators.ts';
import { playSamples } from '../../src/contract/play-samples.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { DOCUMENTED_ANSWERS, DOCUMENTED_IDS } from '../documented-answers.ts';
import { startRecordedWorld } from './recorded-world.ts';

/** Failures as the interface documents them. */
const FAILURES: readonly (readonly [string, 'key' | 'workspace', number, string, string])[] = [
  ['/v2/workspace/get', 'workspace', 404, 'NOT_FOUND', 'Workspace not found.'],
  [
    '/v2/workspace/get',
    'workspace',
    429,
    'RESOURCE_EXHAUSTED',
    'Rate limit exceeded. Try again after 1 minute.',
  ],
  ['/v2/workspace/authtoken/reset', 'workspace', 404, 'NOT_FOUND', 'API key not found.'],
  [
    '/v2/workspace/advancedwebhook/endpoints/create',
    'key',
    400,
    'INVALID_ARGUMENT',
    'url must be a valid http(s) URL.',
  ],
  [
    '/v2/workspace/advancedwebhook/endpoints/get',
    'key',
    400,
    'FAILED_PRECONDITION',
    'Advanced webhooks are not configured for this workspace.',
  ],
  ['/v2/workspace/webhookconfig/get', 'key', 403, 'PERMISSION_DENIED', 'Invalid API key.'],
  [
    '/v2/workspace/permissionproviderconfig/get',
    'key',
    403,
    'PERMISSION_DENIED',
    'Invalid API key.',
  ],
  ['/v2/crdt/update', 'key', 404, 'NOT_FOUND', 'No CRDT data found for this editor ID.'],
  ['/v2/crdt/update', 'key', 400, 'INVALID_ARGUMENT', 'Data must be a string for type text.'],
  ['/v2/agents/get', 'key', 404, 'NOT_FOUND', 'Agent not found.'],
];

test('a service that responds as documented has no findings', async () => {
  let body = '';
  let status = 200;
  const { recorder, call } = await startRecordedWorld({}, () => new Response(body, { status }));
  for (const { name, resource, path, auth } of manifest) {
    const { message, data, beside } = DOCUMENTED_ANSWERS[name];
    const { sample } = await loadOperation(resource, name);
    body = JSON.stringify({ result: { status: 'success', message, data, ...beside } });
    await call(path, sample(DOCUMENTED_IDS), auth);
  }
  for (const [path, auth, http, code, message] of FAILURES) {
    status = http;
    body = JSON.stringify({ error: { status: code, message } });
    await call(path, {}, auth);
  }
  const recorded = await recorder.contract();
  const { emulator, findings, verdicts } = await gradeAgainstEmulators(recorded, (options) =>
    playSamples({ clock: systemClock }, options),
  );
  expect({ emulator, findings }).toEqual({ emulator: 'svc serve', findings: [] });
  const agreeing = verdicts.filter(({ verdict }) => verdict === 'agrees');
  expect(agreeing).toHaveLength(manifest.length);
});
