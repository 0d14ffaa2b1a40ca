import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { SvcError } from '../../../kernel/errors.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { InputError } from '../source.ts';
import { CellFormats } from './cell-formats.ts';
import { readXml, type XmlHandler } from './read-xml.ts';
import { StringTable } from './string-table.ts';

export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly path: string;
}

/** Parts of a workbook that apply to all of its sheets. */
export interface SheetData {
  readonly strings: StringTable;
  readonly formats: CellFormats;
}

/** Upper bounds on the bytes of a part after decompression. */
const MAX_PART_BYTES = 64 * 1024 * 1024;
const MAX_SHEET_BYTES = 4 * 1024 * 1024 * 1024;

const WORKBOOK = 'xl/workbook.xml';

/** The parts of an .xlsx file, which is a ZIP archive of XML documents. */
export class Workbook {
  readonly #name: string;
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #targets: ReadonlyMap<string, Target>;
  readonly sheets: readonly Sheet[];
  readonly #is1904: boolean;

  private constructor(
    name: string,
    zip: ZipFile,
    entries: ReadonlyMap<string, Entry>,
    targets: ReadonlyMap<string, Target>,
    list: SheetList,
  ) {
    this.#name = name;
    this.#zip = zip;
    this.#entries = entries;
    this.#targets = targets;
    this.sheets = list.sheets(targets);
    this.#is1904 = list.is1904;
  }

  /** @throws SvcError `invalid_input` if the file is not an .xlsx file */
  static async open(path: string, name: string): Promise<Workbook> {
    return withInputErrors(name, async () => {
      const zip = await openPromise(path, { autoClose: false });
      try {
        const entries = new Map<string, Entry>();
        for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
        if (!entries.has(WORKBOOK)) throw new Error(`it has no ${WORKBOOK}`);
        const [targets, list] = [new Targets(), new SheetList()];
        const parts = [
          ['xl/_rels/workbook.xml.rels', targets],
          [WORKBOOK, list],
        ] as const;
        for (const [part, handler] of parts) await readPart(zip, entries.get(part), handler);
        return new Workbook(name, zip, entries, targets.byId, list);
      } catch (error) {
        zip.close();
        throw error;
      }
    });
  }

  /** @throws SvcError `usage` if no sheet has the name */
  chooseSheet(given: string | undefined): Sheet {
    const names = this.sheets.map(({ name }) => name);
    if (given === undefined) {
      const first = this.sheets.find(({ isHidden }) => !isHidden) ?? this.sheets[0];
      if (first) return first;
      throw new InputError(this.#name, {}, 'the workbook has no sheet');
    }
    const sheet = this.sheets.find(({ name }) => name === given);
    if (sheet) return sheet;
    throw new SvcError('usage', `--sheet: ${this.#name} has no sheet '${given}'`, {
      hint: didYouMean(given, names, `the sheets are: ${names.join(', ')}`),
    });
  }

  readSheetData(): Promise<SheetData> {
    return withInputErrors(this.#name, async () => {
      const strings = new SharedStrings();
      const formats = new CellFormats(this.#is1904);
      for (const { type, path } of this.#targets.values()) {
        const entry = this.#entries.get(path);
        if (type === 'sharedStrings') await readPart(this.#zip, entry, strings, MAX_SHEET_BYTES);
        if (type === 'styles') await readPart(this.#zip, entry, formats);
      }
      return { strings: strings.table, formats };
    });
  }

  openSheet({ name, path }: Sheet): Promise<Readable> {
    return withInputErrors(this.#name, () => {
      const entry = this.#entries.get(path);
      if (!entry) throw new Error(`the sheet '${name}' is missing`);
      return openPart(this.#zip, entry, MAX_SHEET_BYTES);
    });
  }

  close(): void {
    this.#zip.close();
  }
}

/** Turns errors of an archive or of XML into errors of the input. */
async function withInputErrors<Value>(name: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    throw toInputError(name, error);
  }
}

export function toInputError(name: string, error: unknown): unknown {
  if (error instanceof SvcError || !(error instanceof Error) || error.name === 'AbortError')
    return error;
  return new InputError(
    name,
    {},
    `the file is not a valid .xlsx file: ${error.message}`,
    'open the file in a spreadsheet program, and save it as .xlsx or as CSV',
  );
}

async function readPart(
  zip: ZipFile,
  entry: Entry | undefined,
  handler: XmlHandler,
  maxBytes = MAX_PART_BYTES,
): Promise<void> {
  if (!entry) return;
  for await (const _ of readXml(await openPart(zip, entry, maxBytes), handler));
}

/** yauzl ends the stream with an error if the part is larger than the archive says. */
function openPart(zip: ZipFile, entry: Entry, maxBytes: number): Promise<Readable> {
  if (entry.uncompressedSize > maxBytes) throw new Error(`${entry.fileName} is too large`);
  if (entry.isEncrypted()) throw new Error(`${entry.fileName} is encrypted`);
  return zip.openReadStreamPromise(entry);
}

interface Target {
  /** The last part of the type's URI: `worksheet`. */
  readonly type: string;
  readonly path: string;
}

/** The parts that a workbook refers to, by ID. */
class Targets implements XmlHandler {
  readonly byId = new Map<string, Target>();

  open(name: string, { Id = '', Type = '', Target = '' }: Readonly<Record<string, string>>): void {
    if (name !== 'Relationship') return;
    const { pathname } = new URL(Target, 'zip://archive/xl/');
    const path = decodeURIComponent(pathname.slice(1));
    this.byId.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), path });
  }
}

class SheetList implements XmlHandler {
  readonly #sheets: { readonly name: string; readonly isHidden: boolean; readonly id: string }[] =
    [];
  is1904 = false;

  open(element: string, attributes: Readonly<Record<string, string>>): void {
    const { name = '', state, date1904 } = attributes;
    if (element === 'workbookPr') this.is1904 = date1904 === '1' || date1904 === 'true';
    if (element !== 'sheet') return;
    const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
    this.#sheets.push({ name, isHidden: state === 'hidden' || state === 'veryHidden', id });
  }

  sheets(targets: ReadonlyMap<string, Target>): readonly Sheet[] {
    return this.#sheets.flatMap(({ name, isHidden, id }) => {
      const target = targets.get(id);
      return target?.type === 'worksheet' ? [{ name, isHidden, path: target.path }] : [];
    });
  }
}

/** Texts that cells refer to by number. Leaves out the pronunciation of Japanese text. */
class SharedStrings implements XmlHandler {
  readonly table = new StringTable();
  #text = '';
  #isText = false;
  #isPronunciation = false;

  open(name: string): void {
    if (name === 'si') this.#text = '';
    else if (name === 'rPh') this.#isPronunciation = true;
    else if (name === 't') this.#isText = !this.#isPronunciation;
  }

  text(text: string): void {
    if (this.#isText) this.#text += text;
  }

  close(name: string): void {
    if (name === 't') this.#isText = false;
    else if (name === 'rPh') this.#isPronunciation = false;
    else if (name === 'si') this.table.add(decodeEscapes(this.#text));
  }
}

/** Decodes `_x000D_`, which stands for a character that XML cannot contain. */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([\dA-F]{4})_/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
