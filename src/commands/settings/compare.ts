import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { summarize } from '../../settings/build-plan.ts';
import { collectDeclaredRecords, collectLiveRecords, compareRecords } from '../../settings/compare.ts';
import { readSettings } from '../../settings/file/read-settings.ts';
import { CONFIG_NAMES, KIND_CLASSES } from '../../settings/kinds.ts';
import type { LiveQuery } from '../../settings/live/live-records.ts';
import { readLive } from '../../settings/live/read-live.ts';
import { KINDS, type Kind } from '../../settings/settings.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { findPlanTarget } from '../plan/find-target.ts';
import { loadSettingsFile, withPrintedProblems } from '../plan/load-settings-file.ts';
import { withContext } from '../plan/open-environment.ts';
import { printPlan } from '../plan/render-plan.ts';
import { openContext } from '../run/open-context.ts';
import type { CompareFlags } from './flags.ts';
import { DEFAULT_FILE } from './prepare-plan.ts';

type Subject = { readonly profile: string } | { readonly file: string };

/**
 * Compares two services or settings files.
 * @throws SvcError `differs` with `--exit-code` if they differ
 */
export async function compareSettings(context: Context, { arguments: names, options }: Invocation<CompareFlags>) {
  const [first = '', second = ''] = names;
  const kinds = KINDS.filter((kind) => options.only?.includes(kind) ?? KIND_CLASSES[kind] !== 'sent');
  const query = createQuery(options.org ?? [], kinds);
  const read = async (name: string) => readSubject(context, await findSubject(context, name, options.file), query);
  const [left, right] = [await read(first), await read(second)];
  const isSelected = ({ kind }: { readonly kind: Kind }) => kinds.includes(kind);
  const changes = compareRecords(left.compared, right.compared).filter(isSelected);
  const plan = { target: right.target, changes, predicted: [], notRestored: [], summary: summarize(changes) };
  await printPlan(context, plan, `${first} and ${second}`, { purpose: 'comparison' });
  if (options.exitCode && changes.length > 0)
    throw new SvcError('differs', `${first} and ${second} differ: ${formatNounCount(changes.length, 'difference')}`);
}

/** Finds the subject with a name: a file if it looks like a path, otherwise an environment of the settings file or a profile. */
async function findSubject(context: Context, name: string, settingsFile: string | undefined): Promise<Subject> {
  if (/[/\\]|\.ya?ml$/i.test(name)) return { file: name };
  const environments = await readEnvironments(context, settingsFile);
  if (!Object.hasOwn(environments, name)) return { profile: name };
  const profile = environments[name]?.profile;
  if (profile !== undefined) return { profile };
  throw new SvcError('usage', `environment '${name}' has no profile, so there is no service to compare`);
}

/** Reads the environments of a settings file. Without `--file`, the default file may be missing. */
async function readEnvironments({ io, cwd, signal, ...context }: Context, file: string | undefined) {
  const request = { file: file ?? DEFAULT_FILE, environment: undefined, cwd, stdin: io.stdin.stream, signal };
  const isMissing = await stat(resolve(cwd, request.file)).then(
    () => false,
    () => true,
  );
  if (file === undefined && isMissing) return {};
  const { fields } = await withPrintedProblems({ io, cwd, signal, ...context }, request.file, () =>
    readSettings(request),
  );
  return fields.environments ?? {};
}

/** Returns the records of a subject, and the service that they were read from. */
async function readSubject(context: Context, subject: Subject, query: LiveQuery) {
  if ('file' in subject) {
    const { declared, name } = await loadSettingsFile(context, subject.file, undefined);
    return { compared: collectDeclaredRecords(declared), target: { url: name, apiKey: null } };
  }
  const selected = openContext(context, { ...context.options, profile: subject.profile }, context.activity);
  return withContext(selected, async (opened) => {
    await opened.openSettings().catch((error: unknown) => {
      if (!(error instanceof SvcError) || error.failure !== 'usage') throw error;
      throw error.reworded({ message: `no environment or profile is named '${subject.profile}'` });
    });
    const live = await readLive(await opened.client(), query);
    return { compared: collectLiveRecords(live), target: await findPlanTarget(opened) };
  });
}

function createQuery(orgs: readonly string[], kinds: readonly Kind[]): LiveQuery {
  const has = (kind: Kind) => kinds.includes(kind);
  return {
    configs: has('config') ? CONFIG_NAMES : [],
    endpoints: has('endpoints'),
    folders: has('folders') ? orgs : [],
    documents: has('documents') ? orgs.map((organizationId) => ({ organizationId, ids: 'all', folders: [] })) : [],
    agents: has('agents') ? 'all' : [],
  };
}
