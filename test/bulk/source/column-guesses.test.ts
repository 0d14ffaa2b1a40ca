import { describe, expect, it } from 'vitest';
import {
  findUnknownColumns,
  formatMapFlags,
  guessFields,
  listColumns,
} from '../../../src/bulk/source/column-guesses.ts';

const FIELDS = {
  id: 'userId',
  knownFields: ['userId', 'name', 'email', 'initial'],
  targetFields: [{ name: 'organizationId', required: true }],
};

describe('guessFields', () => {
  it.each([
    [['userId', 'E-Mail Address'], { 'E-Mail Address': 'email' }],
    [['Login', 'emial'], { emial: 'email', Login: 'userId' }],
    [['Employee No', 'Company'], { 'Employee No': 'userId', Company: 'organizationId' }],
    [['Employee #', 'Job'], { 'Employee #': 'userId' }],
    [['Associate ID', 'Position ID'], { 'Associate ID': 'userId' }],
    [['Record ID', 'Contact owner'], { 'Record ID': 'userId' }],
    [['Staff ID', 'Organisation'], { 'Staff ID': 'userId', Organisation: 'organizationId' }],
    [['Username'], { Username: 'userId' }],
    [['Mail', 'emial'], {}],
    [
      ['User ID', 'Full Name', 'Org'],
      { 'User ID': 'userId', 'Full Name': 'name', Org: 'organizationId' },
    ],
    [['ID', 'User name'], { ID: 'userId', 'User name': 'name' }],
    [['userId', 'First name', 'Last name'], {}],
    [['userId', 'name', 'Full name'], {}],
    [['userId', 'Notes'], {}],
    [['SamAccountName', 'Mail'], { SamAccountName: 'userId', Mail: 'email' }],
    [['Benutzer-ID', 'Mailadresse'], { 'Benutzer-ID': 'userId', Mailadresse: 'email' }],
    [['Personalnummer', 'Abteilungs-ID'], { Personalnummer: 'userId' }],
    [["Nom d'utilisateur", 'Identifiant'], { Identifiant: 'userId' }],
    [['ID de usuario', 'Correo'], { 'ID de usuario': 'userId', Correo: 'email' }],
    [['ID do usua\u0301rio', 'Mailing list'], { 'ID do usua\u0301rio': 'userId' }],
    [['ユーザーID', 'メールアドレス'], { ユーザーID: 'userId', メールアドレス: 'email' }],
    [['用户ID', '邮箱'], { 用户ID: 'userId', 邮箱: 'email' }],
    [['userId', 'name;email'], {}],
    [['userId', 'Name, Vorname'], { 'Name, Vorname': 'name' }],
  ])('%j', (columns, expected) =>
    expect(Object.fromEntries(guessFields(columns, FIELDS))).toEqual(expected),
  );

  it('guesses each field for at most one column', () => {
    const guesses = [...guessFields(['id', 'uid', 'email', 'e-mail', 'name 1', 'name 2'], FIELDS)];
    expect(guesses).toEqual([['id', 'userId']]);
  });
});

it('columns of listed records are known', () => {
  const listed = { id: 'id', readOnly: ['createdAt'], nested: 'members' };
  expect(findUnknownColumns(['id', 'createdAt', 'members', 'x'], { ...FIELDS, listed })).toEqual([
    'x',
  ]);
});

it('the flags can be pasted into a shell', () => {
  expect(
    formatMapFlags([
      ["Title's", 'name'],
      ['Notes', ''],
    ]),
  ).toBe(`--map 'Title'\\''s=name' --map Notes=`);
});

it('long headers are shortened', () => {
  const columns = Array.from({ length: 23 }, (_, at) => `c${at}`);
  expect(listColumns(columns)).toMatch(/^c0, .*, c19, and 3 more$/);
});
