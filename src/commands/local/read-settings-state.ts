import { describeFieldProblem } from '../../bulk/record-problem.ts';
import { stateSchema } from '../../catalog/state.ts';
import { mapInner } from '../../kernel/json.ts';
import { loadSettings } from '../../settings/file/load-settings.ts';
import { SecretValue } from '../../settings/secret-value.ts';
import { type Declared, findOnlyOrganization } from '../../settings/settings.ts';
import { type FileUser, readUsersFile } from '../../settings/users-file.ts';
import type { Context } from '../context.ts';
import { withPrintedProblems } from '../settings/load-settings-file.ts';
import { createStateError, type ImportedState } from './imported-state.ts';

interface SettingsChoice {
  readonly file: string;
  readonly environment: string | undefined;
  /** The text of the file, if it was read before. */
  readonly text?: string;
}

/**
 * Reads a settings file as a state, with secrets and with the users of its users file.
 * @throws SvcError `invalid_input` for an invalid file
 */
export async function readSettingsState(
  context: Context,
  choice: SettingsChoice,
): Promise<ImportedState> {
  const { io, cwd, signal, environment: variables } = context;
  const { name, declared, content, positionOf } = await withPrintedProblems(
    context,
    choice.file,
    () => loadSettings({ ...choice, cwd, signal, variables, stdin: io.stdin }),
  );
  const { users = [] } = declared;
  const path = 'from' in users ? users.from : undefined;
  const found = path === undefined ? [] : await readUsers(path, declared, signal);
  const value = revealSecrets({
    ...declared,
    ...content,
    users:
      path === undefined
        ? users
        : found.map(({ organizationId, data }) => ({ organizationId, ...data })),
  });
  const formatPosition = async (at: readonly PropertyKey[]) => {
    const user = at[0] === 'users' ? found[Number(at[1])] : undefined;
    return user ? `${path}:${user.line}:${user.column}` : positionOf(at);
  };
  const { data: state, error } = stateSchema.safeParse(value);
  if (state) return { name, state, positionOf: formatPosition };
  const problems = await Promise.all(
    error.issues.map(async (issue) =>
      describeFieldProblem(issue, value, await formatPosition(issue.path)),
    ),
  );
  throw await createStateError(context, name, problems);
}

async function readUsers(
  path: string,
  declared: Declared,
  signal: AbortSignal,
): Promise<readonly FileUser[]> {
  const users: FileUser[] = [];
  const file = { path, organizationId: findOnlyOrganization(declared) };
  for await (const chunk of readUsersFile(file, signal)) users.push(...chunk);
  return users;
}

function revealSecrets(value: unknown): unknown {
  return value instanceof SecretValue ? value.reveal() : mapInner(value, revealSecrets);
}
