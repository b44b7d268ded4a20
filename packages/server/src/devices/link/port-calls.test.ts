import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { Refusal } from '@granary/contract/errors';
import { PortCalls, type PortMessage } from './port-calls.ts';

interface Counter {
  add(count: number): number;
  addLater(count: number): Promise<number>;
  refuse(): void;
  failOddly(): Promise<void>;
}

/** Two ends that exchange real messages. */
function connect(t: { after(work: () => void): void }) {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const added: number[] = [];
  const sum = (count: number): number => {
    added.push(count);
    return added.reduce((total, one) => total + one, 0);
  };
  const counter: Counter = {
    add: sum,
    addLater: async (count) => sum(count),
    refuse: () => {
      throw new Refusal('ingest_busy', 'too many');
    },
    failOddly: () => Promise.reject(new Error('odd', { cause: () => 'a function cannot pass' })),
  };
  const there = new PortCalls(counter, (message) => port2.postMessage(message));
  port2.on('message', (message: PortMessage) => there.receive(message));
  const here = new PortCalls<Counter>({}, (message) => port1.postMessage(message));
  port1.on('message', (message: PortMessage) => here.receive(message));
  return { here, added };
}

it('calls run in their order, and each gets its own result', async (t) => {
  const { here, added } = connect(t);
  here.tell('add', 1);
  const results = [here.ask('addLater', 2), here.ask('add', 3)];
  assert.deepEqual(await Promise.all(results), [3, 6]);
  assert.deepEqual(added, [1, 2, 3]);
});

it('an error keeps its code, and affects no other call', async (t) => {
  const { here } = connect(t);
  here.tell('refuse');
  await assert.rejects(
    here.ask('refuse'),
    (error) => error instanceof Refusal && error.code === 'ingest_busy',
  );
  assert.equal(await here.ask('add', 1), 1);
});

it('an error that cannot pass between threads becomes one that can', async (t) => {
  const { here } = connect(t);
  await assert.rejects(here.ask('failOddly'), /odd/);
  assert.equal(await here.ask('add', 1), 1);
});

it('calls whose answer cannot come any more fail', async (t) => {
  const { here } = connect(t);
  const asked = here.ask('add', 1);
  here.end(new Error('the thread has ended'));
  await assert.rejects(asked, /has ended/);
});
