import { useState } from 'preact/hooks';
import type { Explanation } from '../reading/answers.ts';
import { Badge, Empty, Facts, Problem, Time } from './elements.tsx';
import { formatValue, safe, wordsOf } from './format.ts';
import { Detail } from './list.tsx';
import { query, usePolled } from './service.ts';

interface CardProps {
  readonly org: string;
  readonly kind: string;
  readonly id: string;
}

const isTime = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);

/** Shows everything that the service knows about a record: its plain fields, then its lists. */
export function CardView({ back, ...record }: CardProps & { readonly back: string }) {
  const { org, kind, id } = record;
  const { data, error } = usePolled<{ readonly records: readonly Readonly<Record<string, unknown>>[] }>(
    query('show', { org, kind, id }),
  );
  const { organizationId: _, users, ...card } = data?.records[0] ?? {};
  const fields = Object.entries(card);
  const facts = fields.flatMap(([name, value]) => {
    return Array.isArray(value) ? [] : [[wordsOf(name), isTime(value) ? <Time at={value} /> : formatValue(value)]];
  });
  const lists = fields.filter((field): field is [string, readonly unknown[]] => Array.isArray(field[1]));
  return (
    <Detail title={`${kind} ${safe(id)}`} back={back}>
      <Problem error={error} />
      <Facts of={Object.fromEntries(facts)} />
      {Array.isArray(users) && <Access {...record} users={users} />}
      {lists.map(([name, values]) => (
        <section key={name}>
          <h3>{wordsOf(name)}</h3>
          {values.length === 0 && <p class="muted">None</p>}
          <ul class="lines">
            {values.map((value) => (
              <li key={JSON.stringify(value)}>{safe(formatValue(value, id))}</li>
            ))}
          </ul>
        </section>
      ))}
    </Detail>
  );
}

interface UserAccess {
  readonly userId: string;
  readonly role: string;
  readonly level: string;
  readonly id?: string;
}

/** Lists who can open a document, and explains why a user can or cannot. */
function Access({ org, id, users }: CardProps & { readonly users: readonly UserAccess[] }) {
  const [typed, setTyped] = useState('');
  const [user, setUser] = useState('');
  const ask = (event: Event) => {
    event.preventDefault();
    setUser(typed);
  };
  const choose = (userId: string) => {
    setTyped(userId);
    setUser(userId);
  };
  return (
    <>
      <h3>Who can open this</h3>
      {users.length === 0 && <p class="muted">No user of the organization</p>}
      <ul class="lines access">
        {users.map(({ userId, role, level, id: at = org }) => (
          <li key={userId}>
            <button type="button" class="link" aria-pressed={user === userId} onClick={() => choose(userId)}>
              {safe(userId)}
            </button>
            <span>{safe(role)}</span>
            <span class="note">{safe(`member of ${level} ${at}`)}</span>
          </li>
        ))}
      </ul>
      <h3>Why can a user open this, or not?</h3>
      <form onSubmit={ask}>
        <input
          aria-label="User ID"
          placeholder="User ID"
          required
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <button type="submit">Explain</button>
      </form>
      {user !== '' && <Answer key={user} {...{ org, user, document: id }} />}
    </>
  );
}

const REASONS = { restricted: 'excluded by a restriction', expired: 'expired', disabled: 'the document is disabled' };

function Answer({ user, document, org }: { readonly user: string; readonly document: string; readonly org: string }) {
  const { data, error } = usePolled<Explanation>(query('explain', { user, document, org }));
  if (!data) return <Problem error={error} />;
  const { allowed, role, via, nearMisses, path, grant, disabled } = data;
  return (
    <section aria-live="polite">
      <p>
        <Badge tone={allowed ? 'good' : 'bad'}>
          {allowed ? `${safe(user)} can open this as ${role}` : `${safe(user)} cannot open this`}
        </Badge>
      </p>
      {disabled && <p>Nobody can open a disabled document.</p>}
      <ol class="lines">
        {path.map(({ level, id, accessType, inherited }) => {
          const isAt = (grant: { readonly level: string; readonly id: string }) => grant.level === level && grant.id === id;
          const granted = via.find(isAt);
          const missed = nearMisses.find(isAt);
          const membership = granted ?? missed;
          return (
            <li key={`${level} ${id}`}>
              <span>{safe(`${level} ${id}`)}</span>
              <span class="note">{accessType === 'public' ? '' : `${accessType}${inherited ? ' (inherited)' : ''}`}</span>
              <Badge tone={granted ? 'good' : missed ? 'bad' : 'idle'}>
                {membership ? membership.role : 'not a member'}
                {missed && `, ${REASONS[missed.reason]}`}
              </Badge>
            </li>
          );
        })}
      </ol>
      {grant !== null && <Empty title="To give access" commands={[grant]} />}
    </section>
  );
}
