import type { StateKind } from '../../catalog/state.ts';
import { activities } from './activities.ts';
import { agentGroups, agents } from './agents.ts';
import { config } from './config.ts';
import { crdt } from './crdt.ts';
import { documents } from './documents.ts';
import { endpoints } from './endpoints.ts';
import { folders } from './folders.ts';
import { groups } from './groups.ts';
import { organizations } from './organizations.ts';
import type { Section } from './section.ts';
import { userData } from './user-data.ts';
import { users } from './users.ts';

/** Sections of the state, in an order that satisfies their references. */
export const SECTIONS: { readonly [Kind in StateKind]: Section<Kind> } = {
  organizations,
  folders,
  documents,
  users,
  groups,
  activities,
  agents,
  agentGroups,
  crdt,
  userData,
  endpoints,
  config,
};

export const STATE_KINDS = Object.keys(SECTIONS) as readonly StateKind[];
