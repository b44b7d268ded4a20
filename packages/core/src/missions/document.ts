import { MISSION_STATUSES } from '@granary/contract/missions';
import { jobContent } from '../devices/job-content.ts';
import { type DocumentContent, documentKind } from '../documents/versioned.ts';
import type { MissionState } from './state.ts';

/** How a mission is stored. */
export const MISSION_DOCUMENT = documentKind<MissionState>([addRequestOrigin], (content) =>
  jobContent<MissionState>(content, MISSION_STATUSES),
);

/** Version 1: a mission knows when its end was first requested, and whether an emergency stop did so. */
function addRequestOrigin(content: DocumentContent): DocumentContent {
  return { isHaltedByStop: false, requestedAtMs: content['requestSentAtMs'] ?? null, ...content };
}
