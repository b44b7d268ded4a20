/** A silo as a device of Granary. Usage: node silo-device.mjs HOST PORT DEVICE_ID SECRET MEMORY_FILE */
import { connect } from 'mqtt';
import { Hardware } from './silo-hardware.mjs';

const [host, port, deviceId, secret, memoryFile] = process.argv.slice(2);
const topic = `granary/v1/${deviceId}/`;
const hardware = new Hardware(memoryFile);
/** The operations that have begun or were refused; none of them begins again. */
const operations = new Map(hardware.load());
let running = null;
let intervalS = 10;
let reportedAt = Number.NEGATIVE_INFINITY;

const publish = (subject, payload, done) =>
  client.publish(topic + subject, JSON.stringify(payload), { qos: 1, retain: subject === 'status' }, done);

function remember(id, state, amountKg = 0, reason = '') {
  operations.set(id, { state, amount_kg: Number(amountKg.toFixed(3)), reason });
  hardware.save([...operations].slice(-64));
}

function report(id) {
  const operation = operations.get(id) ?? { state: 'unknown', amount_kg: 0 };
  const isCutOff = operation.state === 'running' && id !== running;
  const state = isCutOff ? { state: 'failed', reason: 'the device was restarted' } : {};
  publish('progress', { operation_id: id, ts: Date.now(), ...operation, ...state });
}

function begin({ operation_id: id, type, rate_kg_per_min: rate, max_duration_s: limitS, ...start }) {
  const limitKg = Math.min(start.amount_kg, start.max_amount_kg);
  if (!(limitKg > 0 && rate > 0 && limitS > 0)) throw new Error('a start without its bounds');
  // A time that cannot be read is not in time.
  const isInTime = Date.now() <= Date.parse(start.expires_at);
  if (!operations.has(id)) {
    if (!isInTime || running !== null) {
      remember(id, 'unknown', 0, isInTime ? `${running} is running` : 'the start has expired');
    } else {
      remember(id, 'running'); // The start is stored before anything moves, so the operation cannot begin a second time.
      running = id;
      hardware.openGate(type, rate, limitKg, limitS);
    }
  }
  const { state, reason } = operations.get(id);
  publish('ack', { operation_id: id, accepted: state !== 'unknown', reason });
}

function end(state, reason) {
  hardware.closeGate(); // The gate is closed first.
  const id = running;
  running = null;
  reportedAt = Number.NEGATIVE_INFINITY; // This makes a reading follow at once, with which the service compares the amount.
  remember(id, state, hardware.movedKg, reason);
  report(id);
}

function obey({ command, ...content }) {
  if (command === 'start') begin(content);
  else if (command === 'stop' && content.operation_id === running) end('stopped');
  else if (command === 'stop' || command === 'report') report(content.operation_id);
}

const client = connect(`mqtt://${host}:${port}`, {
  clientId: deviceId,
  username: deviceId,
  password: secret,
  clean: true,
  keepalive: 30,
  reconnectPeriod: 1000,
  reconnectOnConnackError: true,
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
  const reading = hardware.read();
  if (running !== null && !hardware.isOpen) {
    if (hardware.movedKg >= hardware.limitKg) end('completed');
    else end('failed', 'max_duration_s has passed');
  }
  const everyS = running === null ? intervalS : Math.min(1, intervalS);
  if (performance.now() - reportedAt < everyS * 1000) return;
  reportedAt = performance.now();
  publish('telemetry', { ts: Date.now(), ...reading });
  if (running === null) return;
  remember(running, 'running', hardware.movedKg);
  report(running);
}, 100);
function switchOff() {
  clearInterval(timer);
  if (running !== null) end('failed', 'the device was switched off');
  if (client.connected) publish('status', { state: 'offline' }, () => client.end());
  else client.end(true);
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, switchOff);
