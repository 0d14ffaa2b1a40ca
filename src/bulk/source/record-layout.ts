import type { BulkFields } from '../../catalog/bulk-fields.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { FieldMap } from './field-map.ts';
import type { InputFormat } from './source.ts';

export interface RecordLayout extends Pick<BulkFields, 'listName' | 'knownFields' | 'id' | 'listed' | 'generatesIds'> {
  /** Maps columns or fields to the service's field names. */
  readonly map?: FieldMap;
}

export interface SourceRequest extends RecordLayout {
  readonly name: string;
  readonly format: InputFormat;
  /** Receives a warning for each ignored part of the file. */
  readonly warn: (warning: Diagnostic) => void;
}

export type ListRequest = Pick<SourceRequest, 'name' | 'listName' | 'warn'>;
