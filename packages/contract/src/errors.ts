import type { ValidationIssue } from './input/schema.ts';
import { inEnglish } from './sentences/english.ts';
import type { RefusalMessage } from './sentences/refusals.ts';

/** Errors lose their class between threads, so they are sent as data. */
export type PackedError =
  | {
      readonly refusal: ErrorCode;
      readonly message: string | RefusalMessage;
      readonly details: readonly ValidationIssue[] | undefined;
      readonly cause: unknown;
    }
  | { readonly refusal: null; readonly message: string; readonly stack: string | undefined };

export function packError(error: unknown): PackedError {
  if (error instanceof Refusal) {
    return {
      refusal: error.code,
      message: error.told ?? error.message,
      details: error.details,
      cause: error.cause,
    };
  }
  if (error instanceof Error) return { refusal: null, message: error.message, stack: error.stack };
  return { refusal: null, message: String(error), stack: undefined };
}

export function unpackError(packed: PackedError): Error {
  if (packed.refusal !== null) {
    const { refusal, message, details, cause } = packed;
    return new Refusal(refusal, message, details, { cause });
  }
  const error = new Error(packed.message);
  if (packed.stack !== undefined) error.stack = packed.stack;
  return error;
}

/**
 * Every refusal that a caller can get, with its HTTP status. Codes are stable, because programs branch on them. This is the
 * only place where a code becomes a status.
 */
export const STATUS_OF = {
  invalid_input: 400,
  malformed_json: 400,
  malformed_yaml: 400,
  malformed_request: 400,
  unauthorized: 401,
  second_factor_required: 401,
  forbidden: 403,
  wrong_password: 403,
  wrong_code: 403,
  wrong_pin: 403,
  password_required: 403,
  confirmation_required: 403,
  cross_site_request: 403,
  sign_on_refused: 403,
  no_role: 403,
  bridge_of_another_key: 403,
  device_not_found: 404,
  key_not_found: 404,
  person_not_found: 404,
  session_not_found: 404,
  passkey_not_found: 404,
  push_subscription_not_found: 404,
  terminal_not_found: 404,
  operation_not_found: 404,
  proposal_not_found: 404,
  alert_not_found: 404,
  command_not_found: 404,
  mission_not_found: 404,
  refill_not_found: 404,
  note_not_found: 404,
  handover_not_found: 404,
  report_schedule_not_found: 404,
  view_not_found: 404,
  bridge_not_found: 404,
  alarm_help_not_found: 404,
  plant_not_found: 404,
  notification_rule_not_found: 404,
  webhook_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  device_exists: 409,
  plant_exists: 409,
  person_exists: 409,
  device_offline: 409,
  reading_stale: 409,
  start_expired: 409,
  operation_in_progress: 409,
  proposal_not_open: 409,
  too_many_proposals: 409,
  mission_in_progress: 409,
  mission_not_running: 409,
  emergency_stop_active: 409,
  no_base: 409,
  emergency_stop_unconfirmed: 409,
  device_in_maintenance: 409,
  device_busy: 409,
  device_removed: 409,
  device_not_removed: 409,
  cannot_declare_ended: 409,
  not_supported: 409,
  sensor_conflict: 409,
  notification_rule_limit_reached: 409,
  webhook_disabled: 409,
  webhook_limit_reached: 409,
  report_schedule_limit_reached: 409,
  view_limit_reached: 409,
  key_limit_reached: 409,
  key_not_assignable: 409,
  bridge_limit_reached: 409,
  terminal_limit_reached: 409,
  bridge_refused: 409,
  alarm_help_limit_reached: 409,
  idempotency_in_progress: 409,
  stale_version: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  critical_level_between_thresholds: 422,
  rate_exceeds_limit: 422,
  insufficient_capacity: 422,
  insufficient_stock: 422,
  invalid_geofence: 422,
  outside_geofence: 422,
  mission_infeasible: 422,
  notification_target_unusable: 422,
  webhook_target_refused: 422,
  idempotency_key_reused: 422,
  apply_refused: 422,
  password_refused: 422,
  passkey_refused: 422,
  passkey_needs_password: 403,
  rate_limited: 429,
  headers_too_large: 431,
  stream_limit_reached: 429,
  export_limit_reached: 429,
  too_many_failed_logins: 429,
  too_many_connections: 503,
  service_stopping: 503,
  storage_unavailable: 503,
  storage_full: 503,
  ingest_busy: 503,
  broker_unavailable: 503,
  identity_provider_unavailable: 503,
  bridge_not_answering: 504,
  internal_error: 500,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof STATUS_OF;

export const ERROR_CODES = Object.keys(STATUS_OF) as readonly ErrorCode[];

/**
 * An answer to a caller who made an error, or whom the service cannot serve now. Everything else that is thrown is a fault
 * of the service.
 */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ValidationIssue[] | undefined;
  /** The message with its own code; `null` if the message has no code beside the error code. */
  readonly told: RefusalMessage | null;

  /** The cause is only for the log, because it may name addresses and paths that no caller may see. */
  constructor(
    code: ErrorCode,
    message: string | RefusalMessage,
    details?: readonly ValidationIssue[],
    options?: ErrorOptions,
  ) {
    super(typeof message === 'string' ? message : inEnglish(message), options);
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
    this.told = typeof message === 'string' ? null : message;
  }
}

export interface ErrorBody {
  readonly success: false;
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly message_code?: RefusalMessage['code'];
    readonly message_values?: Record<string, unknown>;
    readonly details?: readonly ValidationIssue[];
    readonly request_id: string;
  };
}

/** The message of a refusal, for an answer. */
export const refusalMessage = ({ message, told }: Refusal) =>
  told === null ? { message } : { message, message_code: told.code, message_values: { ...told.values } };
