import { beforeEach, describe, expect, it } from 'vitest';
import type { Node } from '../../src/commands/definition.ts';
import { loadLeaf, printsList } from '../../src/commands/tree/leaf.ts';
import { commandTree } from '../../src/commands/tree/tree.ts';
import { newUserInProcess } from './in-process.ts';
import type { User } from './svc.ts';

let user: User;

const words = (line: string) => line.split(' ');

beforeEach(async () => {
  user = await newUserInProcess();
  for (const [id, name] of [
    ['d1', 'beta'],
    ['d2', 'Alpha'],
    ['d10', 'gamma'],
  ])
    await user.svc(words(`documents add --local --org acme --document ${id} --name ${name}`));
});

async function idsOf(line: string): Promise<readonly string[]> {
  const { stdout } = await user.svc([...words(line), '-o', 'json']);
  return JSON.parse(stdout).map(({ id }: { readonly id: string }) => id);
}

describe('a list of documents', () => {
  const list = 'documents list --local --org acme';

  it('is read to its end to be sorted', async () => {
    expect(await idsOf(`${list} --page-size 1 --sort name`)).toEqual(['d2', 'd1', 'd10']);
    expect(await idsOf(`${list} --page-size 1 --sort -id --limit 2`)).toEqual(['d10', 'd2']);
  });

  it('has as many records as the limit, from several pages', async () => {
    expect(await idsOf(`${list} --page-size 1 --limit 2`)).toEqual(['d1', 'd2']);
    const partOfPage = await user.svc(words(`${list} --page-size 3 --limit 1`));
    expect(partOfPage.stderr).toBe('more results: 1 shown; to show all, add --all\n');
    const wholePage = await user.svc(words(`${list} --page-size 2 --limit 2`));
    expect(wholePage.stderr).toMatch(
      /^more results: 2 shown; --all for the rest, or --page-token /,
    );
    const complete = await user.svc(words(`${list} --limit 3`));
    expect(complete.stderr).toBe('');
  });

  it('rejects wrong flags', async () => {
    const wrong: Readonly<Record<string, string>> = {
      '--sort nmae': "svc: --sort: no field 'nmae' in the result\nhint: did you mean 'name'?\n",
      '--sort -': "svc: --sort must be a field or '-' and a field, got '-'\n",
      '--limit 0': "svc: --limit must be a whole number of at least 1, got '0'\n",
      '--limit 1 --all': 'svc: --all and --limit cannot be combined\n',
      '--sort name --envelope': 'svc: --sort and --envelope cannot be combined\n',
    };
    for (const [flags, stderr] of Object.entries(wrong))
      expect(await user.svc(words(`${list} ${flags}`))).toEqual({ code: 2, stdout: '', stderr });
  });
});

describe('a list on this machine', () => {
  it('takes the same flags', async () => {
    const history = await user.svc(words('history --sort -command --limit 1 -o json'));
    expect(JSON.parse(history.stdout)).toMatchObject([{ ids: ['d10'] }]);
    const records = await user.svc(
      words('local list documents --sort -document --limit 1 -o json'),
    );
    expect(JSON.parse(records.stdout)).toMatchObject([{ documentId: 'd10' }]);
    const all = await user.svc(words('local list documents --all -o json'));
    expect(JSON.parse(all.stdout)).toHaveLength(3);
  });

  it('shows the newest command first in a table, and last in data', async () => {
    const table = (await user.svc(words('history'))).stdout;
    expect(table.indexOf('d10')).toBeLessThan(table.indexOf('d1 '));
    const data = JSON.parse((await user.svc(words('history -o json'))).stdout);
    expect(data.at(-1)).toMatchObject({ ids: ['d10'] });
  });

  it('cannot be watched and sorted', async () => {
    expect(await user.svc(words('history --watch --sort at'))).toMatchObject({ code: 2 });
    expect(await user.svc(words('webhooks replay --limit 1 --since 1h'))).toMatchObject({
      code: 2,
    });
  });
});

