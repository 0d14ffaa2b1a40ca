import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startDialogueInProcess } from './dialogue.ts';
import { newUserInProcess } from './in-process.ts';

const ENTER = '\r';
const EXPORT = 'Key;Document Title;Notes\nd1;Plans;n\n';

it('a terminal asks for the field of each unknown column, and keeps the answers', async () => {
  const { home, env, svc } = await newUserInProcess();
  const [file, mapFile] = [join(home, 'export.csv'), join(home, 'acme.map')];
  await writeFile(file, EXPORT);
  const words = ['documents', 'add', '--local', '--org', 'acme', '--file', file];
  expect(
    (await svc(['organizations', 'add', '--local', '--org', 'acme', '--name', 'Acme'])).code,
  ).toBe(0);
  const dialogue = startDialogueInProcess([...words, '--map-file', mapFile], env, 80);
  await dialogue.answer("Field for column 'Key'", ENTER);
  await dialogue.answer("Field for column 'Document Title'", 'documentName');
  await dialogue.shows('❯ documentName');
  dialogue.type(ENTER);
  await dialogue.answer("Field for column 'Notes'", 'drop');
  await dialogue.shows('❯ (drop the column)');
  dialogue.type(ENTER);
  expect(await dialogue.ended, dialogue.text()).toBe(0);
  expect(await readFile(mapFile, 'utf8')).toBe(
    'Key=documentId\nDocument Title=documentName\nNotes=\n',
  );
  expect(dialogue.text()).toContain('Created document d1 in acme');

  await writeFile(file, EXPORT.replace('d1', 'd2'));
  const again = await svc([...words, '--map-file', mapFile]);
  expect([again.code, again.stdout]).toEqual([0, 'Created document d2 in acme\n']);
});

it('an export with unknown columns is rejected with the flags to paste', async () => {
  const { home, svc } = await newUserInProcess();
  await writeFile(
    join(home, 'export.csv'),
    'User ID;E-Mail Address;Full Name;Notes\nu1;a@x.example;Ada;n\n',
  );
  const words = ['users', 'add', '--local', '--org', 'acme', '--file', 'export.csv'];
  const { code, stderr } = await svc(words);
  expect([code, stderr]).toEqual([
    3,
    "svc: export.csv:1: the column 'userId' is missing; the columns are: User ID, E-Mail Address, Full Name, Notes\n" +
      "hint: add --map 'User ID=userId' --map 'E-Mail Address=email' --map 'Full Name=name'\n",
  ]);
  const partly = await svc([...words, '--map', 'User ID=userId', '--dry-run']);
  expect([partly.code, partly.stderr]).toEqual([
    0,
    "warning: export.csv:2: unknown columns 'E-Mail Address', 'Full Name', 'Notes' are sent unchanged; " +
      "to rename, add --map 'E-Mail Address=email' --map 'Full Name=name'\n",
  ]);
});
