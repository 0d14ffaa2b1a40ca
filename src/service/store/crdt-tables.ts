import type { SchemaModule } from 'kysely';

/** Contents of collaborative editors. */
export interface CrdtTables {
  editors: {
    organization: number;
    documentId: string;
    editorId: string;
    /** The Yjs document as one update, in base64. */
    state: string;
    /** JSON object: the type of each content key of the document. */
    types: string;
    /** The content key that was written last. Reads return its content. */
    contentKey: string;
    lastUpdate: number;
    lastUpdatedBy: string | null;
    sessionId: string | null;
  };
}

export async function createCrdtTables(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('editors')
    .addColumn('organization', 'integer', (column) => column.notNull().references('organizations.key'))
    .addColumn('documentId', 'text', (column) => column.notNull())
    .addColumn('editorId', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('types', 'text', (column) => column.notNull())
    .addColumn('contentKey', 'text', (column) => column.notNull())
    .addColumn('lastUpdate', 'bigint', (column) => column.notNull())
    .addColumn('lastUpdatedBy', 'text')
    .addColumn('sessionId', 'text')
    .addPrimaryKeyConstraint('editorKey', ['organization', 'documentId', 'editorId'])
    .execute();
}
