import type { ValidationIssue } from './input/schema.ts';

/** Every way a caller can be told no. Codes are stable: programs branch on them. */
export const ERROR_CODES = [
  'invalid_input',
  'malformed_json',
  'malformed_request',
  'unauthorized',
  'forbidden',
  'device_not_found',
  'key_not_found',
  'operation_not_found',
  'alert_not_found',
  'command_not_found',
  'mission_not_found',
  'plant_not_found',
  'route_not_found',
  'method_not_allowed',
  'request_timeout',
  'device_exists',
  'plant_exists',
  'device_offline',
  'reading_stale',
  'start_expired',
  'operation_in_progress',
  'mission_in_progress',
  'mission_not_running',
  'emergency_stop_active',
  'emergency_stop_unconfirmed',
  'device_in_maintenance',
  'idempotency_in_progress',
  'stale_version',
  'body_too_large',
  'unsupported_media_type',
  'expectation_failed',
  'critical_level_between_thresholds',
  'rate_exceeds_limit',
  'insufficient_capacity',
  'insufficient_stock',
  'invalid_geofence',
  'outside_geofence',
  'mission_infeasible',
  'idempotency_key_reused',
  'rate_limited',
  'headers_too_large',
  'stream_limit_reached',
  'too_many_failed_logins',
  'too_many_connections',
  'storage_unavailable',
  'storage_full',
  'ingest_busy',
  'internal_error',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The caller is wrong, or we cannot serve now: an answer, not a fault of ours. Everything else that is thrown is. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ValidationIssue[] | undefined;

  /** The cause is for the log: it may name addresses and paths that no caller may see. */
  constructor(
    code: ErrorCode,
    message: string,
    details?: readonly ValidationIssue[],
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
  }
}

export interface ErrorBody {
  readonly success: false;
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details?: readonly ValidationIssue[];
    readonly request_id: string;
  };
}
