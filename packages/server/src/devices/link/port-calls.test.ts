import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { Refusal } from '@granary/contract/errors';
import { PortCalls, type PortMessage } from './port-calls.ts';

interface Counter {
  add(count: number): number;
  addLater(count: number): Promise<number>;
  tellNothing(): void;
  refuse(): number;
  failOddly(): Promise<void>;
}

const KINDS = {
  add: 'asked',
  addLater: 'asked',
  tellNothing: 'told',
  refuse: 'asked',
  failOddly: 'asked',
} as const;

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
    tellNothing: () => {
      added.push(1);
      throw new Error('nobody waits for it');
    },
    refuse: () => {
      throw new Refusal('ingest_busy', 'too many');
    },
    failOddly: () => Promise.reject(new Error('odd', { cause: () => 'a function cannot pass' })),
  };
  const there = new PortCalls({}, (message) => port2.postMessage(message));
  port2.on('message', (message: PortMessage) => there.receive(message, [counter]));
  const here = new PortCalls<Counter, typeof KINDS>(KINDS, (message) => port1.postMessage(message));
  port1.on('message', (message: PortMessage) => here.receive(message, []));
  return { here, counter: here.remote, added };
}

it('calls run in their order, and each gets its own result', async (t) => {
  const { counter, added } = connect(t);
  assert.equal(counter.tellNothing(), undefined);
  const results = [counter.addLater(2), counter.add(3)];
  assert.deepEqual(await Promise.all(results), [3, 6]);
  assert.deepEqual(added, [1, 2, 3]);
});

it('an error keeps its code, and affects no other call', async (t) => {
  const { counter } = connect(t);
  await assert.rejects(counter.refuse(), (error) => error instanceof Refusal && error.code === 'ingest_busy');
  assert.equal(await counter.add(1), 1);
});

it('an error that cannot pass between threads becomes one that can', async (t) => {
  const { counter } = connect(t);
  await assert.rejects(counter.failOddly(), /odd/);
  assert.equal(await counter.add(1), 1);
});

it('calls whose answer cannot come any more fail', async (t) => {
  const { here, counter } = connect(t);
  const asked = counter.add(1);
  here.end(new Error('the thread has ended'));
  await assert.rejects(asked, /has ended/);
});
