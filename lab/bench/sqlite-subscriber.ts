import { fork } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { MINUTE_MS } from '@granary/contract/time';
import { connectAsync } from 'mqtt';
import { endProcess } from './generator.ts';

const BATCH = 1_000;
const BATCH_MS = 100;
const STORED_MS_MAX = 5 * MINUTE_MS;

const CREATE = `PRAGMA journal_mode = WAL;
CREATE TABLE readings (device TEXT, ts INTEGER, weight REAL, temperature REAL, humidity REAL, PRIMARY KEY (device, ts)) WITHOUT ROWID`;
const INSERT = 'INSERT OR REPLACE INTO readings VALUES (?, ?, ?, ?, ?)';

interface Subscription {
  readonly port: number;
  readonly file: string;
}

export interface Subscriber {
  /** Resolves when this many more messages are stored. */
  untilStored(more: number): Promise<void>;
  stop(): Promise<void>;
}

/** A program as a user would build it beside a broker: it subscribes to all readings and writes them to SQLite in batches. */
export async function startSubscriber(subscription: Subscription): Promise<Subscriber> {
  const child = fork(import.meta.filename);
  const answerTo = async (message: Subscription | number): Promise<void> => {
    const answered = once(child, 'message', { signal: AbortSignal.timeout(STORED_MS_MAX) });
    child.send(message);
    await answered;
  };
  await answerTo(subscription);
  let total = 0;
  const untilStored = (more: number): Promise<void> => {
    total += more;
    return answerTo(total);
  };
  return { untilStored, stop: () => endProcess(child) };
}

interface Reading {
  readonly ts: number;
  readonly weight: number;
  readonly temperature: number;
  readonly humidity: number;
}

/** Answers when it has subscribed, and then answers each number as soon as this many messages are stored. */
async function subscribe({ port, file }: Subscription): Promise<void> {
  const database = new DatabaseSync(file);
  database.exec(CREATE);
  const insert = database.prepare(INSERT);
  let waiting: { readonly device: string; readonly reading: Reading }[] = [];
  let stored = 0;
  let expected = Number.POSITIVE_INFINITY;
  const store = (): void => {
    if (waiting.length > 0) {
      database.exec('BEGIN');
      for (const { device, reading } of waiting)
        insert.run(device, reading.ts, reading.weight, reading.temperature, reading.humidity);
      // The commit is synchronised with the disk, like the commits of the service.
      database.exec('COMMIT');
    }
    stored += waiting.length;
    waiting = [];
    if (stored < expected) return;
    expected = Number.POSITIVE_INFINITY;
    process.send?.('stored');
  };
  setInterval(store, BATCH_MS);
  process.on('message', (count: number) => {
    expected = count;
    store();
  });
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { clientId: 'subscriber', clean: false });
  client.on('message', (topic, payload) => {
    waiting.push({
      device: topic.split('/').at(-2) ?? '',
      reading: JSON.parse(payload.toString()) as Reading,
    });
    if (waiting.length >= BATCH) store();
  });
  await client.subscribeAsync('#', { qos: 1 });
  process.send?.('subscribed');
}

if (import.meta.main) {
  process.once('message', (subscription: Subscription) => void subscribe(subscription));
  // The parent process has ended.
  process.once('disconnect', () => process.exit());
}
