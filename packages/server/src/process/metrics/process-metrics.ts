import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { SECOND_MS } from '@granary/contract/time';
import { counter, gauge, type Metric } from './exposition.ts';

/** The usual interval between two readings of the metrics. */
const WINDOW_MS = 15 * SECOND_MS;
const RESOLUTION_MS = 20;
const NS_PER_S = 1e9;
const US_PER_S = 1e6;

interface Delay {
  readonly p99S: number;
  readonly maxS: number;
}

/** Memory, processor time, and how long the event loop was held up. */
export class ProcessMetrics {
  #histogram: ELDHistogram | null = null;
  #timer: NodeJS.Timeout | undefined;
  #last: Delay = { p99S: 0, maxS: 0 };

  start(): void {
    const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    histogram.enable();
    this.#histogram = histogram;
    this.#timer = setInterval(() => {
      this.#last = delayOf(histogram);
      histogram.reset();
    }, WINDOW_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#histogram?.disable();
  }

  metrics(): Metric[] {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return [
      counter('process_cpu_seconds_total', 'Processor time used.', (user + system) / US_PER_S),
      gauge('process_resident_memory_bytes', 'Resident memory.', rss),
      gauge('process_start_time_seconds', 'Start of the process.', performance.timeOrigin / SECOND_MS),
      gauge('granary_heap_used_bytes', 'Memory used by JavaScript objects.', heapUsed),
      gauge(
        'granary_event_loop_delay_p99_seconds',
        'Delay of the event loop that 99 of 100 samples did not exceed, in the last full window of 15 seconds.',
        this.#last.p99S,
      ),
      gauge(
        'granary_event_loop_delay_max_seconds',
        'Longest delay of the event loop in the last full window of 15 seconds.',
        this.#last.maxS,
      ),
    ];
  }
}

/** The samples include the waiting time of the timer itself. */
const delayOf = (histogram: ELDHistogram): Delay => ({
  p99S: withoutTimer(histogram.percentile(99)),
  maxS: withoutTimer(histogram.max),
});

const withoutTimer = (ns: number): number => Math.max(0, ns / NS_PER_S - RESOLUTION_MS / SECOND_MS);
