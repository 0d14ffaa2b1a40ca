import { crc32 } from 'node:zlib';
import { Entry, type ZipFile } from 'yauzl';
import { SvcError } from '../../../kernel/errors.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { createPause } from '../../../kernel/run-in-slices.ts';
import { MAX_COMPRESSION, MIN_FLOOD_BYTES } from '../bytes.ts';
import { InputError } from '../source.ts';
import {
  createSpreadsheetError,
  EXPORT_HINT,
  hasSpreadsheetName,
  UNPACK_HINT,
} from '../spreadsheet.ts';
import { CellFormats } from './cell-formats.ts';
import { readXml, type XmlAttributes, type XmlHandler } from './read-xml.ts';
import { StringTable } from './string-table.ts';
import { openZipFile } from './zip-file.ts';

export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly path: string;
}

/** Parts of a workbook that apply to all of its sheets. */
export interface SheetData {
  readonly strings: StringTable;
  readonly formats: CellFormats;
  /** Whether programs calculate all formulas when they open the file: it has no results. */
  readonly isCalculatedOnLoad: boolean;
}

/** Upper bounds on the bytes of a part after decompression. The texts of cells stay in memory. */
const MAX_PART_BYTES = 32 * 1024 * 1024;
const MAX_TEXT_BYTES = 256 * 1024 * 1024;
const MAX_SHEET_BYTES = 4 * 1024 * 1024 * 1024;
const MAX_PARTS = 200_000;
const MAX_SHEETS = 10_000;
/** Upper bound on the characters of a text with formatted parts. */
export const MAX_TEXT_CHARACTERS = 1024 * 1024;

/** The path of the workbook in an archive that does not name it. */
const DEFAULT_PATH = 'xl/workbook.xml';

/** The parts of an .xlsx file, which is a ZIP archive of XML documents. */
export class Workbook {
  readonly #name: string;
  readonly #archive: Archive;
  readonly #targets: ReadonlyMap<string, Target>;
  readonly #list: SheetList;
  readonly sheets: readonly Sheet[];

  private constructor(
    name: string,
    archive: Archive,
    targets: ReadonlyMap<string, Target>,
    list: SheetList,
  ) {
    this.#name = name;
    this.#archive = archive;
    this.#targets = targets;
    this.#list = list;
    this.sheets = list.sheets(targets);
  }

