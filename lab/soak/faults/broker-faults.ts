import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.ts';

const RESTARTS = 5;
const BETWEEN_MS = 2_000;

export const restartBroker: Fault = {
  name: 'restart-broker',
  description: `Mosquitto is ended by SIGTERM and started again at once, ${RESTARTS} times; devices publish before a node has connected again`,
  run: async ({ site, recovered }) => {
    for (let count = 0; count < RESTARTS; count++) {
      await site.broker.end();
      await site.broker.restart();
      await sleep(BETWEEN_MS);
    }
    await recovered();
  },
};
