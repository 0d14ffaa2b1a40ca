import { groupDigits } from '../../kernel/plural.ts';
import { redactRemembered } from '../../kernel/redact.ts';
import { REMOVED } from '../../kernel/remove-secrets.ts';
import { escapeMarkdown, formatCodeBlock, formatMarkdownTable } from '../../output/markdown.ts';
import { commandForService, type ServiceFlags } from '../service-flags.ts';
import { optionsForTarget } from '../settings/job-context.ts';
import { countRecords, type DossierRun, type OrganizationFile } from './dossier-run.ts';

const MAX_ROWS = 500;
const MAX_COMMANDS = 10;

/**
 * Renders the report of a dossier for the person who asked: what was returned, what can be changed,
 * and what is out of reach.
 */
export function renderDossierReport(
  { context, job, plan }: DossierRun,
  files: readonly OrganizationFile[],
): string {
  const { description } = job;
  const flags = optionsForTarget(context.options, description.target);
  const read = new Date(context.clock.now()).toISOString().slice(0, 16).replace('T', ' ');
  return [
    `# Data of ${escapeMarkdown(plan.userId)}\n`,
    `Read until ${read} UTC from ${escapeMarkdown(redactRemembered(description.target.origin))}. \`manifest.json\` lists each file with its counts and its SHA-256.\n`,
    ...returnedPart(files),
    ...changeablePart(plan.userId, files, flags),
    ...unreachablePart(plan.userId, plan.organizationIds, {
      isEmbedded: description.target.store !== undefined,
      flags,
    }),
  ].join('\n');
}

function returnedPart(files: readonly OrganizationFile[]): readonly string[] {
  const withData = files.filter(({ records }) => records > 0);
  const lists = Object.keys(countRecords(files));
  const rows = withData
    .slice(0, MAX_ROWS)
    .map(({ organizationId, file, counts }) => [
      escapeMarkdown(organizationId),
      escapeMarkdown(file),
      ...lists.map((list) => groupDigits(counts[list] ?? 0)),
    ]);
  const head = ['organization', 'file', ...lists.map(escapeMarkdown)];
  const more = withData.length - rows.length;
  const empty = files.length - withData.length;
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const knowsMemberships = lists.includes('memberships');
  return [
    '## Returned\n',
    'Each line of a file is one record with the name of its list. Every page was read to its end.\n',
    ...(rows.length > 0 ? [formatMarkdownTable(head, rows)] : []),
    ...(more > 0
      ? [`${groupDigits(more)} more organizations have data; see \`manifest.json\`.\n`]
      : []),
    ...(empty > 0
      ? [
          `No data in ${groupDigits(empty)} ${empty === 1 ? 'organization' : 'organizations'} that were read.\n`,
        ]
      : []),
    ...(removed > 0
      ? [
          `In ${groupDigits(removed)} texts, a token or another secret was replaced with \`${REMOVED}\`. Their records are counted.\n`,
        ]
      : []),
    knowsMemberships
      ? 'The lists `profile`, `memberships`, `groups`, and `presence` come from the store of the embedded service.\n'
      : 'Memberships, groups, and permissions are missing: the interface of the service does not return them.\n',
  ];
}

function changeablePart(
  userId: string,
  files: readonly OrganizationFile[],
  flags: ServiceFlags,
): readonly string[] {
  const shown = files.slice(0, MAX_COMMANDS);
  const rename = shown.map(({ organizationId }) =>
    commandForService(
      flags,
      'users',
      'update',
      '--org',
      organizationId,
      '--user',
      userId,
      '--name',
      PSEUDONYM,
      '--email',
      'former-user@example.invalid',
      '--photo-url',
      '',
    ),
  );
  const presence = shown.flatMap(({ organizationId, documentIds }) =>
    documentIds.map((documentId) =>
      commandForService(
        flags,
        'presence',
        'delete',
        '--org',
        organizationId,
        '--document',
        documentId,
        '--user',
        userId,
      ),
    ),
  );
  return [
    '## Changeable, with these commands\n',
    'An administrator of the service can replace the name, the email address, and the picture of the user, who keeps the user ID:\n',
    formatCodeBlock(rename.join('\n'), 'sh'),
    ...moreOrganizations(files.length),
    ...(presence.length > 0
      ? [
          'They can also remove the presence of the user from the documents that the records name:\n',
          formatCodeBlock(presence.slice(0, MAX_COMMANDS).join('\n'), 'sh'),
        ]
      : []),
  ];
}

const PSEUDONYM = 'Former user';

function moreOrganizations(count: number): readonly string[] {
  return count > MAX_COMMANDS
    ? [
        `The same command applies to the other ${groupDigits(count - MAX_COMMANDS)} organizations in \`manifest.json\`.\n`,
      ]
    : [];
}

function unreachablePart(
  userId: string,
  organizationIds: readonly string[],
  { isEmbedded, flags }: { readonly isEmbedded: boolean; readonly flags: ServiceFlags },
): readonly string[] {
  return [
    '## Not reachable through this interface\n',
    [
      '- Erasure of comments, reactions, recordings, and notifications: they can only be read.',
      '- Activity logs and the content of editors that name the person: they can only be written.',
      '- Access tokens that were issued to the person: they cannot be listed, and expire after 48 hours.',
      '- Copies outside the service: webhook deliveries, emails, backups, and logs.\n',
    ].join('\n'),
    ...(isEmbedded ? [] : erasureOf(userId, organizationIds, flags)),
  ];
}

function erasureOf(
  userId: string,
  organizationIds: readonly string[],
  flags: ServiceFlags,
): readonly string[] {
  const named = organizationIds.slice(0, MAX_ROWS);
  const data = JSON.stringify({ userIds: [userId], organizationIds: named });
  const command = ['api', '/v2/users/data/delete', '--data', data] as const;
  const wait = ['--wait', 'jobId:/v2/users/data/delete/status', '--timeout', '10m'] as const;
  return [
    'Some services have an operation of their own that erases a person. This call starts it and waits for its end. It cannot be undone: compare its path and its fields with the reference of the service first.\n',
    formatCodeBlock(commandForService(flags, ...command, ...wait), 'sh'),
    ...(organizationIds.length > named.length
      ? [
          `The call names the first ${MAX_ROWS} of ${groupDigits(organizationIds.length)} organizations.\n`,
        ]
      : []),
  ];
}
