import { workerData } from 'node:worker_threads';
import '@granary/server/devices/link/link-thread';

/** A thread of the device link that fails when it is told to drop cached sensors. */
workerData.calls.port.on('message', ({ call }: { readonly call?: string }) => {
  if (call === 'forgetSensors') throw new Error('a fault of the thread');
});
