import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Refusal } from '@granary/contract/errors';
import { readJson } from '@granary/contract/input/json';
import { SECOND_MS } from '@granary/contract/time';
import { LATE, within } from '@granary/store/within';

export type YamlJob = { readonly yaml: string } | { readonly value: unknown };
export type YamlOutcome = { readonly text: string } | { readonly fault: string };

const YAML_MS_MAX = 20 * SECOND_MS;

/** Reads a document with the limits of JSON. */
export async function readYaml(yaml: string): Promise<unknown> {
  const outcome = await inTurn({ yaml });
  if ('fault' in outcome) throw new Refusal('malformed_yaml', `the body is not valid YAML: ${outcome.fault}`);
  return readJson(outcome.text);
}

export async function writeYaml(value: unknown): Promise<string> {
  const outcome = await inTurn({ value });
  if ('fault' in outcome) throw new Error(outcome.fault);
  return outcome.text;
}

let lastTurn: Promise<unknown> = Promise.resolve();

/** One at a time, because reading a document of 1 MiB takes up to 200 MB of memory. */
async function inTurn(job: YamlJob): Promise<YamlOutcome> {
  const outcome = lastTurn.then(() => runThread(job));
  lastTurn = outcome.catch(() => undefined);
  return await outcome;
}

/** In a thread of its own, because a document of 1 MiB would hold all other requests for seconds. */
async function runThread(workerData: YamlJob): Promise<YamlOutcome> {
  const thread = new Worker(new URL('./yaml-thread.ts', import.meta.url), { workerData });
  try {
    const answered = await within(YAML_MS_MAX, once(thread, 'message'));
    if (answered === LATE) return { fault: 'it takes too long to read' };
    const [outcome] = answered as [YamlOutcome];
    return outcome;
  } finally {
    await thread.terminate();
  }
}
