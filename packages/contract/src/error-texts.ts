import type { ErrorCode } from './errors.ts';

export interface ErrorText {
  /** The meaning of the code, in one sentence. */
  readonly means: string;
  /** What the caller can do about the error. */
  readonly cure: string;
}

const text = (means: string, cure: string): ErrorText => ({ means, cure });

const LOOK_AT_ID = 'Check the id, and whether the key may see the device.';

/** The texts of error codes for the references and for people at the command line; a refusal itself says more about its case. */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  invalid_input: text(
    'A field, a parameter or a header has a value that is not allowed.',
    'Read `details`: it names the place of each fault and what is expected there. Nothing was changed.',
  ),
  malformed_json: text(
    'The body is not valid JSON.',
    'Send one JSON value in UTF-8, without repeated names; the message says where the fault is.',
  ),
  malformed_yaml: text(
    'The body is not valid YAML.',
    'Correct the line that the message names, or send the document as JSON.',
  ),
  malformed_request: text(
    'The request is not valid HTTP, or its address cannot be decoded.',
    'Look at what your program or your proxy sends.',
  ),
  unauthorized: text(
    'The request names no API key, or one that is unknown, revoked or expired; or the session of its cookie has ended.',
    'Send `Authorization: Bearer <key>` with a valid key; in a browser, sign in again.',
  ),
  forbidden: text(
    'The key does not have the scope that the endpoint needs.',
    'Use a key with that scope; an administrator can issue one.',
  ),
  wrong_pin: text(
    'The PIN is not right, or this person does not sign in at this terminal.',
    'Enter it again. After 5 wrong PINs of a person at a terminal only the password counts there.',
  ),
  password_required: text(
    'The PIN does not count here: the person has none, or it was entered wrongly too often here, or at terminals where the person never gave the password.',
    'Sign in at the terminal with the password; the PIN counts there after that.',
  ),
  confirmation_required: text(
    'The facility wants people to confirm this once more, and the request has no confirmation, or one for another request or that has ended.',
    'Send `POST /v1/confirmations` with the same action, device and body, and its id in `X-Confirmation` within 60 seconds; `message_code` says whether another person has to confirm.',
  ),
  cross_site_request: text(
    'The request has the cookie of a session and does not come from a page of this service.',
    'Programs send an API key instead of a cookie. Behind a proxy, set `GRANARY_PUBLIC_URL` to the address that people use.',
  ),
  device_not_found: text('There is no such device in this group, or the key may not see it.', LOOK_AT_ID),
  key_not_found: text('There is no API key with this id.', 'List the keys; the id is not the key itself.'),
  operation_not_found: text('The device has no such operation.', LOOK_AT_ID),
  proposal_not_found: text('The device has no such proposal.', LOOK_AT_ID),
  alert_not_found: text('The device has no such alert.', LOOK_AT_ID),
  command_not_found: text('The device has no such command.', LOOK_AT_ID),
  mission_not_found: text('The device has no such mission.', LOOK_AT_ID),
  refill_not_found: text('There is no such refill.', LOOK_AT_ID),
  note_not_found: text('There is no such note.', LOOK_AT_ID),
  handover_not_found: text('There is no such handover.', LOOK_AT_ID),
  person_not_found: text('There is no such person, or this key may not manage them.', 'List the people.'),
  terminal_not_found: text(
    'There is no such terminal or display, or this key does not administer its facilities.',
    'List the terminals.',
  ),
  session_not_found: text('The caller has no such session.', 'List the sessions.'),
  sign_on_refused: text(
    'The sign-in with the identity provider was not accepted.',
    'Begin it again; the log of the service and GET /v1/people/sign-ins have the reason.',
  ),
  no_role: text(
    'No group that the identity provider sent gives a right here.',
    'Add the person to a group of the sign-in policy, or the group to the policy; GET /v1/people/sign-ins shows which groups came.',
  ),
  identity_provider_unavailable: text(
    'The identity provider does not answer.',
    'Try again, or sign in with a password or a key. Whoever has signed in stays signed in.',
  ),
  person_exists: text('A person with this name for signing in exists.', 'Choose another name.'),
  key_limit_reached: text(
    'The person has as many keys as one person may have.',
    'End one that is not used any more.',
  ),
  key_not_assignable: text(
    'The key belongs to a person already, to a terminal or to a display, or it has ended.',
    'Only a key of a program can be handed to a person; a person makes further keys for themselves.',
  ),
  second_factor_required: text(
    'The person has set up a second factor, and the password alone is not enough.',
    'Send `second_factor` too: the code that the authenticator app shows, or a recovery code.',
  ),
  wrong_code: text(
    'The code is not right at this time, or was used before.',
    'Send the code that the app shows now; the clock of the phone must be right to half a minute.',
  ),
  push_subscription_not_found: text(
    'The person has no such browser for Web Push.',
    'Look at `subscriptions` of `GET /v1/me/push`.',
  ),
  passkey_not_found: text('The person has no such passkey.', 'Look at `passkeys` of `GET /v1/me`.'),
  passkey_refused: text(
    'The passkey was not made on a page of this service for a challenge of it, or the authenticator did not recognise the person.',
    'Make it on the page of the service, under a name with HTTPS or under localhost, with an authenticator that asks for a PIN, a finger or a face.',
  ),
  passkey_needs_password: text(
    'The person signs in with the identity provider only; a passkey would let them in after the provider has ended that.',
    'Ask an administrator for a link, and choose a password with it.',
  ),
  wrong_password: text(
    'The present password is not the one that was sent.',
    'Send the present password; an administrator can make a new link for a forgotten one.',
  ),
  password_refused: text(
    'The password is easy to guess: it is made of a name, of well-known words, of rows of keys or of repetitions.',
    'Choose one that is not, such as four words that only you put together.',
  ),
  report_schedule_not_found: text(
    'There is no such report schedule, or it is that of another key.',
    'List the schedules.',
  ),
  view_not_found: text('There is no such view, or it is that of another key.', 'List the views.'),
  bridge_not_found: text(
    'No bridge has reported under this id.',
    'List the bridges; the id is that of `bridge` in its site file, and a bridge without a key does not report.',
  ),
  alarm_help_not_found: text(
    'There is no such type of alert, or this site has no text about it there.',
    'List the texts; `facility` and `rule` must be those of the text.',
  ),
  plant_not_found: text('There is no plant with this id.', 'List the plants.'),
  notification_rule_not_found: text('There is no notification rule with this id.', 'List the rules.'),
  webhook_not_found: text('There is no webhook with this id.', 'List the webhooks.'),
  route_not_found: text(
    'There is no endpoint at this address.',
    'Compare the address with the reference; a setting of the service may have moved a group of endpoints.',
  ),
  method_not_allowed: text(
    'The address exists, but not with this method.',
    'Use one of the methods in the header `Allow`.',
  ),
  request_timeout: text(
    'The request did not arrive completely in time.',
    'Send it again, in smaller parts over a slow connection.',
  ),
  device_exists: text(
    'The id is taken by another device, which may have been removed.',
    'Choose another id, change the device that has it, or bring a removed one back with `POST …/restore` or `granary device restore`.',
  ),
  plant_exists: text('There is a plant with this id.', 'Choose another id.'),
  device_offline: text(
    'The device is not connected or has been silent for too long, so nothing was sent to it.',
    'Wait until its status is `online`; its `link` says what is known of its connection.',
  ),
  reading_stale: text(
    'The last reading of the device is too old to decide by.',
    'Wait for a new reading, or look after the sensor.',
  ),
  start_expired: text(
    'The start could not be sent before its expiry, so the device will not carry it out.',
    'Start again; nothing has moved.',
  ),
  proposal_not_open: text(
    'Somebody has decided about the proposal, or nobody did in time.',
    'Read the proposal; propose it again if it is still wanted.',
  ),
  too_many_proposals: text(
    'As many proposals as are allowed wait for a decision at this device.',
    'Wait until a person has decided, or until they have expired.',
  ),
  operation_in_progress: text(
    'Another operation occupies the device; the message names it.',
    'Wait for its end, or stop it.',
  ),
  mission_in_progress: text(
    'Another mission occupies the device at that time.',
    'Wait for its end, cancel it, or choose another time.',
  ),
  mission_not_running: text(
    'Only a running mission can be paused or resumed.',
    'Read the mission; it may not have begun, or may have ended.',
  ),
  emergency_stop_active: text(
    'An emergency stop is in force, so the device accepts nothing that moves it.',
    'Look at the device, then release the emergency stop.',
  ),
  no_base: text(
    'The device has no base, so it cannot return to one, neither by a command nor as a failsafe action.',
    'Set `base` in its configuration, or choose the failsafe actions `hold` or `continue`.',
  ),
  emergency_stop_unconfirmed: text(
    'The device has not confirmed that it stands still, so the emergency stop cannot be released.',
    'Wait for its confirmation; if it does not come, go and look at the device.',
  ),
  device_in_maintenance: text(
    'The device is in maintenance, so nothing may move.',
    'End the maintenance when nobody works at the device any more.',
  ),
  device_busy: text(
    'Something runs on the device, or may run; the message names it.',
    'Wait for its end or stop it, then repeat the request.',
  ),
  device_removed: text(
    'The device was removed.',
    'Its records stay readable; bring it back with `POST …/restore` or `granary device restore`, until they are purged.',
  ),
  device_not_removed: text(
    'The device was not removed, so there is nothing to bring back.',
    'Use it as it is; `POST …/credentials` gives it a new secret.',
  ),
  cannot_declare_ended: text(
    'The job cannot be declared ended, because the device may still report its end or begin it.',
    'The message says what to do first, such as a stop.',
  ),
  not_supported: text(
    'No device of this profile can do this.',
    'Use an endpoint that fits the profile of the device.',
  ),
  sensor_conflict: text(
    'The declared sensors contradict each other, those of the profile, or what is stored.',
    'Read `details`, and choose another `sensor_id` or the earlier unit.',
  ),
  notification_rule_limit_reached: text(
    'There are as many notification rules as the service accepts.',
    'Remove a rule, or let one rule match more.',
  ),
  webhook_disabled: text('The webhook is disabled.', 'Enable it, then repeat the request.'),
  report_schedule_limit_reached: text(
    'There are as many report schedules as the service keeps.',
    'Remove one.',
  ),
  view_limit_reached: text('This key has as many views as the service keeps.', 'Remove one.'),
  terminal_limit_reached: text(
    'There are as many terminals and displays as the service accepts.',
    'End one that is not used any more.',
  ),
  bridge_of_another_key: text(
    'The bridge belongs to another key.',
    'Use the key that was made for the bridge. If it has ended, let somebody who may configure give the bridge to a new one: PUT /v1/bridges/{bridge_id}/key.',
  ),
  bridge_limit_reached: text(
    'There are as many bridges, devices of a bridge, or requests that wait for it, as the service keeps.',
    'Remove bridges that are not used, or wait until the bridge has answered.',
  ),
  bridge_refused: text(
    'The bridge could not do what was asked.',
    'The message has its reason, for example a fault in its site file.',
  ),
  alarm_help_limit_reached: text('There are as many texts about alerts as the service keeps.', 'Remove one.'),
  webhook_limit_reached: text('There are as many webhooks as the service accepts.', 'Remove one.'),
  idempotency_in_progress: text(
    'The first request with this Idempotency-Key is still being carried out.',
    'Repeat the request after a moment with the same key; you get the first answer.',
  ),
  stale_version: text(
    'The resource was changed since the version in `If-Match`, so it was not changed again.',
    'Read it, decide again, and send the new `ETag`.',
  ),
  body_too_large: text('The body is larger than the endpoint accepts.', 'Send several smaller requests.'),
  unsupported_media_type: text(
    'The body is not in a media type that the endpoint accepts.',
    'Send JSON with `Content-Type: application/json`.',
  ),
  expectation_failed: text(
    'The request has an `Expect` header other than `100-continue`.',
    'Leave the header out.',
  ),
  critical_level_between_thresholds: text(
    'The critical level lies between the low and the high level.',
    'Set it below the low level, or above the high level.',
  ),
  rate_exceeds_limit: text(
    'The rate is higher than the configuration of the device allows.',
    'Ask for a lower rate, or change the limit.',
  ),
  insufficient_capacity: text(
    'The silo has no room for the amount.',
    'Ask for a smaller amount; the message says how much fits.',
  ),
  insufficient_stock: text(
    'The silo does not contain the amount.',
    'Ask for a smaller amount; the message says how much there is.',
  ),
  invalid_geofence: text(
    'The geofence is not a simple polygon, or leaves out the base.',
    'Correct the points; `details` says which.',
  ),
  outside_geofence: text(
    'A position or a part of the way is outside the geofence.',
    'Change the way or the geofence.',
  ),
  mission_infeasible: text(
    'The device cannot carry out the mission, for example because its battery does not suffice.',
    'Shorten the mission or charge the device; `details` has the figures.',
  ),
  notification_target_unusable: text(
    'A target of the rule cannot be reached, for example because no mail server is set.',
    'Read `details`, and correct the target or the settings of the service.',
  ),
  webhook_target_refused: text(
    'The address of the webhook is not allowed, for example because it is private.',
    'Use a public https address, or allow private addresses in the settings.',
  ),
  idempotency_key_reused: text(
    'The Idempotency-Key was used for another request.',
    'Use a new key for each new request.',
  ),
  apply_refused: text(
    'A document, a change of many devices or a file of devices asks for something that the service would refuse in a single request.',
    'Read `details`: it lists every fault with its place. Nothing was changed.',
  ),
  rate_limited: text(
    'The key has sent more requests than it may in this time, or too many requests of the caller wait to be worked on.',
    'Wait for as many seconds as `Retry-After` says. Stops are never limited.',
  ),
  headers_too_large: text(
    'The headers of the request are larger than the service accepts.',
    'Send fewer or shorter headers.',
  ),
  stream_limit_reached: text(
    'The key, or the service, has as many event streams open as it may.',
    'Close streams that nobody reads; one stream can follow many devices.',
  ),
  export_limit_reached: text(
    'The key, or the service, has as many exports running as it may.',
    'Repeat the request when one of them has ended.',
  ),
  too_many_failed_logins: text(
    'The key or the sign-in link is not valid, and neither were many others from this address.',
    'Correct it, and wait for as many seconds as `Retry-After` says. A valid key is served at any time.',
  ),
  too_many_connections: text(
    'Too many connections are open.',
    'Close connections that are not used, and try again later.',
  ),
  service_stopping: text(
    'The service is ending and serves stops only.',
    'Repeat the request when it has started again, or on another node.',
  ),
  storage_unavailable: text(
    'The database does not answer, so the outcome of a change may be unknown.',
    'Repeat the request with the same Idempotency-Key. A stop is sent to the device even so.',
  ),
  storage_full: text(
    'The disk of the database is full, so nothing can be stored.',
    'Tell whoever runs the service. A stop is sent to the device even so.',
  ),
  ingest_busy: text(
    'More readings are waiting to be written than the service accepts.',
    'Send them again after as many seconds as `Retry-After` says.',
  ),
  bridge_not_answering: text(
    'The bridge did not answer in time: it does not run, cannot reach the service, or is busy with a slow device.',
    'Look at `reported_at` of the bridge and at its log. What was asked is not repeated later.',
  ),
  broker_unavailable: text(
    'The external broker of the devices did not take the credentials of a device.',
    'Repeat the request with the same Idempotency-Key; the message says whether something was stored.',
  ),
  internal_error: text(
    'The service has a fault.',
    'Report it with the request id; the log of the service has the details under it.',
  ),
};
