import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { STOP_CONFIRMATION_MS_MAX as EMERGENCY_STOP_MS_MAX } from '../commands/emergency-stop.ts';
import { COMMAND_RULES, COMMAND_TIMEOUT_MS } from '../commands/state.ts';
import { MOTION_EXPIRY_MS, REPORT_SPACING_MS, STOP_RESEND_MS } from '../jobs/polling.ts';
import { HALT_CONFIRMATION_MS_MAX, START_ANSWER_MS_MAX, UPLOAD_ANSWER_MS_MAX } from '../missions/steps.ts';
import { STOP_CONFIRMATION_MS_MAX as OPERATION_STOP_MS_MAX } from '../operations/declared-end.ts';
import { START_EXPIRY_MS } from '../operations/interlocks.ts';
import { ACK_TIMEOUT_MS } from '../operations/transitions.ts';
import { OVERRUN_MARGIN_MS } from '../operations/watchdog.ts';
import { FRESHNESS_MS } from './status.ts';

const PAGE = readFileSync(new URL('../../../../docs/devices.md', import.meta.url), 'utf8');

const seconds = (ms: number): string => `${ms / SECOND_MS} s`;

/** The first cells of each row. */
const DEADLINES: readonly (readonly [what: string, time: string])[] = [
  [
    '`start`, `execute`, `mission_start`, `mission_resume`',
    `${seconds(MOTION_EXPIRY_MS)} (\`hold\`: ${(COMMAND_RULES.hold.expiryMs ?? 0) / MINUTE_MS} min)`,
  ],
  ['`ack` of `start`', seconds(ACK_TIMEOUT_MS)],
  [
    '`ack` of `mission_upload`',
    `${seconds(UPLOAD_ANSWER_MS_MAX)}, counted from the start of the mission or from the first upload, whichever is later`,
  ],
  ['`progress` of what runs', seconds(REPORT_SPACING_MS)],
  ['`progress` of an operation', seconds(FRESHNESS_MS)],
  ['`progress` of a command', seconds(COMMAND_TIMEOUT_MS)],
  ['answer to `mission_start`', seconds(START_ANSWER_MS_MAX)],
  [
    'answer to `stop`, `mission_pause`, `mission_cancel`',
    `repeated every second; ${seconds(HALT_CONFIRMATION_MS_MAX)}`,
  ],
  ['answer to `emergency_stop`', `repeated every second; ${seconds(EMERGENCY_STOP_MS_MAX)}`],
  ['an operation', `\`max_duration_s\` and ${seconds(OVERRUN_MARGIN_MS)}`],
];

describe('the deadlines in the device maker’s guide', () => {
  for (const [what, time] of DEADLINES) {
    it(`${what}: ${time}`, () => assert.ok(PAGE.includes(`\n| ${what} | ${time} |`)));
  }

  it('are the same where one row stands for several', () => {
    assert.equal(START_EXPIRY_MS, MOTION_EXPIRY_MS);
    assert.equal(OPERATION_STOP_MS_MAX, HALT_CONFIRMATION_MS_MAX);
    assert.equal(STOP_RESEND_MS, SECOND_MS);
  });
});
