import type { BulkFields } from '../../catalog/bulk-fields.ts';
import type { InputFormat } from '../../catalog/bulk-options.ts';
import type { FieldMap } from './field-map.ts';

export interface RecordLayout
  extends Pick<
    BulkFields,
    'listName' | 'knownFields' | 'targetFields' | 'id' | 'listed' | 'generatesIds' | 'bareIds'
  > {
  readonly map?: FieldMap;
}

export interface SourceRequest extends RecordLayout {
  readonly name: string;
  readonly format: InputFormat;
  /** Name of the sheet of a workbook (default: the first one). */
  readonly sheet?: string | undefined;
  /** Separator of CSV cells (default: detected). */
  readonly separator?: string | undefined;
  /** Row of the header, as the file numbers it (default: the first one with values). */
  readonly headerRow?: number | undefined;
  /** Target fields that the command sets, which no column can. */
  readonly given?: readonly string[] | undefined;
  readonly signal?: AbortSignal;
}

export type ListRequest = Pick<SourceRequest, 'name' | 'listName' | 'signal'>;
