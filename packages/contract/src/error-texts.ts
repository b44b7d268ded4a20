import { ENGLISH_TEXTS } from '@granary/words/english';
import type { ErrorCode } from './errors.ts';

export interface ErrorText {
  /** The meaning of the code, in one sentence. */
  readonly means: string;
  /** What the caller can do about the error. */
  readonly cure: string;
}

const LOOK_AT_ID = 'Check the id, and whether the key may see the device.';

/** What a program, or a person at the command line, can do about each error. */
export const ERROR_CURES: Readonly<Record<ErrorCode, string>> = {
  invalid_input:
    'Read `details`: it names the place of each fault and what is expected there. Nothing was changed.',
  malformed_json:
    'Send one JSON value in UTF-8, without repeated names; the message says where the fault is.',
  malformed_yaml: 'Correct the line that the message names, or send the document as JSON.',
  malformed_request: 'Look at what your program or your proxy sends.',
  unauthorized: 'Send `Authorization: Bearer <key>` with a valid key; in a browser, sign in again.',
  forbidden: 'Use a key with that scope; an administrator can issue one.',
  wrong_pin: 'Enter it again. After 5 wrong PINs of a person at a terminal only the password counts there.',
  password_required: 'Sign in at the terminal with the password; the PIN counts there after that.',
  confirmation_required:
    'Send `POST /v1/confirmations` with the same action, device and body, and its id in `X-Confirmation` within 60 seconds; `message_code` says whether another person has to confirm.',
  cross_site_request:
    'Programs send an API key instead of a cookie. Behind a proxy, set `GRANARY_PUBLIC_URL` to the address that people use.',
  device_not_found: LOOK_AT_ID,
  key_not_found: 'List the keys; the id is not the key itself.',
  operation_not_found: LOOK_AT_ID,
  proposal_not_found: LOOK_AT_ID,
  alert_not_found: LOOK_AT_ID,
  command_not_found: LOOK_AT_ID,
  mission_not_found: LOOK_AT_ID,
  refill_not_found: LOOK_AT_ID,
  note_not_found: LOOK_AT_ID,
  handover_not_found: LOOK_AT_ID,
  person_not_found: 'List the people.',
  terminal_not_found: 'List the terminals.',
  session_not_found: 'List the sessions.',
  sign_on_refused: 'Begin it again; the log of the service and GET /v1/people/sign-ins have the reason.',
  no_role:
    'Add the person to a group of the sign-in policy, or the group to the policy; GET /v1/people/sign-ins shows which groups came.',
  identity_provider_unavailable:
    'Try again, or sign in with a password or a key. Whoever has signed in stays signed in.',
  person_exists: 'Choose another name.',
  key_limit_reached: 'End one that is not used any more.',
  key_not_assignable:
    'Only a key of a program can be handed to a person; a person makes further keys for themselves.',
  second_factor_required:
    'Send `second_factor` too: the code that the authenticator app shows, or a recovery code.',
  wrong_code: 'Send the code that the app shows now; the clock of the phone must be right to half a minute.',
  push_subscription_not_found: 'Look at `subscriptions` of `GET /v1/me/push`.',
  passkey_not_found: 'Look at `passkeys` of `GET /v1/me`.',
  passkey_refused:
    'Make it on the page of the service, under a name with HTTPS or under localhost, with an authenticator that asks for a PIN, a finger or a face.',
  passkey_needs_password: 'Ask an administrator for a link, and choose a password with it.',
  wrong_password: 'Send the present password; an administrator can make a new link for a forgotten one.',
  password_refused: 'Choose one that is not, such as four words that only you put together.',
  report_schedule_not_found: 'List the schedules.',
  view_not_found: 'List the views.',
  bridge_not_found:
    'List the bridges; the id is that of `bridge` in its site file, and a bridge without a key does not report.',
  alarm_help_not_found: 'List the texts; `facility` and `rule` must be those of the text.',
  plant_not_found: 'List the plants.',
  notification_rule_not_found: 'List the rules.',
  webhook_not_found: 'List the webhooks.',
  route_not_found:
    'Compare the address with the reference; a setting of the service may have moved a group of endpoints.',
  method_not_allowed: 'Use one of the methods in the header `Allow`.',
  request_timeout: 'Send it again, in smaller parts over a slow connection.',
  device_exists:
    'Choose another id, change the device that has it, or bring a removed one back with `POST …/restore` or `granary device restore`.',
  plant_exists: 'Choose another id.',
  device_offline: 'Wait until its status is `online`; its `link` says what is known of its connection.',
  reading_stale: 'Wait for a new reading, or look after the sensor.',
  start_expired: 'Start again; nothing has moved.',
  proposal_not_open: 'Read the proposal; propose it again if it is still wanted.',
  too_many_proposals: 'Wait until a person has decided, or until they have expired.',
  operation_in_progress: 'Wait for its end, or stop it.',
  mission_in_progress: 'Wait for its end, cancel it, or choose another time.',
  mission_not_running: 'Read the mission; it may not have begun, or may have ended.',
  emergency_stop_active: 'Look at the device, then release the emergency stop.',
  no_base: 'Set `base` in its configuration, or choose the failsafe actions `hold` or `continue`.',
  emergency_stop_unconfirmed: 'Wait for its confirmation; if it does not come, go and look at the device.',
  device_in_maintenance: 'End the maintenance when nobody works at the device any more.',
  device_busy: 'Wait for its end or stop it, then repeat the request.',
  device_removed:
    'Its records stay readable; bring it back with `POST …/restore` or `granary device restore`, until they are purged.',
  device_not_removed: 'Use it as it is; `POST …/credentials` gives it a new secret.',
  cannot_declare_ended: 'The message says what to do first, such as a stop.',
  not_supported: 'Use an endpoint that fits the profile of the device.',
  sensor_conflict: 'Read `details`, and choose another `sensor_id` or the earlier unit.',
  notification_rule_limit_reached: 'Remove a rule, or let one rule match more.',
  webhook_disabled: 'Enable it, then repeat the request.',
  report_schedule_limit_reached: 'Remove one.',
  view_limit_reached: 'Remove one.',
  terminal_limit_reached: 'End one that is not used any more.',
  bridge_of_another_key:
    'Use the key that was made for the bridge. If it has ended, let somebody who may configure give the bridge to a new one: PUT /v1/bridges/{bridge_id}/key.',
  bridge_limit_reached: 'Remove bridges that are not used, or wait until the bridge has answered.',
  bridge_refused: 'The message has its reason, for example a fault in its site file.',
  alarm_help_limit_reached: 'Remove one.',
  webhook_limit_reached: 'Remove one.',
  idempotency_in_progress: 'Repeat the request after a moment with the same key; you get the first answer.',
  stale_version: 'Read it, decide again, and send the new `ETag`.',
  body_too_large: 'Send several smaller requests.',
  unsupported_media_type: 'Send JSON with `Content-Type: application/json`.',
  expectation_failed: 'Leave the header out.',
  critical_level_between_thresholds: 'Set it below the low level, or above the high level.',
  rate_exceeds_limit: 'Ask for a lower rate, or change the limit.',
  insufficient_capacity: 'Ask for a smaller amount; the message says how much fits.',
  insufficient_stock: 'Ask for a smaller amount; the message says how much there is.',
  invalid_geofence: 'Correct the points; `details` says which.',
  outside_geofence: 'Change the way or the geofence.',
  mission_infeasible: 'Shorten the mission or charge the device; `details` has the figures.',
  notification_target_unusable: 'Read `details`, and correct the target or the settings of the service.',
  webhook_target_refused: 'Use a public https address, or allow private addresses in the settings.',
  idempotency_key_reused: 'Use a new key for each new request.',
  apply_refused: 'Read `details`: it lists every fault with its place. Nothing was changed.',
  rate_limited: 'Wait for as many seconds as `Retry-After` says. Stops are never limited.',
  headers_too_large: 'Send fewer or shorter headers.',
  stream_limit_reached: 'Close streams that nobody reads; one stream can follow many devices.',
  export_limit_reached: 'Repeat the request when one of them has ended.',
  too_many_failed_logins:
    'Correct it, and wait for as many seconds as `Retry-After` says. A valid key is served at any time.',
  too_many_connections: 'Close connections that are not used, and try again later.',
  service_stopping: 'Repeat the request when it has started again, or on another node.',
  storage_unavailable:
    'Repeat the request with the same Idempotency-Key. A stop is sent to the device even so.',
  storage_full: 'Tell whoever runs the service. A stop is sent to the device even so.',
  ingest_busy: 'Send them again after as many seconds as `Retry-After` says.',
  bridge_not_answering:
    'Look at `reported_at` of the bridge and at its log. What was asked is not repeated later.',
  broker_unavailable:
    'Repeat the request with the same Idempotency-Key; the message says whether something was stored.',
  internal_error: 'Report it with the request id; the log of the service has the details under it.',
};

/** The text of an error code for the references and the command line; a refusal itself says more about its case. */
export const errorText = (code: ErrorCode): ErrorText => ({
  means: ENGLISH_TEXTS.errors[code] ?? '',
  cure: ERROR_CURES[code],
});
