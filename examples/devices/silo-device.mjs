/** A silo as a device of Granary. Usage: node silo-device.mjs HOST PORT DEVICE_ID SECRET MEMORY_FILE */
import { connect } from 'mqtt';
import { Hardware } from './silo-hardware.mjs';

const [host, port, deviceId, secret, memoryFile] = process.argv.slice(2);
const topic = `granary/v1/${deviceId}/`;
const hardware = new Hardware(memoryFile);
/** Those that have begun or were refused: none of them begins again. */
const operations = new Map(hardware.load());
let running = null;
let intervalS = 10;
let reportedAt = Number.NEGATIVE_INFINITY;

function remember(id, operation) {
  operations.set(id, operation);
  hardware.save([...operations].slice(-64));
}

const publish = (subject, payload, done) =>
  client.publish(topic + subject, JSON.stringify(payload), { qos: 1, retain: subject === 'status' }, done);

const inGrams = (kg) => Number(kg.toFixed(3));

function report(id) {
  let operation = operations.get(id) ?? { state: 'unknown', amount_kg: 0 };
  if (running?.id === id) operation = { ...operation, amount_kg: inGrams(hardware.movedKg) };
  else if (operation.state === 'running') {
    operation = { ...operation, state: 'failed', reason: 'the device was restarted' };
  }
  publish('progress', { operation_id: id, ...operation, ts: Date.now() });
}

/** A time that cannot be read counts as past. */
function reasonToRefuse(expiresAt) {
  if (!(Date.now() <= Date.parse(expiresAt))) return 'the start has expired';
  return running === null ? null : `${running.id} is running`;
}

function begin({ operation_id: id, type, ...start }) {
  const limitKg = Math.min(start.amount_kg, start.max_amount_kg);
  const { rate_kg_per_min: rate, max_duration_s: limitS } = start;
  if (!(limitKg > 0 && rate > 0 && limitS > 0)) throw new Error('a start without bounds');
  if (!operations.has(id)) {
    const reason = reasonToRefuse(start.expires_at);
    const outcome = reason === null ? { state: 'running' } : { state: 'unknown', reason };
    remember(id, { ...outcome, type, amount_kg: 0 }); // Before anything moves.
    if (reason === null) {
      running = { id, limitKg, endsAt: performance.now() + limitS * 1000 };
      hardware.openGate(type, rate, limitKg, limitS);
    }
  }
  const { state, reason = '' } = operations.get(id);
  publish('ack', { operation_id: id, accepted: state !== 'unknown', reason });
}

function end(state, reason = '') {
  hardware.closeGate(); // Before anything else.
  const { id } = running;
  running = null;
  remember(id, { ...operations.get(id), state, reason, amount_kg: inGrams(hardware.movedKg) });
  report(id);
}

function obey({ command, ...content }) {
  if (command === 'start') begin(content);
  else if (command === 'stop' && running?.id === content.operation_id) end('stopped');
  else if (command === 'stop' || command === 'report') report(content.operation_id);
}

const client = connect(`mqtt://${host}:${port}`, {
  ...{ clientId: deviceId, username: deviceId, password: secret, clean: true, keepalive: 30 },
  ...{ reconnectPeriod: 1000, reconnectOnConnackError: true },
  will: { topic: `${topic}status`, payload: '{"state":"offline"}', qos: 1, retain: true },
});
client.on('error', (error) => console.error(error.message));
client.on('reconnect', () => {
  client.options.reconnectPeriod = Math.min(30_000, client.options.reconnectPeriod * (1.5 + Math.random()));
});
client.on('connect', () => {
  client.options.reconnectPeriod = 1000;
  client.subscribe([`${topic}command`, `${topic}config`], { qos: 1 });
  publish('status', { state: 'online' });
});
client.on('message', (from, payload) => {
  try {
    const content = JSON.parse(payload.toString());
    if (from === `${topic}config`) intervalS = content.reporting.interval_s;
    else obey(content);
  } catch (error) {
    console.error('ignored', payload.toString(), error);
  }
});
const timer = setInterval(() => {
  const reading = { ts: Date.now(), ...hardware.read() };
  if (running !== null && hardware.movedKg >= running.limitKg) end('completed');
  else if (running !== null && performance.now() > running.endsAt) {
    end('failed', 'it took longer than max_duration_s');
  }
  const everyS = running === null ? intervalS : Math.min(1, intervalS);
  if (performance.now() - reportedAt < everyS * 1000) return;
  reportedAt = performance.now();
  publish('telemetry', reading);
  if (running !== null) report(running.id);
}, 100);
function switchOff() {
  clearInterval(timer);
  if (running !== null) end('failed', 'the device was switched off');
  if (client.connected) publish('status', { state: 'offline' }, () => client.end());
  else client.end(true);
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, switchOff);
