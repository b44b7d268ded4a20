import type { Fault } from './fault.ts';

export const restartBroker: Fault = {
  name: 'restart-broker',
  description: 'Mosquitto is ended by SIGTERM and started again at once',
  run: async ({ site, recovered }) => {
    await site.broker.end();
    await site.broker.restart();
    await recovered();
  },
};
