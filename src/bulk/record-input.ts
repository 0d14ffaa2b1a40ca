import { resolve } from 'node:path';
import { SvcError } from '../kernel/errors.ts';
import {
  createMemoryFile,
  type InputFile,
  type InputFileRequest,
  openInputFile,
} from './input-file.ts';
import { joinFileNames } from './record-position.ts';
import { FieldMap } from './source/field-map.ts';

export interface RecordInput {
  readonly files: readonly InputFile[];
  /** The name in messages: `users.json`, `a.json, b.csv`, `a.json and 9 more files`. */
  readonly name: string;
  readonly readProgress: { readonly bytes: number; readonly of: number | undefined };
  /** Call after the first pass. @throws SvcError `usage` if no record has a field of `--map` */
  requireMappedFields(): void;
  discard(): Promise<void>;
}

export type FileChoice = Pick<InputFileRequest, 'file' | 'name' | 'format' | 'encoding'>;

export interface InputRequest extends Omit<InputFileRequest, keyof FileChoice> {
  readonly files: readonly FileChoice[];
}

/**
 * Opens the files of an input.
 * @throws SvcError `usage` if a file does not exist, is given twice, or has an unknown format;
 * `local` if a file cannot be read; `invalid_input` if a file is empty or not text
 */
export async function openInput({ files, ...request }: InputRequest): Promise<RecordInput> {
  rejectRepeatedFiles(files, request.cwd);
  const opened: InputFile[] = [];
  for (const [at, choice] of files.entries()) {
    const spool = at === 0 ? request.spool : `${request.spool}-${at + 1}`;
    opened.push(await openInputFile({ ...request, ...choice, spool }));
  }
  return joinFiles(opened, request.map);
}

export function createMemoryInput(
  name: string,
  values: readonly unknown[],
  names?: readonly (readonly [name: string, field: string])[],
): RecordInput {
  const map = names && new FieldMap(new Map(names));
  return joinFiles([createMemoryFile(name, values, map)], map);
}

function rejectRepeatedFiles(files: readonly FileChoice[], cwd: string): void {
  const paths = new Set<string>();
  for (const { file } of files) {
    const path = file === '-' ? file : resolve(cwd, file);
    if (paths.has(path)) {
      throw new SvcError('usage', `--file: ${file === '-' ? 'stdin' : file} is given twice`, {
        hint: file === '-' ? 'stdin can be read only once' : 'specify each file only once',
      });
    }
    paths.add(path);
  }
}

function joinFiles(files: readonly InputFile[], map?: FieldMap): RecordInput {
  const name = joinFileNames(files);
  if (map) map.isShared = files.length > 1;
  return {
    files,
    name,
    get readProgress() {
      let bytes = 0;
      let of: number | undefined = 0;
      for (const { readProgress } of files) {
        bytes += readProgress.bytes;
        of = of === undefined || readProgress.of === undefined ? undefined : of + readProgress.of;
      }
      return { bytes, of };
    },
    requireMappedFields: () => map?.requireFound(name),
    discard: async () => {
      for (const file of files) await file.discard();
    },
  };
}
