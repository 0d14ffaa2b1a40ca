import type { FileDiagnostic } from './diagnostic.ts';
import { readIdentifiedRecords } from './duplicates.ts';
import { EnoughFindingsError } from './finding-collector.ts';
import type { InputFile } from './input-file.ts';
import {
  type RecordCheck,
  RecordChecker,
  type RecordListener,
  type RecordRules,
} from './record-checker.ts';
import type { RecordInput } from './record-input.ts';
import { InputError } from './source/source.ts';

/** A check in progress. The check is complete after all findings were read. */
export interface StartedCheck {
  readonly check: RecordCheck;
  /** The diagnostics as they are found, in the order of the input, with duplicates last. */
  readonly findings: AsyncIterable<readonly FileDiagnostic[]>;
}

/**
 * Reads an input for the first time and checks every record. An error that hides the rest of a file
 * comes last.
 */
export async function checkRecords(
  input: RecordInput,
  rules: RecordRules,
  signal: AbortSignal,
  onRecord?: RecordListener,
): Promise<RecordCheck> {
  const { check, findings } = startCheck(input, rules, signal, onRecord);
  for await (const found of findings) void found;
  return check;
}

export function startCheck(
  input: RecordInput,
  rules: RecordRules,
  signal: AbortSignal,
  onRecord?: RecordListener,
): StartedCheck {
  const checker = new RecordChecker(rules, onRecord);
  async function* checkAll() {
    for (const file of input.files) yield* checkFile(file, checker, signal);
    if (!checker.isIncomplete && checker.read > 0) input.requireMappedFields();
    checker.endInput();
    yield* checker.takeDiagnostics();
    // The spool of a pipe that was not read to its end cannot be read again.
    const files = input.files.filter(
      ({ spooled }, at) => !spooled || checker.files[at]?.identity !== undefined,
    );
    const readAgain = () => readIdentifiedRecords(files, rules);
    await checker.resolveDuplicates(readAgain);
    if (!checker.isIncomplete) await checker.reportCycles(readAgain);
  }
  async function* findDiagnostics() {
    try {
      yield* checkAll();
    } catch (error) {
      if (!(error instanceof EnoughFindingsError)) throw error;
    }
    yield* checker.takeDiagnostics();
  }
  return { check: checker, findings: findDiagnostics() };
}

async function* checkFile(
  file: InputFile,
  checker: RecordChecker,
  signal: AbortSignal,
): AsyncGenerator<readonly FileDiagnostic[]> {
  const fileCheck = checker.startFile(file.name);
  try {
    const source = await file.open();
    checker.checkBesideFields(source);
    const check = checker.createFileChecker(source, fileCheck);
    for await (const records of source.recordChunks) {
      signal.throwIfAborted();
      check(records);
      yield* checker.takeDiagnostics();
    }
    checker.warnAboutFile(source);
    checker.endFile();
    fileCheck.preamble = source.preamble();
    fileCheck.encoding = file.encoding();
    fileCheck.identity = file.fingerprint();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    checker.endFile(error);
  }
  yield* checker.takeDiagnostics();
}
