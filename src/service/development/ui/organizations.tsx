import { useState } from 'preact/hooks';
import { DocumentView } from './document.tsx';
import { Detail, Empty, Filter, Head, Json, Problem, Rows } from './elements.tsx';
import { safe } from './format.ts';
import { hrefOf, type Route } from './route.ts';
import { query, usePolled } from './service.ts';
import { type Document, type Folder, Tree } from './tree.tsx';

/** A record of `/_svc/list`, with the fields of its kind. */
type ListedRecord = Readonly<Record<string, unknown>>;

const SHOWN_RECORDS = 500;

/** How the page lists each kind: the fields with the ID and the name, and the command that adds records. */
const KINDS = {
  organizations: { id: 'organizationId', name: 'organizationName', add: 'svc organizations add --local --org acme' },
  documents: { id: 'documentId', name: 'documentName', add: 'svc documents add --local --org acme --document d1' },
  users: { id: 'userId', name: 'name', add: 'svc users add --local --org acme --file examples/users.json' },
  groups: { id: 'groupId', name: 'groupName', add: 'svc groups add --local --org acme --group g1 --name Team' },
} as const;
type Kind = keyof typeof KINDS;

function useListing<Listed = ListedRecord>(kind: string, organization: string | undefined, match: string) {
  return usePolled<{ readonly records: readonly Listed[] }>(query('list', { kind, org: organization, match, limit: SHOWN_RECORDS }));
}

export function Organizations({ route: [organization, kind = 'documents', id] }: { readonly route: Route }) {
  if (organization === undefined) return <RecordList kind="organizations" hrefOfId={(own) => hrefOf('organizations', own)} />;
  const back = hrefOf('organizations', organization, kind);
  return (
    <>
      {kind === 'documents' ? (
        <TreeList key={organization} organization={organization} />
      ) : (
        <RecordList key={kind} kind={kind === 'groups' ? 'groups' : 'users'} organization={organization} hrefOfId={(own) => `${back}/${encodeURIComponent(own)}`} />
      )}
      {id !== undefined && kind === 'documents' && <DocumentView key={id} organization={organization} id={id} back={back} />}
      {id !== undefined && kind !== 'documents' && <CardView key={id} organization={organization} kind={kind} id={id} back={back} />}
    </>
  );
}

interface ListHeadProps {
  readonly kind: Kind;
  readonly organization: string | undefined;
  readonly match: string;
  readonly onMatch: (match: string) => void;
}

function ListHead({ kind, organization, match, onMatch }: ListHeadProps) {
  const filter = <Filter label={`Filter ${kind}`} value={match} onChange={onMatch} />;
  if (organization === undefined) return <Head title="Organizations">{filter}</Head>;
  return (
    <>
      <Head title={<><a href={hrefOf('organizations')}>Organizations</a> / {safe(organization)}</>}>{filter}</Head>
      <nav class="tabs" aria-label="Records">
        {(['documents', 'users', 'groups'] as const).map((name) => (
          <a key={name} href={hrefOf('organizations', organization, name)} aria-current={name === kind ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
    </>
  );
}

interface RecordListProps {
  readonly kind: Kind;
  readonly organization?: string;
  readonly hrefOfId: (id: string) => string;
}

function RecordList({ kind, organization, hrefOfId }: RecordListProps) {
  const [match, setMatch] = useState('');
  const { data, error } = useListing(kind, organization, match);
  const { id, name, add } = KINDS[kind];
  const idOf = (record: ListedRecord) => String(record[id]);
  return (
    <section class="list">
      <ListHead kind={kind} organization={organization} match={match} onMatch={setMatch} />
      <Problem error={error} />
      <NoRecords listed={data?.records} match={match} kind={kind} />
      <Rows label={kind} items={data?.records ?? []} keyOf={idOf} hrefOf={(record) => hrefOfId(idOf(record))}>
        {(record) => (
          <>
            <span class="name">{safe(record[name] ?? record[id])}</span>
            <span class="note">{safe([record[id], record['email']].filter(Boolean).join(' · '))}</span>
          </>
        )}
      </Rows>
    </section>
  );
}

function NoRecords({ listed, match, kind }: { readonly listed: readonly unknown[] | undefined; readonly match: string; readonly kind: Kind }) {
  if (listed?.length !== 0) return null;
  if (match) return <Empty title={`No ${kind} match the filter`} />;
  return (
    <Empty title={`No ${kind} yet`}>
      <p>Add some from another terminal:</p>
      <code>{KINDS[kind].add}</code>
    </Empty>
  );
}

/** The folder tree with the documents of each folder. */
function TreeList({ organization }: { readonly organization: string }) {
  const [match, setMatch] = useState('');
  const folders = useListing<Folder>('folders', organization, '');
  const documents = useListing<Document>('documents', organization, match);
  return (
    <section class="list">
      <ListHead kind="documents" organization={organization} match={match} onMatch={setMatch} />
      <Problem error={folders.error ?? documents.error} />
      <NoRecords listed={folders.data?.records.length === 0 ? documents.data?.records : undefined} match={match} kind="documents" />
      {folders.data && documents.data && (
        <Tree organization={organization} folders={folders.data.records} documents={documents.data.records} />
      )}
    </section>
  );
}

interface CardViewProps {
  readonly organization: string;
  readonly kind: string;
  readonly id: string;
  readonly back: string;
}

/** Everything the service knows about a user or a group. */
function CardView({ organization, kind, id, back }: CardViewProps) {
  const { data, error } = usePolled(query('show', { kind: kind.replace(/s$/, ''), id, org: organization }));
  return (
    <Detail title={safe(id)} back={back}>
      <Problem error={error} />
      {data !== undefined && <Json label="Card" value={data} />}
    </Detail>
  );
}
