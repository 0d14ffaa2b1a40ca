import { useState } from 'preact/hooks';
import { CardView } from './card.tsx';
import { Empty, Filter, Head } from './elements.tsx';
import { safe } from './format.ts';
import { Rows } from './list.tsx';
import { hrefOf, type Route } from './route.ts';
import { query, usePolled } from './service.ts';
import { type ListedRecord, Tree } from './tree.tsx';

/** The fields with the ID and the name of each kind, and a command that adds records. */
const KINDS = {
  organizations: ['organizationId', 'organizationName', 'users add --local --org acme --file examples/users.json'],
  documents: ['documentId', 'documentName', 'documents add --local --org acme --document d1 --name Roadmap'],
  users: ['userId', 'name', 'users add --local --org acme --file examples/users.json'],
  groups: ['groupId', 'groupName', 'groups add --local --org acme --group sales --name Sales'],
} as const;

const SHOWN_RECORDS = 500;

/** Organizations, or the records of one of them, with the opened record. */
export function Organizations({ route: [org, kind = 'documents', id] }: { readonly route: Route }) {
  if (org === undefined) return <List kind="organizations" org="" />;
  const list = kind === 'users' || kind === 'groups' ? kind : 'documents';
  const back = hrefOf('organizations', org, list);
  return (
    <>
      <List key={`${org} ${list}`} kind={list} org={org} />
      {id !== undefined && <CardView key={`${kind} ${id}`} {...{ org, id, back, kind: kind.replace(/s$/, '') }} />}
    </>
  );
}

interface ListProps {
  readonly kind: keyof typeof KINDS;
  /** Empty for the list of organizations. */
  readonly org: string;
}

interface Listing {
  readonly records: readonly ListedRecord[];
  readonly more: boolean;
}

function List({ kind, org }: ListProps) {
  const [match, setMatch] = useState('');
  const read = (name: string) => query('list', { kind: name, org, match, limit: SHOWN_RECORDS });
  const { data, error } = usePolled<Listing>(read(kind));
  // Folders are only shown with documents.
  const { data: folders } = usePolled<Listing>(read(kind === 'documents' ? 'folders' : kind));
  const title = [
    <a key="all" href={hrefOf('organizations')}>
      Organizations
    </a>,
    ` / ${safe(org)}`,
  ];
  return (
    <section class="list">
      <Head title={org ? title : 'Organizations'} error={error}>
        <Filter label={`Filter ${kind}`} value={match} onChange={setMatch} />
      </Head>
      {org && <Tabs kind={kind} org={org} />}
      {(data?.more || folders?.more) && (
        <p class="muted">{`Only the first ${SHOWN_RECORDS} are listed. Filter to find others.`}</p>
      )}
      {data?.records.length === 0 && folders?.records.length === 0 && <NoRecords kind={kind} match={match} />}
      {kind === 'documents' ? (
        data && folders && <Tree org={org} folders={folders.records} documents={data.records} />
      ) : (
        <Records kind={kind} org={org} records={data?.records} />
      )}
    </section>
  );
}

function NoRecords({ kind, match }: Pick<ListProps, 'kind'> & { readonly match: string }) {
  return match ? (
    <Empty title={`No ${kind} match the filter`} />
  ) : (
    <Empty title={`No ${kind} yet`} commands={[`svc ${KINDS[kind][2]}`]} />
  );
}

function Tabs({ kind, org }: ListProps) {
  return (
    <nav class="tabs" aria-label="Records of the organization">
      {['documents', 'users', 'groups'].map((name) => (
        <a key={name} href={hrefOf('organizations', org, name)} aria-current={name === kind ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

function Records({ kind, org, records }: ListProps & { readonly records: readonly ListedRecord[] | undefined }) {
  const [idField, nameField] = KINDS[kind];
  const place = org ? ['organizations', org, kind] : ['organizations'];
  return (
    <Rows label={kind} items={records} hrefOf={({ [idField]: id = '' }) => hrefOf(...place, id)}>
      {({ [idField]: id, [nameField]: name, email }) => (
        <>
          <span class="name">{safe(name ?? id)}</span>
          <span class="note">{safe([id, email].filter(Boolean).join(' · '))}</span>
        </>
      )}
    </Rows>
  );
}
