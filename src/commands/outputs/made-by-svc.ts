import { throwFileError } from '../../kernel/files.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { readHead, readRegularFile } from '../../kernel/read-file.ts';
import type { OutputUse } from '../options.ts';

/** A purpose that svc can recognize in the content of a file. */
type Purpose = Exclude<OutputUse, 'edited' | 'rejects' | 'folder'>;

/** Maximum size of an export that is searched for content by hand, in bytes. */
const MAX_EXPORT_BYTES = 256 * 1024 * 1024;

/**
 * Whether svc wrote a regular file for a purpose, by its content.
 * @throws SvcError `local` if the file cannot be read
 */
export async function wasMadeBySvc(path: string, purpose: Purpose): Promise<boolean> {
  try {
    const head = readHead(path);
    if (purpose !== 'export') return RECOGNIZERS[purpose](head);
    return (
      EXPORT_START.test(head) && isExport(String(await readRegularFile(path, MAX_EXPORT_BYTES)))
    );
  } catch (error) {
    return throwFileError('read', path)(error);
  }
}

const RECOGNIZERS: Readonly<Record<Exclude<Purpose, 'export'>, (head: string) => boolean>> = {
  plan: (head) => /^\{\s*"svc": ?\d+,\s*"createdAt": ?"/.test(head),
  results: isResults,
  report: (head) =>
    head.startsWith('<!doctype html>') && /<title>[^<]+, job [\d-]+-[0-9a-f]+<\/title>/.test(head),
  schema: (head) =>
    /^\{\s*"(title": "Settings file of svc"|operation": "[\w.-]+",\s*"command": ")/.test(head),
  har: (head) => /^\{\s*"log": \{\s*"version": "1\.2",\s*"creator": \{\s*"name": "svc"/.test(head),
  approval: (head) => head.startsWith('Approval of a plan by svc\n'),
  token: () => false,
};

const STATUSES: readonly unknown[] = ['succeeded', 'failed', 'unknown', 'skipped'];

/** Whether a text begins like the results of a job; a kill may have cut its first line. */
function isResults(head: string): boolean {
  const [line = '', ...others] = head.split('\n');
  const result = tryParseJson(line);
  if (!isObject(result)) return others.length === 0 && line.startsWith('{"id":');
  return 'id' in result && 'line' in result && STATUSES.includes(result['status']);
}

const EXPORT_START = /^(\{\s*"|(?=\w))organizations"?:/;

/** Whether a text is as svc exports it, without parts of a settings file that people write. */
function isExport(text: string): boolean {
  if (text.startsWith('{')) {
    const fields = tryParseJson(text);
    return isObject(fields) && !('stack' in fields) && Array.isArray(fields['users'] ?? []);
  }
  // Exports contain `#` and references only inside of double quotes.
  const structure = text.replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
  return !/(^|\s)#|^stack:|^users:\s+from:|\$\{/m.test(structure);
}
