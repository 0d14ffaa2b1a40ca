import type { Diagnostic } from '../diagnostic.ts';
import type { FieldMap } from './field-map.ts';
import type { InputFormat } from './source.ts';

export interface RecordLayout {
  /** The field that contains the list of records. */
  readonly field: string;
  /** The known fields of a record, and its ID field. */
  readonly fields: readonly string[];
  readonly idField: string;
  /** Name of the ID field in the output of a list command. */
  readonly listedId?: string | undefined;
  /** Field that contains nested records in the output of a list command. */
  readonly nestedField?: string | undefined;
  /** Whether a record may lack its ID. */
  readonly generatesIds?: boolean | undefined;
  /** Maps columns or fields to the service's field names. */
  readonly map?: FieldMap;
}

export interface SourceRequest extends RecordLayout {
  readonly name: string;
  readonly format: InputFormat;
  /** Receives a warning for each ignored part of the file. */
  readonly warn: (warning: Diagnostic) => void;
}

export type ListRequest = Pick<SourceRequest, 'name' | 'field' | 'warn'>;
