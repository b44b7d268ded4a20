import { LINK_PAYLOAD_BYTES_MAX } from '@granary/contract/link/messages';

const MIB = 1_024 * 1_024;
const READINGS_MAX = 1_000;
const DAY_MS = 86_400_000;

const many = (reading: (index: number) => string): string =>
  `[${Array.from({ length: READINGS_MAX }, (_, index) => reading(index)).join(',')}]`;

const OVERFLOW_MESSAGES = 20;
/** The largest value that the first version accepted. */
const WEIGHT_KG = 100_000_000;
const BUCKET_MS = 300_000;
/** This is less than the clock of a device may be ahead. */
const AHEAD_MS = 50_000;

/** Large weights at many times of one bucket, so that their sum becomes too large for an exact JavaScript number. */
function overflowing(nowMs: number, message: number): string {
  const startMs = Math.floor(nowMs / BUCKET_MS) * BUCKET_MS;
  const spanMs = Math.min(BUCKET_MS, nowMs + AHEAD_MS - startMs);
  return many((index) => {
    const tsMs = startMs + ((message * READINGS_MAX + index) % spanMs);
    return `{"ts":${tsMs},"weight":${WEIGHT_KG}}`;
  });
}

/** Payloads that a broken or malicious device may send: extreme values and times, wrong JSON, and as much of it as fits. */
export function hostilePayloads(nowMs: number, round: number): Buffer[] {
  const texts = [
    '',
    '{',
    'null',
    '[]',
    '{}',
    '"',
    '\0',
    '{"ts":1}',
    '{"ts":1e999,"weight":1}',
    '{"weight":1}',
    '{"ts":9007199254740991,"weight":1}',
    '{"ts":-8640000000000001,"weight":1}',
    '{"ts":"9999-12-31T23:59:59Z","weight":1}',
    '{"ts":"0000-00-00T00:00:00Z","weight":1}',
    `{"ts":${nowMs},"weight":1.7976931348623157e308}`,
    `{"ts":${nowMs + 1},"weight":-1.7976931348623157e308,"temperature":5e-324,"humidity":1e300}`,
    ...Array.from({ length: OVERFLOW_MESSAGES }, (_, index) =>
      overflowing(nowMs, round * OVERFLOW_MESSAGES + index),
    ),
    many((index) => `{"ts":${nowMs - index * DAY_MS},"weight":1e15,"temperature":-1e15}`),
    many((index) => `{"ts":${index},"weight":"heavy"}`),
    `${'['.repeat(LINK_PAYLOAD_BYTES_MAX / 2)}${']'.repeat(LINK_PAYLOAD_BYTES_MAX / 2)}`,
    `{"ts":${nowMs},${Array.from({ length: 20_000 }, (_, index) => `"field${index}":${index}`).join(',')}}`,
    `{"ts":"${'9'.repeat(LINK_PAYLOAD_BYTES_MAX - 100)}","weight":1}`,
    '\uD7FF'.repeat(LINK_PAYLOAD_BYTES_MAX / 3),
  ];
  // These payloads are not UTF-8, and larger than a message may be.
  const bytes = [Buffer.alloc(LINK_PAYLOAD_BYTES_MAX, 0xff), Buffer.alloc(MIB, '{')];
  return [...texts.map((text) => Buffer.from(text)), ...bytes];
}
