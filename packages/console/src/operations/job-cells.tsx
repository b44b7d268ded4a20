import type { Actor } from '@granary/contract/audit';
import { useConsole } from '../console.ts';
import { withLocalTimes } from '../format/sentences.ts';
import { formatDuration } from '../format/times.ts';
import { locale, texts } from '../texts/texts.ts';
import { actorText, tookMs } from './jobs.ts';

interface StatusProps {
  readonly word: string;
  readonly isUnderWay: boolean;
  /** The outcome is not as asked for, or not known. */
  readonly isUnusual: boolean;
}

/** A status in words; what runs and what went wrong is in bold, because no alarm colour is for it. */
export const JobStatus = ({ word, isUnderWay, isUnusual }: StatusProps) => (
  <span class={`job-status ${isUnderWay ? 'under-way' : ''} ${isUnusual ? 'unusual' : ''}`}>{word}</span>
);

/** What is known of a job, in the words of the service. */
export const JobDetail = ({ text }: { readonly text: string }) => {
  const { nowMs } = useConsole().live.site.clock;
  return <span class="job-detail free-text">{withLocalTimes(text, nowMs.peek(), locale.value)}</span>;
};

export function JobDuration({ from, to }: { readonly from: string; readonly to: string | null }) {
  const { nowMs } = useConsole().live.site.clock;
  return <>{formatDuration(tookMs(from, to, to === null ? nowMs.value : 0))}</>;
}

export function RequestedBy({
  actor,
  isOfDevice = false,
}: {
  readonly actor: Actor | null;
  readonly isOfDevice?: boolean;
}) {
  const { jobs } = texts.value;
  const name = actorText(actor);
  if (name === null) return <span class="muted">{isOfDevice ? jobs.atTheDevice : jobs.byTheService}</span>;
  return <span class="free-text">{name}</span>;
}
