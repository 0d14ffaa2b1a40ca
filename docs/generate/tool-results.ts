import { DELIVERY_STATES, FAILURE_REASONS } from '../../src/catalog/local/delivery.ts';
import type { Shape } from './result-shapes.ts';

const COUNTS = {
  total: 'number',
  succeeded: 'number',
  failed: 'number',
  unknown: 'number',
  skipped: 'number',
} as const;

/** Result of bulk commands, and of the commands that resume and watch jobs. */
export const SUMMARY: Shape = {
  operation: 'string',
  job: 'string',
  ...COUNTS,
  'created?': 'number',
  'updated?': 'number',
  'unchanged?': 'number',
  'existing?': 'number',
  requests: 'number',
  retries: 'number',
  seconds: 'number',
  failures: [
    {
      id: 'string',
      'file?': 'string',
      line: 'number | null',
      message: 'string | null',
      code: 'string | null',
    },
  ],
  failuresTruncated: 'boolean',
  rejects: 'string | null',
};

const REASON = [...FAILURE_REASONS.map((reason) => JSON.stringify(reason)), 'null'].join(' | ');
const DELIVERY = {
  id: 'string',
  endpointId: 'string',
  endpointUid: 'string | null',
  event: 'string',
  state: DELIVERY_STATES.map((state) => JSON.stringify(state)).join(' | '),
  reason: REASON,
  nextAttempt: 'string | null',
  givesUpAt: 'string | null',
  attempts: [
    {
      at: 'string',
      status: 'number | null',
      error: 'string | null',
      reason: REASON,
      milliseconds: 'number | null',
      body: 'string | null',
    },
  ],
  createdAt: 'string',
} as const;

const PROFILE = {
  name: 'string',
  current: 'boolean',
  baseUrl: 'string | null',
  apiKey: 'string | null',
  workspaceId: 'string | null',
  org: 'string | null',
  protected: 'boolean',
  secrets: 'string | null',
} as const;

const SETTING = 'string | null';
const FORM = '"basic" | "advanced"';

/**
 * Shapes that the hand-written commands print with `-o json`. Commands that print no JSON are not
 * listed.
 */
export const TOOL_RESULTS: Readonly<Record<string, Shape>> = {
  'jobs list': [
    {
      id: 'string',
      operation: 'string',
      state: 'string',
      input: 'string | null',
      ...COUNTS,
      existing: 'number',
      startedAt: 'string',
      updatedAt: 'string',
    },
  ],
  'jobs watch': SUMMARY,
  'jobs resume': SUMMARY,
  'jobs show': {
    id: 'string',
    operation: 'string',
    state: 'string',
    input: { path: 'string | null', format: 'string', bytes: 'number', sha256: 'string' },
    target: { profile: SETTING, origin: SETTING, apiKey: SETTING },
    data: 'object',
    options: 'object',
    counts: COUNTS,
    times: { startedAt: 'string', endedAt: 'string | null', seconds: 'number' },
    runs: 'number',
    requests: 'number',
    retries: 'number',
    waits: { count: 'number', seconds: 'number' },
    latency: { p50: 'number', p90: 'number', p99: 'number', max: 'number' },
    series: 'object',
    reasons: 'object',
    organizations: 'object',
  },
  history: [
    {
      at: 'string',
      profile: SETTING,
      host: 'string',
      command: 'string',
      ids: ['string'],
      calls: 'number',
      records: 'object | null',
      outcome: 'string',
      exitCode: 'number',
      undo: 'string | null',
      seconds: 'number',
      user: 'string | null',
      agent: 'string | null',
      ci: 'string | null',
      trace: 'string | null',
    },
  ],
  doctor: [
    {
      name: 'string',
      state: '"ok" | "warn" | "fail" | "skipped"',
      detail: 'string',
      'hint?': 'string',
    },
  ],
  version: { version: 'string' },
  whoami: {
    profile: SETTING,
    baseUrl: SETTING,
    apiKey: SETTING,
    workspaceId: SETTING,
    headerPrefix: SETTING,
    clientCert: SETTING,
    org: SETTING,
    local: 'boolean',
    readOnly: 'boolean',
    protected: 'boolean',
    approvals: 'number | null',
    'verified?': 'true',
  },
  'profiles list': [PROFILE],
  'profiles show': {
    ...PROFILE,
    headerPrefix: SETTING,
    output: SETTING,
    authToken: SETTING,
    workspaceAuthToken: SETTING,
  },
  'auth-tokens recover': [
    {
      id: 'string',
      operation: '"auth-tokens.reset"',
      state: 'string',
      apiKey: SETTING,
      service: SETTING,
      profile: SETTING,
      startedAt: SETTING,
      token: SETTING,
      path: 'string',
      next: 'string',
    },
  ],
  'local import': { '<kind>': 'number' },
  'local deliveries list': [DELIVERY],
  'local deliveries show': [DELIVERY],
  'local deliveries retry': [DELIVERY],
  schema: {
    operation: 'string',
    command: 'string',
    path: 'string',
    input: 'object',
    output: 'object',
    'record?': 'object',
  },
  'webhooks events': [
    {
      event: 'string',
      group: 'string',
      onByDefault: 'boolean',
      email: 'boolean',
      'actionType?': 'string',
      source: 'string',
      describes: 'string',
    },
  ],
  'webhooks send': {
    id: 'string',
    event: 'string',
    form: FORM,
    url: 'string',
    status: 'number',
    milliseconds: 'number',
    answer: 'string',
  },
  'webhooks listen': [
    {
      id: 'string',
      event: 'string',
      form: FORM,
      verified: 'boolean',
      receivedAt: 'string',
      'replayedAt?': 'string',
      forwarded: 'object | null',
      payload: 'any',
    },
  ],
  'webhooks test': [
    {
      case: 'string',
      verdict: '"ok" | "warn" | "fail" | "skipped"',
      status: 'number | null',
      milliseconds: 'number | null',
      did: 'string',
      expected: 'string',
      why: 'string',
    },
  ],
  'access-tokens inspect': {
    verified: 'false',
    header: 'object',
    claims: 'object',
    lifetime: {
      issuedAt: SETTING,
      expiresAt: SETTING,
      secondsLeft: 'number | null',
      expired: 'boolean',
    },
    resources: ['object'],
  },
};
