/** Public API of the package. */

export type {
  AccessQuestion,
  Explanation,
  ListFilter,
  RecordRequest,
  Snapshot,
  StoredRecord,
  StoredRecords,
} from './catalog/local/answers.ts';
export type { StoredKindName } from './catalog/local/stored-kinds.ts';
export { type Failure, SvcError } from './kernel/errors.ts';
export {
  type CallOptions,
  type Client,
  type ClientSettings,
  createClient,
} from './library/client.ts';
export type {
  EmbeddedService,
  FaultControl,
  RequestControl,
  ServiceClockControl,
  ServiceSettings,
  ServiceSnapshots,
} from './library/embedded-service.ts';
export type { Input, OperationName, OperationTypes, Output } from './library/operations.ts';
export { createService } from './library/service.ts';
