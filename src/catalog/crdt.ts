import * as z from 'zod/mini';
import { upperFirst } from '../kernel/first-letter.ts';
import { quoteId } from '../kernel/id-text.ts';
import { isObject } from '../kernel/json.ts';
import { defineOperation, type InputProblem } from './define.ts';
import { fieldMessage } from './field-message.ts';
import { createsOrganization, documentId, flag, id, organizationId, withRules } from './fields.ts';
import { described } from './metadata.ts';
import { SAMPLE_DOCUMENT } from './sample-data.ts';

const TYPES = ['text', 'map', 'array', 'xml'] as const;
const editor = { organizationId, documentId, editorId: id('editor ID') };

const lookup = {
  operation: 'crdt.get',
  inputFields: { organizationId: 'organizationId', documentId: 'documentId', editorId: 'editorId' },
};

const content = withRules(
  z
    .object({
      ...editor,
      type: described(z.enum(TYPES), 'content type'),
      data: flag(
        { flag: 'content', as: 'content' },
        described(z.unknown(), "content: text, @file, or '-' for stdin; JSON for map and array"),
      ),
      contentKey: described(z.optional(z.string()), 'key of the content (default: content)'),
    })
    .check(
      z.superRefine(({ type, data }, refinement) => {
        const reject = ({ message, params }: ReturnType<typeof fieldMessage>) =>
          refinement.addIssue({
            code: 'custom',
            path: ['data'],
            message: upperFirst(message),
            params,
          });
        const expected = describeExpectedData(type, data);
        if (expected)
          reject(
            fieldMessage`${{ field: 'data' }} must be ${expected} for ${{ field: 'type' }} ${type}.`,
          );
        if (hasPrototypeKey(data))
          reject(fieldMessage`${{ field: 'data' }} must not have a key __proto__.`);
      }),
    ),
  {
    oneOf: [
      {
        properties: { type: { enum: ['text', 'xml'] }, data: { type: 'string' } },
        required: ['data'],
      },
      { properties: { type: { const: 'map' }, data: { type: 'object' } }, required: ['data'] },
      {
        properties: { type: { const: 'array' }, data: { type: 'array', items: {} } },
        required: ['data'],
      },
    ],
  },
);

/** Uses problems of `data` as the message, because they are complete sentences. */
function describeRejection({ path: [field], message }: InputProblem): string | undefined {
  return field === 'data' ? message : undefined;
}

/** Whether data contains a key that editors would confuse with an object's prototype. */
function hasPrototypeKey(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  return Object.entries(data).some(([key, inner]) => key === '__proto__' || hasPrototypeKey(inner));
}

function describeExpectedData(type: (typeof TYPES)[number], data: unknown): string | undefined {
  if (type === 'array') return Array.isArray(data) ? undefined : 'an array';
  if (type === 'map') return isObject(data) ? undefined : 'an object';
  return typeof data === 'string' ? undefined : 'a string';
}

const SAMPLE_CONTENT = {
  ...SAMPLE_DOCUMENT,
  type: 'text',
  data: 'Hello',
  contentKey: 'content',
} as const;

export const crdt = {
  'crdt.get': defineOperation('crdt.get', {
    summary: 'Show the content of editors',
    path: '/v2/crdt/get',
    effect: 'read',
    input: z.object({ ...editor, editorId: z.optional(id('include only this editor')) }),
    output: z.array(
      z.looseObject({
        id: z.string(),
        data: z.unknown(),
        lastUpdate: z.unknown(),
        lastUpdatedBy: z.nullish(z.string()),
        sessionId: z.unknown(),
      }),
    ),
    message: 'CRDT data retrieved successfully.',
    addedBy: 'crdt.add',
    columns: [
      { header: 'EDITOR', field: 'id', kind: 'whole' },
      { header: 'CONTENT', field: 'data' },
      { header: 'UPDATED', field: 'lastUpdate', kind: 'time', hideOrder: 1 },
    ],
    decision: 'an editor without content is NOT_FOUND',
    isDocumented: false,
    settings: 'read',
    sample: () => ({ ...SAMPLE_DOCUMENT, editorId: 'e1' }),
  }),
  'crdt.add': defineOperation('crdt.add', {
    summary: 'Add initial content to an editor',
    createsParents: createsOrganization,
    path: '/v2/crdt/add',
    effect: 'keyed',
    input: content,
    output: z.unknown(),
    message: 'CRDT data added successfully.',
    lookup,
    rejectionMessage: describeRejection,
    decision: 'adding content to an editor that has some is ALREADY_EXISTS',
    isDocumented: false,
    settings: { notSettings: 'content that users create' },
    sample: () => ({ ...SAMPLE_CONTENT, editorId: 'e2' }),
  }),
  'crdt.update': defineOperation('crdt.update', {
    summary: 'Replace the content of an editor',
    description:
      'Connected clients see the change: it is applied as editor operations, not as an overwrite.',
    path: '/v2/crdt/update',
    effect: 'set',
    input: content,
    output: z.unknown(),
    message: 'CRDT data updated successfully.',
    lookup,
    rejectionMessage: describeRejection,
    confirm: ({ editorId, documentId }) =>
      `Replace the content of editor ${quoteId(editorId)} in document ${quoteId(documentId)}?`,
    decision: 'content must match its type, and an editor without content is NOT_FOUND',
    settings: { notSettings: 'content that users create' },
    sample: () => ({ ...SAMPLE_CONTENT, editorId: 'e1' }),
  }),
};
