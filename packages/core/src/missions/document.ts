import { MISSION_STATUSES } from '@granary/contract/missions/missions';
import { jobContent } from '../devices/job-content.ts';
import { type DocumentContent, documentKind } from '../documents/versioned.ts';
import type { MissionState } from './state.ts';

/** The stored form of a mission. */
export const MISSION_DOCUMENT = documentKind<MissionState>(
  [addRequestOrigin, addDeclaration, addActors],
  (content) => jobContent<MissionState>(content, MISSION_STATUSES),
);

/** Version 1 adds when the end was first requested, and whether an emergency stop requested it. */
function addRequestOrigin(content: DocumentContent): DocumentContent {
  return { isHaltedByStop: false, requestedAtMs: content['requestSentAtMs'] ?? null, ...content };
}

/** Version 2: a person may declare a mission ended. */
function addDeclaration(content: DocumentContent): DocumentContent {
  return { declared: null, ...content };
}

/** Version 3: who asked for it. */
function addActors(content: DocumentContent): DocumentContent {
  return { requestedBy: null, cancelledBy: null, ...content };
}
