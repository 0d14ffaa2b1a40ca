import { groupDigits } from '../kernel/plural.ts';
import type { Diagnostic, FileDiagnostic } from './diagnostic.ts';
import { renameHint } from './source/renamed-field.ts';
import type { InputError } from './source/source.ts';

const MAX_DIAGNOSTICS = 100;
const MAX_WARNINGS = 100;
const MAX_HINTS = 20;
/** Upper bound on findings, because each takes far more time and memory than a record. */
const MAX_FINDINGS = 100_000;
/** Number of findings in a chunk. */
const CHUNK_FINDINGS = 1000;

/** Ends a check after the last finding that is reported. */
export class EnoughFindingsError extends Error {}

/** Returns the cell of a field in a line of a sheet. */
type LocateCell = (line: number, field?: string) => string | undefined;

export class FindingCollector {
  readonly diagnostics: FileDiagnostic[] = [];
  diagnosticCount = 0;
  /**
   * One per unknown field and ignored part of a file, and the first suspicious values of each kind.
   */
  readonly warnings: FileDiagnostic[] = [];
  warningCount = 0;
  isIncomplete = false;
  #findingCount = 0;
  #new: FileDiagnostic[] = [];
  #file = '';
  readonly #cells = new Map<string, LocateCell>();
  readonly #hints = new Map<string, number>();
  /** The hint about fields that choose where records go. */
  protected fieldHint: string | undefined;
  #renameHint: string | undefined;
  #fileHint: string | undefined;
  /** The hint for records without an ID. */
  protected idHint: string | undefined;

  get hint(): string | undefined {
    const [forAll] = [...this.#hints].find(([, count]) => count === this.diagnosticCount) ?? [];
    return forAll ?? this.fieldHint ?? this.#renameHint ?? this.#fileHint ?? this.idHint;
  }

  protected enterFile(name: string): void {
    this.#file = name;
  }

  /** Sets the function that locates findings of the current file, if it is a sheet. */
  protected locateCells(locate: LocateCell | undefined): void {
    if (locate) this.#cells.set(this.#file, locate);
  }

  protected cellOf(
    { file, line }: Pick<FileDiagnostic, 'file' | 'line'>,
    field?: string,
  ): string | undefined {
    return line === null ? undefined : this.#cells.get(file)?.(line, field);
  }

  #withCell(finding: FileDiagnostic): FileDiagnostic {
    const cell = finding.cell ?? this.cellOf(finding, finding.field);
    return cell === undefined ? finding : { ...finding, cell };
  }

  /** Leaves the current file. @param error the reason why the rest of the file cannot be read */
  protected leaveFile(error?: InputError): void {
    if (!error) return;
    this.isIncomplete = true;
    this.#fileHint ??= error.hint;
    this.addError(error);
  }

  /** Adds a problem of the current file that counts as `count` problems. */
  addToFile(problem: Diagnostic, hint?: string, count = 1): void {
    this.add({ file: this.#file, ...problem }, hint, count);
  }

  /** @throws EnoughFindingsError after the last finding that is reported */
  add(found: FileDiagnostic, hint?: string, count = 1): void {
    const finding = this.#withCell(found);
    this.diagnosticCount += count;
    if (this.diagnostics.length < MAX_DIAGNOSTICS) this.diagnostics.push(finding);
    this.#new.push(finding);
    if (hint !== undefined) this.countHint(hint, count);
    this.#findingCount += 1;
    if (this.#findingCount < MAX_FINDINGS) return;
    this.isIncomplete = true;
    const message = `the check stopped here, after ${groupDigits(MAX_FINDINGS)} problems`;
    this.warnFirst({ ...finding, message });
    throw new EnoughFindingsError();
  }

  /**
   * Adds an error at its own position.
   * @param record number of the record that cannot be read, if it shares its line
   */
  addError({ position, problem, hint }: InputError, record?: number): void {
    const { line = null, column, cell } = position;
    const place = {
      line,
      ...(cell !== undefined && { cell }),
      ...(column !== undefined && { column }),
      ...(record !== undefined && { record }),
    };
    this.addToFile({ ...place, message: problem, isExact: true }, hint);
  }

  countHint(hint: string, count: number): void {
    const before = this.#hints.get(hint) ?? 0;
    if (count > 0 && (before > 0 || this.#hints.size < MAX_HINTS))
      this.#hints.set(hint, before + count);
  }

  recordRenamedField(name: string, idField: string): void {
    this.#renameHint ??= renameHint(name, idField);
  }

  /** Adds a warning that is shown before others. */
  protected warnFirst(warning: FileDiagnostic): void {
    this.warnings.unshift(warning);
    this.warningCount += 1;
  }

  warn(warning: Diagnostic): boolean {
    if (this.warnings.length >= MAX_WARNINGS) return false;
    this.addWarning(warning);
    return true;
  }

  /**
   * Adds a warning about the current file that counts as `count` warnings. Ignores the upper bound.
   */
  protected addWarning(warning: Diagnostic, count = 1): void {
    this.warnings.push(this.locate(warning));
    this.warningCount += count;
  }

  /** Returns a finding with the current file, and its cell if the file is a sheet. */
  protected locate(finding: Diagnostic): FileDiagnostic {
    return this.#withCell({ file: this.#file, ...finding });
  }

  *takeDiagnostics(): Generator<readonly FileDiagnostic[]> {
    const found = this.#new;
    this.#new = [];
    for (let at = 0; at < found.length; at += CHUNK_FINDINGS)
      yield found.slice(at, at + CHUNK_FINDINGS);
  }
}
