/** Public API of the package. */
export { type Failure, SvcError } from './kernel/errors.ts';
export { type Client, type ClientSettings, createClient } from './library/client.ts';
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
export type {
  AccessQuestion,
  Explanation,
  ListFilter,
  RecordRequest,
  StoredRecord,
  StoredRecords,
} from './service/development/reading/answers.ts';
export type { StoredKindName } from './service/development/reading/kinds.ts';
export type { Snapshot } from './service/development/snapshots/snapshot.ts';
