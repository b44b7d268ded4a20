// Prints every new alert and acknowledges it: node react-to-alerts.mjs position.txt
// The position file holds the last event that was dealt with, so that no alert is missed while this program does not run.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createClient } from '@granary/client';

const { GRANARY_URL: baseUrl = 'http://127.0.0.1:8080', GRANARY_API_KEY: apiKey = '' } = process.env;
const [positionFile = 'position.txt'] = process.argv.slice(2);
const client = createClient({ baseUrl, apiKey });

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopped.abort());

async function storedPosition() {
  const text = await readFile(positionFile, 'utf8').catch(() => '');
  return text.trim() === '' ? {} : { lastEventId: Number(text) };
}

async function storePosition(id) {
  await writeFile(`${positionFile}.new`, `${id}\n`);
  await rename(`${positionFile}.new`, positionFile);
}

async function react({ device_id, data }) {
  console.log(`${data.severity} alert on ${device_id}: ${data.message}`);
  // Replace this by the action that your site needs: a lamp, a pump, a message.
  const group = (await client.fleet.devices({ q: device_id })).data.find(
    (one) => one.device_id === device_id,
  )?.group;
  if (group === undefined) return;
  await client.alerts[group].acknowledge(device_id, data.alert_id, { acknowledged_by: 'react-to-alerts' });
}

console.log('waiting for alerts; Ctrl-C ends this');
const filter = { types: ['alert.raised'], signal: stopped.signal, ...(await storedPosition()) };
const onConnection = ({ isConnected }) => console.log(isConnected ? 'connected' : 'disconnected');
for await (const item of client.events.stream({ ...filter, onConnection })) {
  if (item.kind === 'reset') {
    console.log('events were missed that are no longer stored: look at the open alerts');
    await storePosition(item.bounds.newest);
    continue;
  }
  await react(item.event);
  // The position is stored afterwards: after a crash the last alert is handled again, but none is missed.
  await storePosition(item.event.id);
}
