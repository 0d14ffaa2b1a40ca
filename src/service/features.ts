import type { Feature } from '../catalog/define.ts';
import { Refusal } from './refusal.ts';

const REFUSALS: Readonly<Record<Feature, string>> = {
  'advanced-queries': 'Advanced queries are not enabled for this workspace.',
  'advanced-webhooks': 'Advanced webhooks are not available for this workspace.',
};

/** @throws Refusal FAILED_PRECONDITION if the feature is disabled */
export function requireFeature(feature: Feature | undefined, without: readonly Feature[]): void {
  if (feature && without.includes(feature)) throw new Refusal('FAILED_PRECONDITION', REFUSALS[feature]);
}