describe('a list of the embedded service', () => {
  beforeEach(async () => {
    await user.svc(words('users add --local --org acme --user u1 --name Ada'));
    await user.svc(words('folders add --local --org acme --folder f1 --name Root'));
    await user.svc(words('groups add --local --org acme --group g1 --name Staff'));
  });

  it.each(['organizations', 'users', 'groups', 'folders', 'documents', 'presence'])(
    'is valid input of the command that adds %s',
    async (kind) => {
      await user.svc(words('documents add --local --org acme --document d1'));
      await user.svc(
        words('presence add --local --org acme --document d1 --user u1 --status away'),
      );
      for (const flags of ['-o json', '-o yaml', '-o csv', '-o ndjson', '--jq .[]'])
        for (const envelope of flags === '--jq .[]' ? [''] : ['', ' --envelope']) {
          const list = `local list ${kind} ${flags}${envelope}`;
          const { stdout } = await user.svc(words(list));
          const add = await user.svc(
            words(`${kind} add --local --dry-run --file - --allow-suspicious`),
            { stdin: stdout },
          );
          expect([list, add.code, add.stdout]).toEqual([list, 0, expect.stringContaining('no ')]);
          expect(add.stderr).not.toContain('unknown');
        }
    },
  );

  it.each(['json', 'ndjson', 'csv', 'yaml'])(
    'restores the members of groups from %s',
    async (format) => {
      const add = 'groups add-users --local --file -';
      const list = `local list group-members -o ${format}`;
      await user.svc(words('groups add-users --local --org acme --group g1 --user u1'));
      const { stdout } = await user.svc(words(list));
      await user.svc(words('local reset --yes'));
      await user.svc(words('users add --local --org acme --user u1 --create-organization'));
      await user.svc(words('groups add --local --org acme --group g1'));
      expect((await user.svc(words(add), { stdin: stdout })).code).toBe(0);
      expect((await user.svc(words(list))).stdout).toBe(stdout);
    },
  );

  it.each(['json', 'ndjson', 'csv', 'yaml'])('restores activities from %s', async (format) => {
    const activity =
      '--document d1 --feature-type custom --target-entity t1 --action-type approved';
    await user.svc(words(`activities add --local --org acme --action-user u1 ${activity}`));
    const list = words('local list activities -o json');
    const before = JSON.parse((await user.svc(list)).stdout);
    const { stdout } = await user.svc(words(`local list activities -o ${format}`));
    await user.svc(words('local reset --yes'));
    await user.svc(words('documents add --local --org acme --document d1 --create-organization'));
    const add = await user.svc(words('activities add --local --file -'), { stdin: stdout });
    expect([add.code, add.stderr]).toEqual([0, expect.not.stringContaining('unknown')]);
    const times = { createdAt: expect.any(Number), lastUpdated: expect.any(Number) };
    const after = JSON.parse((await user.svc(list)).stdout);
    expect(after).toEqual(before.map((each: object) => ({ ...each, ...times })));
    const update = await user.svc(words('activities update --local --file -'), { stdin: stdout });
    expect([update.code, update.stderr]).toEqual([0, expect.not.stringContaining('unknown')]);
    expect(JSON.parse((await user.svc(list)).stdout)).toEqual(
      after.map((each: object) => ({ ...each, ...times })),
    );
  });

  it.each(['json', 'ndjson', 'csv', 'yaml'])(
    'restores access without an end from %s',
    async (format) => {
      await user.svc(words('documents add --local --org acme --document d1'));
      for (const flags of [
        '--role viewer',
        '--role editor --document d1',
        '--role viewer --folder f1',
      ])
        await user.svc(words(`users add --local --org acme --user u1 ${flags}`));
      const list = words(`local list permissions --sort userId -o json`);
      const before = JSON.parse((await user.svc(list)).stdout);
      const { stdout } = await user.svc(words(`local list permissions -o ${format}`));
      await user.svc(words('local reset --yes'));
      await user.svc(words('folders add --local --org acme --folder f1 --create-organization'));
      await user.svc(words('documents add --local --org acme --document d1'));
      const add = words('users add --local --file -');
      expect(await user.svc(add, { stdin: stdout })).toMatchObject({ code: 0 });
      const after = JSON.parse((await user.svc(list)).stdout);
      expect(after).toEqual(
        before.map((each: object) => ({ ...each, addedAt: expect.any(Number) })),
      );
      await user.svc(
        words(
          'permissions add --local --user u2 --resource type=folder,id=f1,org=acme,expires=48h',
        ),
      );
      const ending = await user.svc(words(`local list permissions -o ${format}`));
      expect(await user.svc(add, { stdin: ending.stdout })).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('expiresAt: temporary access cannot be added with a user'),
      });
    },
  );

  it('without records is valid input in NDJSON', async () => {
    await user.svc(words('local reset --yes'));
    const { stdout } = await user.svc(words('local list folders -o ndjson'));
    const add = words('folders add --local --file -');
    const refused = await user.svc(add, { stdin: stdout });
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining('for an empty list, add --input-format ndjson\n'),
    ]);
    const accepted = await user.svc([...add, '--input-format', 'ndjson'], { stdin: stdout });
    expect(accepted.code).toBe(0);
  });

  it('has the envelope of other lists', async () => {
    const list = await user.svc(words('local list users -o json --envelope'));
    expect(JSON.parse(list.stdout)).toMatchObject({
      status: 'success',
      data: [{ userId: 'u1', name: 'Ada' }],
    });
    expect(await user.svc(words('local list users --envelope --sort userId'))).toMatchObject({
      code: 2,
    });
  });
});

it('every command named list takes the flags of lists', async () => {
  const nodesOf = (node: Node): readonly Node[] => [
    node,
    ...[...node.children.values()].flatMap(nodesOf),
  ];
  const lists = nodesOf(commandTree()).filter(({ name, leaf }) => name === 'list' && leaf);
  expect(lists.length).toBeGreaterThan(10);
  for (const { leaf, path } of lists)
    expect(leaf && printsList(await loadLeaf(leaf)), path.join(' ')).toBe(true);
});
