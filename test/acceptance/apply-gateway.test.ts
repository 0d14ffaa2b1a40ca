import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ApplyUser, createApplyUser } from './apply-user.ts';

const declare = (user: ApplyUser, name: string) =>
  user.declare(`folders:\n  - { organizationId: acme, folderId: f1, folderName: ${name} }\n`);

const readName = async (user: ApplyUser) => {
  const [folder] = await user.read('/v2/organizations/folders/get', { organizationId: 'acme' });
  return folder?.folderName;
};

/** Lets the service apply each update of a folder, and responds with a page. */
const respondWithPage = (user: ApplyUser, page: number) => {
  user.control.intercept = async ({ path, handle }) => {
    if (!path.endsWith('/folders/update')) return undefined;
    await handle();
    return { page };
  };
};

describe.each([302, 401, 403, 404, 500])('svc apply behind a gateway that answers %i', (page) => {
  it('keeps the job and the value before, so that the change can be resumed or undone', async () => {
    const user = await createApplyUser();
    await declare(user, 'Before');
    expect(await user.svc(['apply', '--yes'])).toMatchObject({ code: 0 });
    await declare(user, 'After');
    respondWithPage(user, page);
    const { code, stderr } = await user.svc(['apply', '--yes']);
    expect([code, stderr]).toEqual([9, expect.stringContaining('may or may not')]);
    expect(await readName(user)).toBe('After');
    user.control.intercept = () => undefined;

    expect(await user.svc(['undo', '--out', 'undo.json'])).toMatchObject({ code: 0 });
    expect(await readFile(join(user.home, 'undo.json'), 'utf8')).toContain('Before');
    respondWithPage(user, page);
    expect(await user.svc(['apply', 'undo.json', '--yes'])).toMatchObject({ code: 9 });
    expect(await readName(user)).toBe('Before');
    user.control.intercept = () => undefined;
    const { stdout } = await user.svc(['jobs', 'list', '-o', 'json']);
    const unknown = JSON.parse(stdout).map((job: { unknown: number }) => job.unknown);
    expect(unknown.toSorted()).toEqual([0, 1, 1]);
  });
});
