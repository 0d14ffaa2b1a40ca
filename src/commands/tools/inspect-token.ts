import type { Column } from '../../catalog/define.ts';
import type { View } from '../../output/renderer.ts';
import { readArgument } from '../call/data-argument.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { type AccessToken, type Grant, type Lifetime, readAccessToken } from './access-token.ts';

export async function inspectTokenCommand(context: Context, { arguments: [given = ''] }: Invocation): Promise<void> {
  const text = given === '-' ? await readArgument(context, given) : given;
  await showToken(context, readAccessToken(text, context.clock.now()));
}

export async function showToken(context: Context, token: AccessToken): Promise<void> {
  const printer = await context.printer();
  await printer.value(token, { drawing: (view) => drawing(token, view) });
  await context.warn('the signature is not verified: anyone can write such a token');
}

/** Claims that the table shows in another form. */
const SHOWN_APART = new Set(['iat', 'exp', 'permissions']);

const COLUMNS: readonly Column[] = [
  { header: 'TYPE', field: 'type' },
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'ORGANIZATION', field: 'organizationId', kind: 'whole' },
  { header: 'ROLE', field: 'role' },
  { header: 'ACCESS ENDS', field: 'ends' },
];

async function drawing({ claims, lifetime, resources }: AccessToken, view: View): Promise<string> {
  const { tableRenderer, tableText } = await import('../../output/table.ts');
  const own = Object.entries(claims).filter(([name]) => !SHOWN_APART.has(name));
  const facts = { ...Object.fromEntries(own), issued: lifetime.issuedAt ?? 'not said', lifetime: inWords(lifetime) };
  const head = await (await tableRenderer(view)).value(facts);
  if (resources.length === 0) return `${head}\nIt gives access to no resource.\n`;
  const rows = resources.map((resource: Grant) => ({ ...resource, ends: endOf(resource) }));
  return `${head}\n${await tableText(rows, { ...view, columns: COLUMNS })}`;
}

/** `ends 2026-03-01T12:00:00.000Z, in 47 h 59 min` */
function inWords({ expiresAt, secondsLeft, expired }: Lifetime): string {
  if (expiresAt === null || secondsLeft === null) return 'never ends';
  return expired ? `ended ${expiresAt}, ${span(-secondsLeft)} ago` : `ends ${expiresAt}, in ${span(secondsLeft)}`;
}

function endOf(resource: Lifetime): string {
  return resource.expiresAt === null ? 'with the token' : inWords(resource);
}

function span(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3600);
  return hours < 72 ? `${hours} h ${Math.floor((seconds % 3600) / 60)} min` : `${Math.floor(hours / 24)} d`;
}
