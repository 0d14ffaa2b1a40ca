import type { KeyCall } from '../calls/call.ts';
import { eventsOfCrdtWrite } from '../deliveries/document-events.ts';
import { recordDocumentEvents } from '../deliveries/outbox.ts';
import { type Editor, selectEditors } from '../records/editor-rows.ts';
import { readLatestContent, writeEditor } from '../records/editors.ts';
import { ensureOrganization, findOrganization } from '../records/organizations.ts';
import { Refusal } from '../store/refusal.ts';
import type { HandlersOf } from './handler.ts';

export const crdt: HandlersOf<'crdt'> = {
  'crdt.get': async (call, { organizationId, documentId, editorId }) => {
    const organization = await findOrganization(call, organizationId);
    const filter = { organization, documentId, editorId };
    const found = organization === undefined ? [] : await selectEditors(call.database, filter);
    if (editorId !== undefined && found.length === 0) throw editorNotFound();
    return { data: found.map(toEditorRecord) };
  },

  'crdt.add': async (call, input) => {
    const organization = await ensureOrganization(call, input.organizationId);
    if (await findEditor(call, organization, input))
      throw new Refusal('ALREADY_EXISTS', 'CRDT data already exists for this editor ID.');
    await writeAndPublish(call, organization, input, undefined);
    return EMPTY_RESULT;
  },

  'crdt.update': async (call, input) => {
    const organization = await findOrganization(call, input.organizationId);
    const existing =
      organization === undefined ? undefined : await findEditor(call, organization, input);
    if (!existing) throw editorNotFound();
    await writeAndPublish(call, existing.organization, input, existing);
    return EMPTY_RESULT;
  },
};

const EMPTY_RESULT = { data: undefined };

function editorNotFound(): Refusal {
  return new Refusal('NOT_FOUND', 'No CRDT data found for this editor ID.');
}

type EditorInput = Parameters<typeof writeEditor>[2];
type EditorId = Pick<Editor, 'documentId' | 'editorId'>;

async function findEditor(
  { database }: KeyCall,
  organization: number,
  { documentId, editorId }: EditorId,
) {
  const [found] = await selectEditors(database, { organization, documentId, editorId });
  return found;
}

async function writeAndPublish(
  call: KeyCall,
  organization: number,
  input: EditorInput,
  existing: Editor | undefined,
) {
  const written = await writeEditor(call.database, organization, input, existing, call.now);
  await recordDocumentEvents(
    call,
    eventsOfCrdtWrite(input, () => toEditorRecord(written)),
  );
}

/** Shown as the author of content that was written with the API, which does not name a user. */
const API_WRITER = 'api';

function toEditorRecord(editor: Editor) {
  const { editorId, lastUpdate, lastUpdatedBy, sessionId } = editor;
  const { data } = readLatestContent(editor);
  return {
    id: editorId,
    data,
    lastUpdate: new Date(lastUpdate).toISOString(),
    lastUpdatedBy: lastUpdatedBy ?? API_WRITER,
    sessionId,
  };
}
