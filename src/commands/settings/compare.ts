import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SETTINGS_KINDS } from '../../catalog/record-kinds.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { parseOrganization } from '../../profiles/profile.ts';
import { createUnknownProfileHint, readProfiles } from '../../profiles/profiles-file.ts';
import { readSettings } from '../../settings/file/read-settings.ts';
import { KIND_CLASSES } from '../../settings/kinds.ts';
import { queryDeclared, queryKinds } from '../../settings/live/declared-query.ts';
import { readLive } from '../../settings/live/read-live.ts';
import type { LiveQuery } from '../../settings/live-records.ts';
import { selectKinds, summarize } from '../../settings/plan/build-plan.ts';
import {
  collectDeclaredRecords,
  collectLiveRecords,
  compareRecords,
} from '../../settings/plan/compare.ts';
import type { Declared, DeclaredSettings, RecordKind } from '../../settings/settings.ts';
import { findPlanTarget } from '../connection/find-target.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { withSpinner } from '../terminal/spinner.ts';
import type { CompareFlags } from './flags.ts';
import { loadSettingsFile, withPrintedProblems } from './load-settings-file.ts';
import { printPlan } from './print-plan.ts';
import { DEFAULT_FILE } from './read-input.ts';
import { countDifferingRecords } from './render-changes.ts';

/** @throws SvcError `differs` with `--exit-code` if the services or files differ */
export async function compareSettings(
  context: Context,
  { arguments: names, options }: Invocation<CompareFlags>,
) {
  const [first = '', second = ''] = names;
  for (const org of options.org ?? []) parseOrganization(org, '--org');
  const kinds = SETTINGS_KINDS.filter(
    (kind) => options.only?.includes(kind) ?? KIND_CLASSES[kind] !== 'sent',
  );
  const unreadable = kinds.find((kind) => KIND_CLASSES[kind] === 'sent');
  if (unreadable && !names.every(isFile))
    throw new SvcError('usage', `--only ${unreadable}: ${unreadable} cannot be read back`);
  if (options.org !== undefined && names.some(isFile))
    throw new SvcError('usage', '--org selects records of two services, not of a file', {
      hint: 'omit --org: svc compares the records that the file declares',
    });
  const files = new Map<string, DeclaredSettings>();
  for (const name of names.filter(isFile))
    files.set(name, await loadSettingsFile(context, name, undefined));
  const [declaring] = files.values();
  const declared = selectKinds(declaring?.declared ?? {}, kinds);
  // Files do not declare API keys.
  const query = declaring
    ? queryDeclared(declared)
    : { ...queryKinds(kinds, options.org ?? []), apiKeys: options.only === undefined };
  const read = async (name: string) => {
    const file = files.get(name);
    if (file)
      return {
        compared: collectDeclaredRecords(file.declared),
        target: { url: file.name, apiKey: null },
      };
    const profile = await findProfile(context, name, options.file);
    return readService(context, profile, query, declared);
  };
  const [left, right] = [await read(first), await read(second)];
  const selected: readonly RecordKind[] = [...kinds, 'apiKeys'];
  const changes = compareRecords(left.compared, right.compared).filter(({ kind }) =>
    selected.includes(kind),
  );
  const plan = {
    target: right.target,
    changes,
    predicted: [],
    notRestored: [],
    summary: summarize(changes),
  };
  await printPlan(context, plan, `${first} and ${second}`, { purpose: 'comparison' });
  // Most profiles have no credentials of a workspace, which reading API keys takes.
  const count = countDifferingRecords(
    changes.filter(({ sign, kind }) => sign !== '?' || kind !== 'apiKeys'),
  );
  if (options.exitCode && count > 0)
    throw new SvcError(
      'differs',
      `${first} and ${second} differ in ${formatNounCount(count, 'record')}`,
    );
}

function isFile(name: string): boolean {
  return /[/\\]|\.ya?ml$/i.test(name);
}

/**
 * Finds the profile of an environment, or the one with this name. Without `--file`, the default
 * file may be missing.
 */
async function findProfile(
  context: Context,
  name: string,
  settingsFile: string | undefined,
): Promise<string> {
  const { io, cwd, signal } = context;
  const file = settingsFile ?? DEFAULT_FILE;
  if (settingsFile === undefined && !(await stat(resolve(cwd, file)).catch(() => undefined)))
    return name;
  const request = { file, environment: undefined, cwd, stdin: io.stdin, signal };
  const { fields } = await withPrintedProblems(context, file, () => readSettings(request));
  const { environments = {} } = fields;
  if (!Object.hasOwn(environments, name)) return name;
  const profile = environments[name]?.profile;
  if (profile !== undefined) return profile;
  throw new SvcError(
    'usage',
    `environment '${name}' has no profile, so there is no service to compare`,
  );
}

async function readService(
  context: Context,
  profile: string,
  query: LiveQuery,
  declared: Declared,
) {
  const saved = await readProfiles(context.folders);
  if (!saved.profiles.has(profile))
    throw new SvcError('usage', `no environment or profile is named '${profile}'`, {
      hint: createUnknownProfileHint(saved, profile),
    });
  const selected = context.reopen({ options: { ...context.options, profile } });
  return closeAfter(selected, async ({ context: opened }) => {
    const client = await opened.client();
    const live = await withSpinner(opened, `compare: reading ${profile}`, () =>
      readLive(client, query),
    );
    return { compared: collectLiveRecords(live, declared), target: await findPlanTarget(opened) };
  });
}
