import { countsOf, type IngestCounters, sumOf } from '../ingest/counters.ts';
import { type IngestPipeline, QUEUE_READINGS_MAX } from '../ingest/pipeline.ts';
import type { ServiceLink } from './service-link.ts';

export interface IngestFigures {
  readonly counters: IngestCounters;
  readonly queuedReadings: number;
  readonly isHolding: boolean;
  readonly hasRoom: boolean;
}

/** The figures of the pipelines of all threads. */
export class IngestMonitor {
  readonly #pipeline: Pick<IngestPipeline, 'queuedReadings' | 'isHolding'>;
  readonly #counters: IngestCounters;
  readonly #link: Pick<ServiceLink, 'memberFigures'>;

  constructor(
    pipeline: Pick<IngestPipeline, 'queuedReadings' | 'isHolding'>,
    counters: IngestCounters,
    link: Pick<ServiceLink, 'memberFigures'>,
  ) {
    this.#pipeline = pipeline;
    this.#counters = counters;
    this.#link = link;
  }

  async figures(): Promise<IngestFigures> {
    const { queuedReadings, isHolding } = this.#pipeline;
    const all = [
      { counts: countsOf(this.#counters), queuedReadings, isHolding },
      ...(await this.#link.memberFigures()).flatMap(({ ingest }) => ingest ?? []),
    ];
    return {
      counters: sumOf(all.map(({ counts }) => counts)),
      queuedReadings: all.reduce((sum, one) => sum + one.queuedReadings, 0),
      isHolding: all.some((one) => one.isHolding),
      hasRoom: all.every((one) => one.queuedReadings < QUEUE_READINGS_MAX),
    };
  }
}
