import { type Static, Type } from 'typebox';
import { closed, described } from '../input/schema.ts';
import { Timestamp } from '../input/timestamp.ts';
import { plain } from './declaration/answers.ts';
import { endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const Count = Type.Integer({ minimum: 0 });

const Liveness = closed({ status: Type.Literal('ok') });

export const Readiness = closed({
  status: Type.Enum(['ok', 'not ready']),
  checks: described(
    '`ok`, or a short description of the fault.',
    closed({ storage: Type.String(), device_link: Type.String(), ingest: Type.String() }),
  ),
  set_aside: described('The number of stored items that could not be processed since the start.', Count),
  backup: Type.Optional(
    described(
      'Only where backups are scheduled. A backup that failed does not make the service unready.',
      closed({ last_at: Type.Union([Timestamp, Type.Null()]), is_failing: Type.Boolean() }),
    ),
  ),
  broker: Type.Optional(
    described(
      'Only where the service gives an external broker the credentials of devices: the number of registered devices that the broker would not let in.',
      closed({ unknown_devices: Count }),
    ),
  ),
  ingest: described(
    'Counters of faults in messages of devices since the start.',
    closed({
      rejected_messages: Count,
      unstorable_arrivals: Count,
      failed_replies: Count,
      storage_faults: Count,
      refused_when_full: Count,
      suppressed_log_lines: Count,
    }),
  ),
});

export type Readiness = Static<typeof Readiness>;

const endpoints = {
  live: endpoint('service', 'GET', '/livez', {
    summary: 'Answers as long as the process runs.',
    answers: { 200: plain(Liveness) },
    examples: [{ summary: 'a running service' }],
  }),
  ready: endpoint('service', 'GET', '/readyz', {
    summary: 'Answers whether the service can do its work, check by check.',
    answers: { 200: plain(Readiness), 503: plain(Readiness) },
    examples: [{ summary: 'a service that is ready' }],
  }),
  metrics: endpoint('service', 'GET', '/metrics', {
    summary: 'Answers the figures of the service for Prometheus, in its text format.',
    answers: { 200: { ...plain(Type.String()), mediaType: 'text/plain' } },
    // These codes are possible only if the settings demand a key for the metrics, or switch them off.
    errors: [
      'unauthorized',
      'cross_site_request',
      'too_many_failed_logins',
      'rate_limited',
      'route_not_found',
      'storage_unavailable',
    ],
    examples: [{ summary: 'all figures' }],
  }),
};

export const health = {
  description: 'The state of the service itself.',
  endpoints,
  schemas: { Liveness, Readiness },
} satisfies Slice;
