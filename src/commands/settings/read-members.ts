import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { formatFromName } from '../../bulk/source/detect-format.ts';
import { parseDocument } from '../../bulk/source/document.ts';
import { explainIssue } from '../../catalog/explain-issue.ts';
import { membersSchema } from '../../catalog/state.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatFieldPath, valueAt } from '../../kernel/field-path.ts';
import { throwFileError, withoutByteOrderMark } from '../../kernel/files.ts';
import { isObject } from '../../kernel/json.ts';
import { findNamedFile, readNamedFile } from '../../kernel/named-file.ts';
import type { MembersFile } from '../../settings/access-preview.ts';
import type { MembersSnapshot } from '../../settings/plan/access/declared-source.ts';
import type { Context } from '../context.ts';

/** The members of organizations in a file, and the file. */
export interface ReadMembers {
  readonly snapshot: MembersSnapshot;
  readonly file: MembersFile;
}

/**
 * Reads the members of organizations from an output of `svc local export`. Ignores everything else
 * in it, such as secrets.
 * @throws SvcError `usage` if the file does not exist, `invalid_input` if it is not such an output
 */
export async function readMembers(
  { cwd, signal, clock }: Pick<Context, 'cwd' | 'signal' | 'clock'>,
  file: string,
): Promise<ReadMembers> {
  const path = await findNamedFile(file, cwd);
  const { mtimeMs } = await stat(path).catch(throwFileError('read', file));
  const time = Math.floor(mtimeMs);
  const bytes = await readNamedFile(file, cwd, { signal, onlyRegular: true });
  const format = formatFromName(file) === 'yaml' ? 'yaml' : 'json';
  const text = withoutByteOrderMark(bytes.toString());
  const content = await parseDocument({ name: file, format, text }, signal);
  const isExport = isObject(content) && Array.isArray(content['users']) && !('svc' in content);
  if (!isExport)
    throw new SvcError('invalid_input', `${file} is not an output of svc local export`);
  const { organizations, folders, documents, users } = content;
  const known = { organizations, folders, documents, users };
  const { data, error } = membersSchema.safeParse(known);
  const [issue] = error?.issues ?? [];
  if (issue || !data) {
    const at = formatFieldPath(issue?.path ?? []);
    const reason = issue ? explainIssue(issue, valueAt(known, issue.path)) : 'is not valid';
    throw new SvcError('invalid_input', `${file}: ${at}: ${reason}`);
  }
  return {
    snapshot: { ...data, time },
    file: {
      path: file,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      modifiedAt: new Date(time).toISOString(),
      ageSeconds: Math.max(0, Math.round((clock.now() - time) / 1000)),
    },
  };
}
