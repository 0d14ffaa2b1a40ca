import { queryDeclared } from '../../settings/live/declared-query.ts';
import type { LiveQuery } from '../../settings/live/live-records.ts';
import { readLive } from '../../settings/live/read-live.ts';
import { type ComparedRecords, collectDeclaredRecords, collectLiveRecords, compareRecords } from '../../settings/compare.ts';
import { loadSettings } from '../../settings/file/load-settings.ts';
import { CONFIG_NAMES } from '../../settings/kinds.ts';
import { openContext } from '../run/open-context.ts';
