import { useState } from 'preact/hooks';
import { CardView } from './card.tsx';
import { Empty, Filter, Head } from './elements.tsx';
import { safe } from './format.ts';
import { Rows } from './list.tsx';
import { hrefOf, type Route } from './route.ts';
import { query, usePolled } from './service.ts';
import { type ListedRecord, Tree } from './tree.tsx';

/** For each kind, the fields with the ID and the name, and a command that adds a record. */
const KINDS = {
  organizations: [
    'organizationId',
    'organizationName',
    'users add --local --org acme --user ada --name Ada',
  ],
  documents: [
    'documentId',
    'documentName',
    'documents add --local --org acme --document d1 --name Roadmap',
  ],
  users: ['userId', 'name', 'users add --local --org acme --user ada --name Ada'],
  groups: ['groupId', 'groupName', 'groups add --local --org acme --group sales --name Sales'],
} as const;

const SHOWN_RECORDS = 500;

/** Shows the organizations, or the records of one organization, and the open record. */
export function Organizations({ route: [org, kind = 'documents', id] }: { readonly route: Route }) {
  if (org === undefined) return <List kind="organizations" org="" />;
  const list = kind === 'users' || kind === 'groups' ? kind : 'documents';
  const back = hrefOf('organizations', org, list);
  return (
    <>
      <List key={`${org} ${list}`} kind={list} org={org} />
      {id !== undefined && (
        <CardView
          key={`${kind} ${id}`}
          org={org}
          id={id}
          back={back}
          kind={kind.replace(/s$/, '')}
        />
      )}
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
  // Folders are shown only with documents.
  const { data: folders } = usePolled<Listing>(read(kind === 'documents' ? 'folders' : kind));
  const [idField, nameField, command] = KINDS[kind];
  const rows = data?.records.map(({ [idField]: id = '', [nameField]: name, email }) => {
    const href = org ? hrefOf('organizations', org, kind, id) : hrefOf('organizations', id);
    return { href, name: name ?? id, note: [id, email].filter(Boolean).join(' · ') };
  });
  return (
    <section class="list">
      <Head title={org ? safe(org) : 'Organizations'} error={error}>
        <Filter label={`Filter ${kind}`} value={match} onChange={setMatch} />
      </Head>
      {org && <Tabs kind={kind} org={org} />}
      {(data?.more || folders?.more) && (
        <p class="muted">{`Only the first ${SHOWN_RECORDS} are listed. Filter to find others.`}</p>
      )}
      {data?.records.length === 0 && folders?.records.length === 0 && (
        <Empty
          title={`No ${kind} ${match ? 'match the filter' : 'yet'}`}
          commands={match ? [] : [`svc ${command}`]}
        />
      )}
      {kind !== 'documents' && rows && <Rows label={kind} rows={rows} />}
      {kind === 'documents' && data && folders && (
        <Tree org={org} folders={folders.records} documents={data.records} />
      )}
    </section>
  );
}

function Tabs({ kind, org }: ListProps) {
  return (
    <nav class="tabs" aria-label="Records of the organization">
      <a href={hrefOf('organizations')}>all organizations</a>
      {['documents', 'users', 'groups'].map((name) => (
        <a
          key={name}
          href={hrefOf('organizations', org, name)}
          aria-current={name === kind ? 'page' : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
  );
}
