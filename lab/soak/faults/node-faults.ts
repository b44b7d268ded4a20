import { glob } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SoakNode } from '../site/soak-node.ts';
import type { Fault, FaultParts } from './fault.ts';

const AWAY_MS = 8_000;
const CUT_MS = 12_000;
const SKEW = '+60s';
const SKEWED_MS = 25_000;
const STALL_TRIES = 100;
const STALL_PAUSE_MS = 250;
const STALL_SEEN_MS = 400;

const othersThan = ({ site }: FaultParts, node: SoakNode): SoakNode[] =>
  site.nodes.filter((other) => other !== node);

export const killNode: Fault = {
  name: 'kill-node',
  description: 'each node in turn is ended by `kill -9` under load, and started again 8 s later',
  run: async (parts) => {
    for (const node of parts.site.nodes) {
      await node.kill();
      await parts.recovered(othersThan(parts, node));
      await sleep(AWAY_MS);
      await node.start();
      await parts.recovered();
    }
  },
};

export const cutNetwork: Fault = {
  name: 'cut-network',
  description: 'for 12 s nothing passes between one node and the database, and no connection is closed',
  run: async (parts) => {
    parts.site.proxy.stall();
    await sleep(CUT_MS);
    parts.site.proxy.resume();
    await parts.recovered();
  },
};

export const dieInTransaction: Fault = {
  name: 'die-in-transaction',
  description:
    'a node dies with open transactions, and the database is not told, as when a machine loses its power: its connections stay open and silent',
  run: async (parts) => {
    const { proxy, proxiedNode } = parts.site;
    await stallInTransaction(parts);
    await proxiedNode.kill();
    proxy.abandon();
    await parts.recovered(othersThan(parts, proxiedNode));
    await proxiedNode.start();
    await parts.recovered();
  },
};

/** Cuts the node off in a moment in which it has begun a transaction. */
async function stallInTransaction({ site: { proxy }, database }: FaultParts): Promise<void> {
  for (let tries = 0; tries < STALL_TRIES; tries++) {
    proxy.stall();
    await sleep(STALL_SEEN_MS);
    if ((await database.abandonedTransactions()) > 0) return;
    proxy.resume();
    await sleep(STALL_PAUSE_MS);
  }
  throw new Error('no transaction was open in any attempt');
}

export const skewClock: Fault = {
  name: 'skew-clock',
  description:
    'one node is restarted with a clock that is a minute ahead (libfaketime), works for 25 s, and is restarted with the right one',
  run: async (parts) => {
    const node = parts.site.nodes[1];
    if (node === undefined) throw new Error('there is no second node');
    const restart = async (env: Readonly<Record<string, string>>): Promise<void> => {
      await node.stop();
      await node.start(env);
      await parts.recovered();
    };
    await restart({ LD_PRELOAD: await fakeTimeLibrary(), FAKETIME: SKEW, FAKETIME_DONT_FAKE_MONOTONIC: '1' });
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    const aheadS = Number(/^granary_clock_ahead_seconds (\S+)/m.exec(metrics)?.[1]);
    if (!(aheadS > 50 && aheadS < 70)) throw new Error(`the clock of the node is ${aheadS} s ahead`);
    await sleep(SKEWED_MS);
    await restart({});
  },
};

async function fakeTimeLibrary(): Promise<string> {
  const [library] = await Array.fromAsync(glob('/usr/lib/*/faketime/libfaketimeMT.so.1'));
  if (library === undefined) throw new Error('libfaketime is not there: install the package faketime');
  return library;
}

export const dueTogether: Fault = {
  name: 'same-due-work',
  description: 'missions and alerts become due on all nodes at the same moment',
  run: async (parts) => {
    await parts.dueTogether();
    await parts.recovered();
  },
};
