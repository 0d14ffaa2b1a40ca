// biome-ignore lint/suspicious/noExplicitAny: deviations change bodies of every shape
type Body = any;

/** A change that a proxy makes to the responses of one path. */
export interface Deviation {
  readonly name: string;
  readonly path: string;
  readonly change: (body: Body) => Body;
  readonly http?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The finding, or undefined if the rules do not name the deviation. */
  readonly finding?: { readonly kind: string; readonly path: string | null };
  /** Text of the difference that is listed apart. */
  readonly listed?: string;
}

const CONFIG = '/v2/workspace/webhookconfig/get';
const FOLDERS = '/v2/organizations/folders/get';
const DOCUMENTS = '/v2/organizations/documents/get';
const ENDPOINTS = '/v2/workspace/advancedwebhook/endpoints/get';
const AGENT = '/v2/agents/get';
const USERS = '/v1/users/add';
const CRDT = '/v2/crdt/update';
const edit = (change: (body: Body) => unknown) => (body: Body) => {
  change(body);
  return body;
};

/** 25 ways in which a service can deviate. */
export const DEVIATIONS: readonly Deviation[] = [
  {
    name: 'a missing field',
    path: FOLDERS,
    change: edit(({ result }) => {
      for (const folder of result?.data ?? []) delete folder.ancestors;
    }),
    listed: 'data[].ancestors',
  },
  {
    name: 'a missing field of the envelope',
    path: CONFIG,
    change: edit(({ result }) => delete result.message),
    listed: 'message',
  },
  {
    name: 'a missing field of one record',
    path: FOLDERS,
    change: edit(({ result }) => delete result?.data[0]?.accessType),
    listed: 'data[].accessType',
  },
  {
    name: 'an extra field',
    path: FOLDERS,
    change: edit(({ result }) => Object.assign(result?.data[0] ?? {}, { locked: true })),
    finding: { kind: 'field', path: 'data[].locked' },
  },
  {
    name: 'an extra object',
    path: DOCUMENTS,
    change: edit(({ result }) => Object.assign(result?.data[0] ?? {}, { owner: { id: 'u1' } })),
    finding: { kind: 'field', path: 'data[].owner' },
  },
  {
    name: 'an extra field beside the envelope',
    path: CONFIG,
    change: edit((body) => Object.assign(body, { version: 2 })),
    finding: { kind: 'field', path: '/version' },
  },
  {
    name: 'an extra field of an item',
    path: USERS,
    change: edit(({ result }) => Object.assign(result.data.u1, { created: true })),
    finding: { kind: 'field', path: 'data.*.created' },
  },
  {
    name: 'an extra field of an error',
    path: AGENT,
    change: edit(({ error }) => Object.assign(error, { code: 5 })),
    finding: { kind: 'field', path: 'code' },
  },
  {
    name: 'a number as a text',
    path: FOLDERS,
    change: edit(({ result }) => Object.assign(result?.data[0] ?? {}, { createdAt: 'now' })),
    finding: { kind: 'type', path: 'data[].createdAt' },
  },
  {
    name: 'a boolean as a number',
    path: CONFIG,
    change: edit(({ result }) => Object.assign(result.data, { useWebhookService: 0 })),
    finding: { kind: 'type', path: 'data.useWebhookService' },
  },
  {
    name: 'a list as a map',
    path: ENDPOINTS,
    change: edit(({ result }) => Object.assign(result.data, { endpoints: {} })),
    finding: { kind: 'type', path: 'data.endpoints' },
  },
  {
    name: 'a field that may be null',
    path: DOCUMENTS,
    change: edit(({ result }) => Object.assign(result?.data[0] ?? {}, { disabled: null })),
    finding: { kind: 'type', path: 'data[].disabled' },
  },
  {
    name: 'null instead of an empty list',
    path: FOLDERS,
    change: edit(({ result }) => Object.assign(result ?? {}, { data: null })),
    finding: { kind: 'type', path: 'data' },
  },
  {
    name: 'another HTTP status of an error',
    path: AGENT,
    change: (body) => body,
    http: 400,
    finding: { kind: 'http', path: null },
  },
  {
    name: 'another HTTP status of a success',
    path: CONFIG,
    change: (body) => body,
    http: 201,
    finding: { kind: 'http', path: null },
  },
  {
    name: 'a body without the envelope',
    path: CONFIG,
    change: ({ result }) => result,
    finding: { kind: 'envelope', path: null },
  },
  {
    name: 'the data alone',
    path: FOLDERS,
    change: ({ result }) => result.data,
    finding: { kind: 'status', path: null },
  },
  {
    name: 'another error status with the same message',
    path: AGENT,
    change: edit(({ error }) => Object.assign(error, { status: 'INVALID_ARGUMENT' })),
    http: 400,
    finding: { kind: 'status', path: null },
  },
  {
    name: 'an error status that the operation never has',
    path: CRDT,
    change: edit(({ error }) => Object.assign(error, { status: 'OUT_OF_RANGE' })),
    http: 400,
    finding: { kind: 'status', path: null },
  },
  {
    name: 'another message',
    path: AGENT,
    change: edit(({ error }) => Object.assign(error, { message: 'This agent does not exist.' })),
    listed: 'message',
  },
  {
    name: 'another form of the last cursor',
    path: ENDPOINTS,
    change: edit(({ result }) => Object.assign(result.data, { iterator: '' })),
  },
  {
    name: 'another page size',
    path: DOCUMENTS,
    change: edit(({ result }) => result?.data.splice(1)),
  },
  {
    name: 'a value that the API does not define',
    path: FOLDERS,
    change: edit(({ result }) => Object.assign(result?.data[0] ?? {}, { accessType: 'secret' })),
    listed: 'data[].accessType',
  },
  {
    name: 'another order',
    path: DOCUMENTS,
    change: edit(({ result }) => result?.data.reverse()),
  },
  {
    name: 'a header about the rate limit',
    path: DOCUMENTS,
    change: (body) => body,
    headers: { 'x-ratelimit-limit': '60' },
    listed: 'headers',
  },
];
