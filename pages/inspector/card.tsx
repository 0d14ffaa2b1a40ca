import { useState } from 'preact/hooks';
import type { Explanation } from '../../src/catalog/local/answers.ts';
import { Badge, Empty, Fields, Problem } from './elements.tsx';
import { safe } from './format.ts';
import { Detail } from './list.tsx';
import { query, usePolled } from './service.ts';
import type { ListedRecord } from './tree.tsx';

interface CardProps {
  readonly org: string;
  readonly kind: string;
  readonly id: string;
  readonly back: string;
}

/** Shows a record with its related data. */
export function CardView({ org, kind, id, back }: CardProps) {
  const { data, error } = usePolled<{ readonly records: readonly object[] }>(
    query('show', { org, kind, id }),
  );
  const { organizationId: _, users, ...card } = Object(data?.records[0]);
  return (
    <Detail title={`${kind} ${safe(id)}`} back={back} error={error}>
      <Fields of={card} />
      {users && <Access org={org} id={id} users={users} />}
    </Detail>
  );
}

/** Lists the users who can open a document, and explains why a given user can or can't. */
function Access({
  org,
  id,
  users,
}: Pick<CardProps, 'org' | 'id'> & { readonly users: readonly ListedRecord[] }) {
  const [user, setUser] = useState('');
  const ask = (event: SubmitEvent) => {
    event.preventDefault();
    setUser(String(new FormData(event.currentTarget as HTMLFormElement).get('user')));
  };
  return (
    <>
      <h3>Who can open this</h3>
      {users.length === 0 && <p class="muted">No users</p>}
      <ul class="lines access">
        {users.map(({ userId = '', role, level, id: at = org }) => (
          <li key={userId}>
            <button
              type="button"
              class="link"
              aria-pressed={user === userId}
              onClick={() => setUser(userId)}
            >
              {safe(userId)}
            </button>
            <span>{role}</span>
            <span class="note">{safe(`member of ${level} ${at}`)}</span>
          </li>
        ))}
      </ul>
      <h3>Check a user's access</h3>
      <form onSubmit={ask}>
        <input name="user" aria-label="User ID" placeholder="User ID" required />
        <button type="submit">Explain</button>
      </form>
      {user && <Answer key={user} path={query('explain', { org, user, document: id })} />}
    </>
  );
}

const REASONS = {
  restricted: 'excluded by a restriction',
  expired: 'expired',
  disabled: 'the document is disabled',
};

/** Explains access level by level, from the document to the organization. */
function Answer({ path: question }: { readonly path: string }) {
  const { data, error } = usePolled<Explanation>(question);
  if (!data) return <Problem error={error} />;
  const { user, allowed, role, via, nearMisses, path, grant } = data;
  return (
    <section aria-live="polite">
      <Badge
        tone={allowed ? 'good' : 'bad'}
      >{`${safe(user)} ${allowed ? `can open this as ${role}` : 'cannot open this'}`}</Badge>
      <ol class="lines">
        {path.map(({ level, id, accessType, inherited }) => {
          const isHere = (membership: { readonly level: string; readonly id: string }) =>
            membership.level === level && membership.id === id;
          const [granted, missed] = [via.find(isHere), nearMisses.find(isHere)];
          return (
            <li key={`${level} ${id}`}>
              <span>{safe(`${level} ${id}`)}</span>
              <span class="note">
                {accessType === 'public' ? '' : `${accessType}${inherited ? ' (inherited)' : ''}`}
              </span>
              <Badge tone={granted ? 'good' : missed ? 'bad' : 'idle'}>
                {granted?.role ??
                  (missed ? `${missed.role}, ${REASONS[missed.reason]}` : 'not a member')}
              </Badge>
            </li>
          );
        })}
      </ol>
      {grant !== null && <Empty title="To grant access" commands={[grant]} />}
    </section>
  );
}
