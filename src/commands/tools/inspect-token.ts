import type { Column } from '../../catalog/define.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatDuration } from '../../output/quantities.ts';
import type { View } from '../../output/renderer.ts';
import { readArgument } from '../call/data-argument.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { withStore } from '../embedded/store.ts';
import { type AccessToken, parseAccessToken, type TokenLifetime } from './access-token.ts';

export async function inspectTokenCommand(context: Context, { arguments: [given = ''] }: Invocation): Promise<void> {
  const text = given === '-' ? await readArgument(context, given) : given;
  if (context.options.local) return verifyToken(context, text.trim());
  const token = parseAccessToken(text, context.clock.now());
  const printer = await context.printer();
  await printer.value(token, { renderText: (view) => renderToken(token, view) });
  await context.warn('the signature is not verified: anyone can create such a token');
}

/** @throws SvcError `unauthenticated` if the embedded service rejects the token */
async function verifyToken(context: Context, text: string): Promise<void> {
  const { verifyAccessToken } = await import('../../service/handlers/verify-access-token.ts');
  const { token, problem } = await withStore(context, 'read', async (store, apiKey, { time }) => ({
    token: parseAccessToken(text, time.now()),
    problem: await verifyAccessToken(store, { apiKey, now: time.now() }, text),
  }));
  if (problem) throw new SvcError('unauthenticated', `the embedded service rejects the token: ${problem}`);
  const printer = await context.printer();
  await printer.value({ ...token, verified: true }, { renderText: (view) => renderToken(token, view) });
}

const SHOWN_SEPARATELY = new Set(['iat', 'exp', 'permissions']);

const COLUMNS: readonly Column[] = [
  { header: 'TYPE', field: 'type' },
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'ORGANIZATION', field: 'organizationId', kind: 'whole' },
  { header: 'ROLE', field: 'role' },
  { header: 'ACCESS ENDS', field: 'ends' },
];

async function renderToken({ claims, lifetime, resources }: AccessToken, view: View): Promise<string> {
  const { createTableRenderer, renderTable } = await import('../../output/table.ts');
  const otherClaims = Object.entries(claims).filter(([name]) => !SHOWN_SEPARATELY.has(name));
  const fields = {
    ...Object.fromEntries(otherClaims),
    issued: lifetime.issuedAt ?? 'unknown',
    lifetime: describeLifetime(lifetime),
  };
  const head = await (await createTableRenderer(view)).value(fields);
  if (resources.length === 0) return `${head}\nThe token grants access to no resources.\n`;
  const rows = resources.map((resource) => ({
    ...resource,
    ends: resource.expiresAt === null ? 'with the token' : describeLifetime(resource),
  }));
  return `${head}\n${await renderTable(rows, { ...view, columns: COLUMNS })}`;
}

function describeLifetime({ expiresAt, secondsLeft, expired }: TokenLifetime): string {
  if (expiresAt === null || secondsLeft === null) return 'never ends';
  return expired
    ? `ended ${expiresAt}, ${formatDuration(-secondsLeft)} ago`
    : `ends ${expiresAt}, in ${formatDuration(secondsLeft)}`;
}
