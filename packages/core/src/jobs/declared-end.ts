import type { Actor } from '@granary/contract/audit';
import type { DeclaredEnd as DeclaredEndRecord, EndDeclaration } from '@granary/contract/declared-end';
import { sentence } from '@granary/contract/sentences/codes';
import { messageOf } from '@granary/contract/sentences/english';
import type { PARTS } from '@granary/contract/sentences/parts';
import type { Sentence } from '@granary/contract/sentences/sentence';
import { toIso } from '@granary/contract/time';
import { reasonText } from '../words.ts';

/** The stored statement of a person that a job does not run any more, although the device has not reported its end. */
export interface DeclaredEnd {
  readonly reason: string;
  readonly lookedBy: string;
  readonly atMs: number;
  /** Who made the declaration. */
  readonly by: Actor | null;
}

/** What a person declares, and through which key. */
export interface DeclarationInput extends EndDeclaration {
  readonly by: Actor | null;
}

export const declaredEnd = ({ reason, looked_by, by }: DeclarationInput, atMs: number): DeclaredEnd => ({
  reason,
  lookedBy: looked_by,
  atMs,
  by,
});

export const declaredEndRecord = (declared: DeclaredEnd | null): DeclaredEndRecord | null =>
  declared && {
    reason: declared.reason,
    looked_by: declared.lookedBy,
    at: toIso(declared.atMs),
    // Declarations of the first version did not store it.
    by: declared.by ?? null,
  };

/** The text completes a sentence that begins with the job. */
export const declaredEndMessage = ({ reason, lookedBy }: DeclaredEnd) =>
  sentence('declared_ended', { person: lookedBy, reason: reasonText(reason) });

/** The stored reason why a job ended. */
export interface Ended<Reason extends string> {
  readonly reason: Reason;
  readonly message: Sentence<keyof typeof PARTS>;
}

export const endedRecord = <Reason extends string>(ended: Ended<Reason> | null) =>
  ended && { reason: ended.reason, ...messageOf(ended.message) };
