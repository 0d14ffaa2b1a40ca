import { crc32, deflateRawSync } from 'node:zlib';

/** Creates a ZIP archive. The declared size of a file may differ from the real one. */
export function createZip(
  files: Readonly<Record<string, string | Uint8Array>>,
  declaredSizes: Readonly<Record<string, number>> = {},
): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const content = deflateRawSync(text);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(text), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(declaredSizes[name] ?? Buffer.byteLength(text), 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), content]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    const version = Buffer.from([20, 0]);
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02'), version, common, rest, Buffer.from(name)]),
    );
    locals.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, ...directory, Buffer.from('PK\x05\x06'), end]);
}

export interface Parts {
  /** The content of `sheetData`. */
  readonly rows: string;
  readonly strings?: string;
  readonly styles?: string;
  /** The content of `workbook`. */
  readonly workbook?: string;
  /** The parts before and after `sheetData`. */
  readonly before?: string;
  readonly after?: string;
}

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
export const SHEETS = `<sheets xmlns:r="${RELATIONSHIPS}"><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets>`;

/** Returns the parts of a workbook with one sheet. */
export function workbookParts({
  rows,
  strings = '',
  styles = '',
  workbook = SHEETS,
  before = '',
  after = '',
}: Parts) {
  const target = (id: string, type: string, path: string) =>
    `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${path}"/>`;
  return {
    'xl/workbook.xml': `<workbook ${MAIN}>${workbook}</workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${[
      target('rId1', 'worksheet', 'worksheets/sheet1.xml'),
      target('rId2', 'sharedStrings', '/xl/sharedStrings.xml'),
      target('rId3', 'styles', 'styles.xml'),
    ].join('')}</Relationships>`,
    'xl/sharedStrings.xml': `<sst ${MAIN}>${strings}</sst>`,
    'xl/styles.xml': `<styleSheet ${MAIN}>${styles}</styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet ${MAIN}>${before}<sheetData>${rows}</sheetData>${after}</worksheet>`,
  };
}

export function createWorkbook(parts: Parts): Buffer {
  return createZip(workbookParts(parts));
}

/** Creates a workbook whose second sheet is named `All staff`. */
export function createTwoSheets(
  first: string,
  second: string,
  state: 'visible' | 'hidden' = 'visible',
): Buffer {
  const sheet = `<sheet name="All staff" state="${state}" r:id="rId9"/>`;
  const sheets = SHEETS.replace('</sheets>', `${sheet}</sheets>`);
  const parts = workbookParts({ rows: first, workbook: sheets });
  const targets = parts['xl/_rels/workbook.xml.rels'];
  const target = /<Relationship [^>]*rId1[^>]*>/.exec(targets)?.[0] ?? '';
  const otherTarget = target.replace('rId1', 'rId9').replace('sheet1', 'sheet2');
  return createZip({
    ...parts,
    'xl/_rels/workbook.xml.rels': targets.replace(target, target + otherTarget),
    'xl/worksheets/sheet2.xml': `<worksheet ${MAIN}><sheetData>${second}</sheetData></worksheet>`,
  });
}
