import { useState } from 'preact/hooks';
import { Badge, Detail, Fact, Facts, Problem } from './elements.tsx';
import { safe } from './format.ts';
import { query, usePolled } from './service.ts';

interface Level {
  readonly level: string;
  readonly resourceId?: string;
  readonly role: string;
  readonly expiresAt?: string | null;
  readonly reason?: string;
}

interface Explanation {
  readonly allowed: boolean;
  readonly role: string | null;
  readonly via: readonly Level[];
  readonly nearMisses: readonly Level[];
  readonly grant: string | null;
}

interface DocumentViewProps {
  readonly organization: string;
  readonly id: string;
  readonly back: string;
}

export function DocumentView({ organization, id, back }: DocumentViewProps) {
  const { data, error } = usePolled<{ readonly users: readonly (Explanation & { readonly userId: string })[] }>(
    query('explain', { document: id, org: organization }),
  );
  return (
    <Detail title={safe(id)} back={back}>
      <Problem error={error} />
      <h3>Who can open this</h3>
    </Detail>
  );
}