  /** @throws SvcError `invalid_input` if the file is not an .xlsx file, or the reason of the signal */
  static async open(path: string, name: string, signal?: AbortSignal): Promise<Workbook> {
    return withInputErrors(name, async () => {
      const archive = await Archive.open(path, signal);
      try {
        const root = await archive.readTargets('');
        const { path: main = DEFAULT_PATH } =
          root.values().find(({ type }) => type === 'officeDocument') ?? {};
        const isOther = OTHER_SPREADSHEETS.some((part) => archive.has(part));
        if (main.endsWith('.bin') || isOther) throw createSpreadsheetError(name);
        if (DOCUMENTS.some((part) => archive.has(part)))
          throw createTypeError(name, 'a Word or PowerPoint document', EXPORT_HINT);
        if (!archive.has(main)) {
          if (root.size > 0) throw new Error(`it has no ${main}`);
          if (hasSpreadsheetName(name)) throw createSpreadsheetError(name);
          throw createTypeError(name, 'a ZIP archive', UNPACK_HINT);
        }
        const list = new SheetList();
        await archive.read(main, list);
        return new Workbook(name, archive, await archive.readTargets(main), list);
      } catch (error) {
        archive.close();
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

  visibleSheetsBut(chosen: Sheet): readonly Sheet[] {
    return this.sheets.filter((sheet) => !sheet.isHidden && sheet !== chosen);
  }

  hiddenSheetsBut(chosen: Sheet): readonly Sheet[] {
    return this.sheets.filter((sheet) => sheet.isHidden && sheet !== chosen);
  }

  readSheetData(): Promise<SheetData> {
    return withInputErrors(this.#name, async () => {
      const strings = new SharedStrings();
      const formats = new CellFormats(this.#list.is1904);
      await this.#readPart('sharedStrings', strings, MAX_TEXT_BYTES);
      await this.#readPart('styles', formats);
      const { isCalculatedOnLoad } = this.#list;
      return { strings: strings.table, formats, isCalculatedOnLoad };
    });
  }

  /** Reads the first part of a type, if there is one. */
  async #readPart(type: string, handler: XmlHandler, maxBytes?: number): Promise<void> {
    const target = this.#targets
      .values()
      .find((other) => other.type === type && this.#archive.has(other.path));
    if (target) await this.#archive.read(target.path, handler, maxBytes);
  }

  /** @param onRead called with the part of the sheet that was read, from 0 to 1 */
  openSheet(
    { name, path }: Sheet,
    onRead?: (part: number) => void,
  ): Promise<AsyncIterable<Uint8Array>> {
    return withInputErrors(this.#name, () => {
      if (!this.#archive.has(path)) throw new Error(`the sheet '${name}' is missing`);
      return this.#archive.openPart(path, MAX_SHEET_BYTES, onRead);
    });
  }

  close(): void {
    this.#archive.close();
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

/** Parts of spreadsheets that svc does not read. */
const OTHER_SPREADSHEETS: readonly string[] = ['content.xml', 'Index/Document.iwa'];
/** Parts of Office files other than spreadsheets. */
const DOCUMENTS: readonly string[] = ['word/document.xml', 'ppt/presentation.xml'];

function createTypeError(name: string, found: string, hint: string): InputError {
  return new InputError(name, {}, `expected a spreadsheet, found ${found}`, hint);
}

/** A ZIP archive of parts that refer to each other. */
class Archive {
  readonly #zip: ZipFile;
  readonly #entries = new Map<string, Entry>();
  readonly #repeated = new Set<string>();
  readonly #signal: AbortSignal | undefined;

  private constructor(zip: ZipFile, signal: AbortSignal | undefined) {
    this.#zip = zip;
    this.#signal = signal;
  }

  static async open(path: string, signal?: AbortSignal): Promise<Archive> {
    const zip = await openZipFile(path);
    const archive = new Archive(zip, signal);
    const pause = createPause(signal);
    try {
      if (zip.entryCount > MAX_PARTS) throw new Error(`it has more than ${MAX_PARTS} parts`);
      for await (const entry of zip.eachEntry()) {
        archive.#add(entry);
        await pause();
      }
      return archive;
    } catch (error) {
      zip.close();
      throw error;
    }
  }

  #add(entry: Entry): void {
    const path = normalizePath(String(entry.fileName));
    const { size } = this.#entries;
    this.#entries.set(path, withoutNames(entry));
    if (this.#entries.size === size) this.#repeated.add(path);
  }

  has(path: string): boolean {
    return this.#entries.has(path);
  }

  /** Opens a part. Its bytes end with an error if their size or checksum is another than the archive says. */
  async openPart(
    path: string,
    maxBytes = MAX_PART_BYTES,
    onRead?: (part: number) => void,
  ): Promise<AsyncIterable<Uint8Array>> {
    const entry = this.#entries.get(path);
    if (!entry) throw new Error(`it has no ${path}`);
    if (this.#repeated.has(path)) throw new Error(`it has ${path} twice`);
    const { compressedSize, uncompressedSize } = entry;
    if (uncompressedSize > maxBytes) throw new Error(`${path} is too large`);
    if (uncompressedSize > Math.max(MIN_FLOOD_BYTES, MAX_COMPRESSION * compressedSize))
      throw new Error(`${path} expands to more than ${MAX_COMPRESSION} times its size`);
    if (entry.isEncrypted()) throw new Error(`${path} is encrypted`);
    return verifyChecksum(await this.#zip.openReadStreamPromise(entry), path, entry, onRead);
  }

  async read(path: string, handler: XmlHandler, maxBytes?: number): Promise<void> {
    const bytes = await this.openPart(path, maxBytes);
    for await (const _ of readXml(bytes, handler)) this.#signal?.throwIfAborted();
  }

  /** Reads what a part refers to; for an empty path, what the archive refers to. */
  async readTargets(path: string): Promise<ReadonlyMap<string, Target>> {
    const slash = path.lastIndexOf('/') + 1;
    const list = `${path.slice(0, slash)}_rels/${path.slice(slash)}.rels`;
    const targets = new Targets(path);
    if (this.has(list)) await this.read(list, targets);
    return targets.byId;
  }

  close(): void {
    this.#zip.close();
  }
}

/** Keeps what is needed to read an entry: the names in an entry take several times the memory. */
function withoutNames(entry: Entry): Entry {
  const { compressedSize, uncompressedSize, crc32, relativeOffsetOfLocalHeader } = entry;
  const { compressionMethod, generalPurposeBitFlag } = entry;
  return Object.assign(new Entry(), {
    compressedSize,
    uncompressedSize,
    crc32,
    relativeOffsetOfLocalHeader,
    compressionMethod,
    generalPurposeBitFlag,
  });
}

async function* verifyChecksum(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
  { crc32: expected, uncompressedSize }: Entry,
  onRead?: (part: number) => void,
): AsyncGenerator<Uint8Array> {
  let [checksum, read] = [0, 0];
  for await (const chunk of bytes) {
    checksum = crc32(chunk, checksum);
    read += chunk.length;
    onRead?.(read / uncompressedSize);
    yield chunk;
  }
  if (checksum !== expected) throw new Error(`${path} is damaged`);
}

/** Returns a path in the form that is equal for equal parts: `xl/workbook.xml`. */
function normalizePath(path: string): string {
  const slashes = path.replaceAll('\\', '/').replace(/^\/+/, '');
  try {
    return decodeURIComponent(slashes).toLowerCase();
  } catch {
    return slashes.toLowerCase();
  }
}

interface Target {
  /** The last part of the type's URI: `worksheet`. */
  readonly type: string;
  readonly path: string;
}

/** The parts that a part refers to, by ID. */
class Targets implements XmlHandler {
  readonly byId = new Map<string, Target>();
  readonly #base: string;

  constructor(path: string) {
    this.#base = `zip://archive/${path}`;
  }

  open(name: string, { Id, Type, Target, TargetMode }: XmlAttributes): void {
    if (name !== 'Relationship' || TargetMode?.value === 'External') return;
    const url = URL.parse((Target?.value ?? '').replaceAll('\\', '/'), this.#base);
    if (!url) return;
    const type = (Type?.value ?? '').replace(/^.*\//, '');
    this.byId.set(Id?.value ?? '', { type, path: normalizePath(url.pathname) });
  }
}

class SheetList implements XmlHandler {
  readonly #sheets: { readonly name: string; readonly isHidden: boolean; readonly id: string }[] =
    [];
  is1904 = false;
  isCalculatedOnLoad = false;

  open(element: string, attributes: XmlAttributes, parent: string): void {
    if (parent === '' && element !== 'workbook') throw new Error('it has no workbook');
    const isSetting = parent === 'workbook';
    if (isSetting && element === 'workbookPr') this.is1904 = isTrue(attributes['date1904']);
    if (isSetting && element === 'calcPr')
      this.isCalculatedOnLoad = isTrue(attributes['fullCalcOnLoad']);
    if (element !== 'sheet' || parent !== 'sheets') return;
    const { name, state } = attributes;
    const id = Object.values(attributes).find(
      ({ local, uri }) => local === 'id' && uri.endsWith('/relationships'),
    );
    const isHidden = state?.value === 'hidden' || state?.value === 'veryHidden';
    this.#sheets.push({ name: name?.value ?? '', isHidden, id: id?.value ?? '' });
    if (this.#sheets.length > MAX_SHEETS) throw new Error(`it has more than ${MAX_SHEETS} sheets`);
  }

  /** Returns the sheets with cells, without charts, dialogs, and macros. */
  sheets(targets: ReadonlyMap<string, Target>): readonly Sheet[] {
    return this.#sheets.flatMap(({ name, isHidden, id }) => {
      const { type, path } = targets.get(id) ?? { type: 'worksheet', path: '' };
      return type === 'worksheet' && id !== '' ? [{ name, isHidden, path }] : [];
    });
  }
}

export function isTrue(attribute: XmlAttributes[string] | undefined): boolean {
  return /^\s*(?:1|true)\s*$/.test(attribute?.value ?? '');
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
    if (!this.#isText) return;
    this.#text += text;
    if (this.#text.length > MAX_TEXT_CHARACTERS) throw new Error('a text is too long');
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
