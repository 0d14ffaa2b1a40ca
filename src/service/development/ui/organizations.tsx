import { useState } from 'preact/hooks';
import { CardView } from './card.tsx';
import { Empty, Filter, Head, Problem } from './elements.tsx';
import { safe } from './format.ts';
import { Rows } from './list.tsx';
import { hrefOf, type Route } from './route.ts';
import { query, usePolled } from './service.ts';
import { type ListedDocument, type ListedFolder, Tree } from './tree.tsx';

/** The fields with the ID and the name of each kind, and a command that adds records. */
const KINDS = {
  organizations: ['organizationId', 'organizationName', 'users add --local --org acme --file examples/users.json'],
  documents: ['documentId', 'documentName', 'documents add --local --org acme --document d1 --name Roadmap'],
  users: ['userId', 'name', 'users add --local --org acme --file examples/users.json'],
  groups: ['groupId', 'groupName', 'groups add --local --org acme --group sales --name Sales'],
} as const;

interface Listing<Listed = Readonly<Record<string, unknown>>> {
  readonly records: readonly Listed[];
  readonly more: boolean;
}

interface ListProps {
  readonly kind: keyof typeof KINDS;
  /** Undefined for the list of organizations. */
  readonly org?: string | undefined;
}

const SHOWN_RECORDS = 500;

/** Organizations, or the records of one of them, with the opened record. */
export function Organizations({ route: [org, kind = 'documents', id] }: { readonly route: Route }) {
  if (org === undefined) return <List kind="organizations" />;
  const list = kind === 'users' || kind === 'groups' ? kind : 'documents';
  const back = hrefOf('organizations', org, list);
  return (
    <>
      <List key={`${org} ${list}`} kind={list} org={org} />
      {id !== undefined && <CardView key={`${kind} ${id}`} {...{ org, id, back, kind: kind.replace(/s$/, '') }} />}
    </>
  );
}

function List({ kind, org }: ListProps) {
  const [match, setMatch] = useState('');
  const title = org === undefined ? 'Organizations' : <Title org={org} />;
  return (
    <section class="list">
      <Head title={title}>
        <Filter label={`Filter ${kind}`} value={match} onChange={setMatch} />
      </Head>
      {org !== undefined && <Tabs kind={kind} org={org} />}
      {kind === 'documents' && org !== undefined ? <Folders org={org} match={match} /> : <Records {...{ kind, org, match }} />}
    </section>
  );
}

function Title({ org }: { readonly org: string }) {
  return (
    <>
      <a href={hrefOf('organizations')}>Organizations</a> / {safe(org)}
    </>
  );
}

function Tabs({ kind, org }: ListProps & { readonly org: string }) {
  return (
    <nav class="tabs" aria-label="Records of the organization">
      {['documents', 'users', 'groups'].map((name) => (
        <a key={name} href={hrefOf('organizations', org, name)} aria-current={name === kind ? 'page' : undefined}>
          {name.charAt(0).toUpperCase() + name.slice(1)}
        </a>
      ))}
    </nav>
  );
}

interface MatchProps {
  readonly org?: string | undefined;
  readonly match: string;
}

function Records({ kind, org, match }: MatchProps & ListProps) {
  const { data, error } = usePolled<Listing>(query('list', { kind, org, match, limit: SHOWN_RECORDS }));
  const [idField, nameField] = KINDS[kind];
  const hrefOfRecord = (record: Readonly<Record<string, unknown>>) => {
    const id = String(record[idField]);
    return org === undefined ? hrefOf('organizations', id) : hrefOf('organizations', org, kind, id);
  };
  return (
    <>
      <Problem error={error} />
      {data && <Rest kind={kind} match={match} listings={[data]} />}
      <Rows label={kind} items={data?.records ?? []} hrefOf={hrefOfRecord}>
        {({ [idField]: id, [nameField]: name, email }) => (
          <>
            <span class="name">{safe(name ?? id)}</span>
            <span class="note">{safe([id, email].filter(Boolean).join(' · '))}</span>
          </>
        )}
      </Rows>
    </>
  );
}

function Folders({ org, match }: MatchProps & { readonly org: string }) {
  const read = { org, match, limit: SHOWN_RECORDS };
  const { data: folders, error } = usePolled<Listing<ListedFolder>>(query('list', { kind: 'folders', ...read }));
  const { data: documents } = usePolled<Listing<ListedDocument>>(query('list', { kind: 'documents', ...read }));
  if (!folders || !documents) return <Problem error={error} />;
  return (
    <>
      <Problem error={error} />
      <Rest kind="documents" match={match} listings={[folders, documents]} />
      <Tree organization={org} folders={folders.records} documents={documents.records} />
    </>
  );
}

/** Explains why the list is empty, or that more records exist. */
function Rest({ kind, match, listings }: MatchProps & ListProps & { readonly listings: readonly Listing<object>[] }) {
  if (listings.some(({ more }) => more))
    return <p class="muted">{`Only the first ${SHOWN_RECORDS} are listed. Filter to find others.`}</p>;
  if (listings.some(({ records }) => records.length > 0)) return null;
  return match ? (
    <Empty title={`No ${kind} match the filter`} />
  ) : (
    <Empty title={`No ${kind} yet`} commands={[`svc ${KINDS[kind][2]}`]} />
  );
}
