import type { KeyCall } from '../call.ts';
import { editorWritten } from '../deliveries/causes.ts';
import { recordHappenings } from '../deliveries/outbox.ts';
import { type Editor, readEditor, selectEditors, writeEditor } from '../records/editors.ts';
import { ensureOrganization, findOrganization } from '../records/organizations.ts';
import { Refusal } from '../refusal.ts';
import type { HandlersOf } from './handler.ts';

export const crdt: HandlersOf<'crdt'> = {
  'crdt.get': async (call, { organizationId, documentId, editorId }) => {
    const organization = await findOrganization(call, organizationId);
    const place = { documentId, ...(editorId !== undefined && { editorId }) };
    const found = organization === undefined ? [] : await selectEditors(call.database, { organization, ...place });
    if (editorId !== undefined && found.length === 0) throw noData();
    return { data: found.map(editorRecord) };
  },

  'crdt.add': async (call, input) => {
    const organization = await ensureOrganization(call, input.organizationId);
    if (await findEditor(call, organization, input)) {
      throw new Refusal('ALREADY_EXISTS', 'CRDT data already exists for this editor ID.');
    }
    await write(call, organization, input, undefined);
    return NO_DATA;
  },

  'crdt.update': async (call, input) => {
    const organization = await findOrganization(call, input.organizationId);
    const known = organization === undefined ? undefined : await findEditor(call, organization, input);
    if (!known) throw noData();
    await write(call, known.organization, input, known);
    return NO_DATA;
  },
};

/** The reply has a status and a message alone. */
const NO_DATA = { data: undefined };

function noData(): Refusal {
  return new Refusal('NOT_FOUND', 'No CRDT data found for this editor ID.');
}

type WrittenEditor = Parameters<typeof writeEditor>[2];
type EditorId = Pick<Editor, 'documentId' | 'editorId'>;

async function findEditor({ database }: KeyCall, organization: number, { documentId, editorId }: EditorId) {
  const [found] = await selectEditors(database, { organization, documentId, editorId });
  return found;
}

async function write(call: KeyCall, organization: number, input: WrittenEditor, known: Editor | undefined) {
  const written = await writeEditor(call.database, organization, input, known, call.now);
  await recordHappenings(
    call,
    editorWritten(input, () => editorRecord(written)),
  );
}

function editorRecord(editor: Editor) {
  const { editorId, lastUpdate, lastUpdatedBy, sessionId } = editor;
  const { data } = readEditor(editor);
  return { id: editorId, data, lastUpdate: new Date(lastUpdate).toISOString(), lastUpdatedBy, sessionId };
}
