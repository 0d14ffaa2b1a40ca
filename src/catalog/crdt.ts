import * as z from 'zod';
import { isObject } from '../kernel/is-object.ts';
import { defineOperation, type Finding } from './define.ts';
import { documentId, flag, id, organizationId, withRules } from './fields.ts';

const TYPES = ['text', 'map', 'array', 'xml'] as const;

const editor = { organizationId, documentId, editorId: id('editor id') };

const lookup = {
  operation: 'crdt.get',
  by: { organizationId: 'organizationId', documentId: 'documentId', editorId: 'editorId' },
};

const content = withRules(
  z
    .object({
      ...editor,
      type: z.enum(TYPES).describe('what the content is'),
      data: flag(
        { flag: 'content', as: 'content' },
        z.unknown().describe("the content: text, @file or '-'; JSON for map and array"),
      ),
      contentKey: z.string().optional().describe("key of the content ('content' when left out)"),
    })
    .superRefine(({ type, data }, refinement) => {
      const wanted = wantedFor(type, data);
      if (wanted)
        refinement.addIssue({ code: 'custom', path: ['data'], message: `Data must be ${wanted} for type ${type}.` });
      if (hasPrototypeKey(data))
        refinement.addIssue({ code: 'custom', path: ['data'], message: 'Data must not have a key __proto__.' });
    }),
  {
    oneOf: [
      { properties: { type: { enum: ['text', 'xml'] }, data: { type: 'string' } }, required: ['data'] },
      { properties: { type: { const: 'map' }, data: { type: 'object' } }, required: ['data'] },
      { properties: { type: { const: 'array' }, data: { type: 'array', items: {} } }, required: ['data'] },
    ],
  },
);

/** Findings about the data are whole sentences, but for the one that there is none. */
function refusal({ path: [field], message }: Finding): string | undefined {
  if (field === 'editorId') return 'Editor ID is required.';
  if (field !== 'data') return undefined;
  return message.startsWith('Data ') ? message : 'Data is required.';
}

/** A key that editors cannot tell from an object's prototype. */
function hasPrototypeKey(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  return Object.entries(data).some(([key, inner]) => key === '__proto__' || hasPrototypeKey(inner));
}

/** What the data should have been for its type, or `undefined` when it fits. */
function wantedFor(type: (typeof TYPES)[number], data: unknown): string | undefined {
  switch (type) {
    case 'text':
    case 'xml':
      return typeof data === 'string' ? undefined : 'a string';
    case 'array':
      return Array.isArray(data) ? undefined : 'an array';
    case 'map':
      return isObject(data) ? undefined : 'an object';
  }
}

export const crdt = {
  'crdt.get': defineOperation({
    command: ['crdt', 'get'],
    summary: 'Show the content of an editor',
    examples: [{ command: 'svc crdt get --org acme --document d1 --editor e1', does: 'the content of one editor' }],
    path: '/v2/crdt/get',
    auth: 'key',
    effect: 'read',
    input: z.object({ ...editor, editorId: id('only this editor').optional() }),
    output: z.array(
      z.looseObject({
        id: z.string(),
        data: z.unknown(),
        lastUpdate: z.unknown(),
        lastUpdatedBy: z.unknown(),
        sessionId: z.unknown(),
      }),
    ),
    message: 'CRDT data retrieved successfully.',
    addedBy: 'crdt.add',
    columns: [
      { header: 'EDITOR', field: 'id', kind: 'whole' },
      { header: 'CONTENT', field: 'data' },
      { header: 'UPDATED', field: 'lastUpdate', kind: 'time' },
    ],
  }),
  'crdt.add': defineOperation({
    command: ['crdt', 'add'],
    summary: 'Give an editor its first content',
    examples: [
      {
        command: 'svc crdt add --org acme --document d1 --editor e2 --type text --content "Hello"',
        does: 'begin with a text',
      },
    ],
    path: '/v2/crdt/add',
    auth: 'key',
    effect: 'keyed',
    input: content,
    output: z.unknown(),
    message: 'CRDT data added successfully.',
    lookup,
    refusal,
  }),
  'crdt.update': defineOperation({
    command: ['crdt', 'update'],
    summary: 'Replace the content of an editor',
    description: 'Connected clients see the change: it is made by operations of the editor, not by overwriting.',
    examples: [
      {
        command: 'svc crdt update --org acme --document d1 --editor e1 --type text --content "Hello" --yes',
        does: 'replace a text',
      },
    ],
    path: '/v2/crdt/update',
    auth: 'key',
    effect: 'set',
    input: content,
    output: z.unknown(),
    message: 'CRDT data updated successfully.',
    lookup,
    refusal,
    confirm: ({ editorId, documentId }) => `Replace the content of editor ${editorId} in document ${documentId}?`,
  }),
};
