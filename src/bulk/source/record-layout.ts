import type { BulkFields } from '../../catalog/bulk-fields.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { FieldMap } from './field-map.ts';
import type { InputFormat } from './source.ts';

export interface RecordLayout
  extends Pick<BulkFields, 'listName' | 'knownFields' | 'id' | 'listed' | 'generatesIds'> {
  readonly map?: FieldMap;
}

export interface SourceRequest extends RecordLayout {
  readonly name: string;
  readonly format: InputFormat;
  readonly warn: (warning: Diagnostic) => void;
}

export type ListRequest = Pick<SourceRequest, 'name' | 'listName' | 'warn'>;
