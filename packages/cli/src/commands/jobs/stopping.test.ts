import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnreachableError } from '@granary/client';
import type { Environment } from '../../program/environment.ts';
import { CommandFailure } from '../../program/explain.ts';
import { repeatUntilConfirmed } from './stopping.ts';

const AWAY = new UnreachableError('http://127.0.0.1:27180', { cause: new Error('refused') });

/** Sends a stop with a clock that advances only while the command waits. */
function stopWith(answers: readonly (boolean | Error)[], timeoutMs?: number) {
  const lines: string[] = [];
  let nowMs = 0;
  let sent = 0;
  const clock = {
    now: () => nowMs,
    pause: async (ms: number) => {
      nowMs += ms;
    },
  };
  const environment = { printError: (line: string) => lines.push(line) } as unknown as Environment;
  const result = repeatUntilConfirmed(
    'The stop of rover-01',
    async () => {
      const answer = answers[Math.min(sent++, answers.length - 1)];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    (isConfirmed) => isConfirmed === true,
    environment,
    { timeoutMs, clock },
  );
  return { result, lines };
}

test('a stop that does not reach the service names its address, says what else to do, and repeats its line', async () => {
  const { result, lines } = stopWith([...Array<Error>(12).fill(AWAY), true]);
  await result;
  const trouble = 'cannot reach http://127.0.0.1:27180: refused; sending it again';
  assert.deepEqual(
    lines.map((line) =>
      line.replace(/^ {2}If it has to stand still now, press the stop at the device.*/, 'advice'),
    ),
    [
      `The stop of rover-01 is NOT CONFIRMED: ${trouble}`,
      'advice',
      `The stop of rover-01 is NOT CONFIRMED after 5 s: ${trouble}`,
      `The stop of rover-01 is NOT CONFIRMED after 10 s: ${trouble}`,
    ],
  );
  assert.match(lines[1] ?? '', /--url.*--timeout 30s/);
});

test('after its time limit a stop says what is missing, with exit code 4 without the service and 1 without the device', async () => {
  const failureOf = async (answer: boolean | Error): Promise<string> => {
    const failure = await stopWith([answer], 2_500).result.catch((error: unknown) => error);
    assert.ok(failure instanceof CommandFailure, String(failure));
    return `${failure.exitCode} ${failure.message} ${failure.cure}`;
  };
  assert.match(
    await failureOf(AWAY),
    /^4 The stop of rover-01 is NOT CONFIRMED after 3 s: cannot reach http:\/\/127\.0\.0\.1:27180: refused Press the stop at the device/,
  );
  assert.match(
    await failureOf(false),
    /^1 The stop of rover-01 is NOT CONFIRMED after 3 s Press the stop at the device\. The service goes on/,
  );
});
