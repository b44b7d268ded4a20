import { createClient } from '@granary/client';
import { ALIVE_EVERY_MS, StreamHub, type WindowMessage } from './stream-hub.ts';

/** The script of the worker that all windows of a browser share. */
const hub = new StreamHub(createClient({ baseUrl: location.origin }));

setInterval(() => hub.sayAlive(), ALIVE_EVERY_MS);

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  port.addEventListener('message', ({ data }: MessageEvent<WindowMessage>) => hub.take(port, data));
  port.start();
  hub.open(port);
});
