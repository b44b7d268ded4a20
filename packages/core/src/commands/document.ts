import { COMMAND_STATUSES } from '@granary/contract/commands';
import { jobContent } from '../devices/job-content.ts';
import { type DocumentContent, documentKind } from '../documents/versioned.ts';
import type { CommandState } from './state.ts';

/** The stored form of a command. */
export const COMMAND_DOCUMENT = documentKind<CommandState>([addLatch, addDeclaration, addActors], (content) =>
  jobContent<CommandState>(content, COMMAND_STATUSES),
);

const OPEN_STATUSES: ReadonlySet<unknown> = new Set(['queued', 'sent', 'executing']);

/** Version 1: an emergency stop stays in force until it is released, and stores the last answer of the device. */
function addLatch(content: DocumentContent): DocumentContent {
  if (content['latchedSinceMs'] !== undefined) return content;
  const isLatched = content['command'] === 'emergency_stop' && OPEN_STATUSES.has(content['status']);
  return { ...content, lastAnswer: null, latchedSinceMs: isLatched ? (content['createdAtMs'] ?? 0) : null };
}

/** Version 2: a person may declare a command ended. */
function addDeclaration(content: DocumentContent): DocumentContent {
  return { declared: null, ...content };
}

/** Version 3: who asked for it. */
function addActors(content: DocumentContent): DocumentContent {
  return { requestedBy: null, ...content };
}
