import { alerts, configuration, devices, health, lifeCycle, readings } from './device-steps.ts';
import { commands, missions, operations } from './job-steps.ts';
import {
  alarmHelp,
  bridges,
  dataExports,
  events,
  faults,
  fleet,
  keys,
  notifications,
  people,
  plants,
  reports,
  session,
  shifts,
  views,
  webhooks,
} from './service-steps.ts';
import { ROVER, type ServiceAddress, SILO, TourClient, TourDevice, type TourStep } from './tour-client.ts';

export const RECORDED_ANSWERS = new URL('./answers.jsonl', import.meta.url);

/** Calls every endpoint with valid and invalid requests, in a fixed order, on an empty service. */
export async function tourAnswers(address: ServiceAddress): Promise<TourStep[]> {
  const client = new TourClient(address);
  await health(client);
  await devices(client);
  const connect = async (path: string): Promise<TourDevice> => {
    const { username, secret } = (await client.step('POST', `${path}/credentials`)).body.data;
    return await TourDevice.connect(address.mqttUrl, username, secret);
  };
  const tour = { client, silo: await connect(SILO), rover: await connect(ROVER) };
  try {
    await readings(tour);
    await operations(tour);
    await configuration(tour);
    await alerts(tour);
    await commands(tour);
    await missions(tour);
    await keys(client);
    await plants(client);
    await events(client);
    await faults(client);
    await fleet(client);
    await shifts(client);
    await people(client);
    await reports(client);
    await views(client);
    await bridges(client);
    await alarmHelp(client);
    await dataExports(client);
    await notifications(client);
    await webhooks(client);
    await lifeCycle(client);
    await session(client);
  } finally {
    await tour.silo.leave();
    await tour.rover.leave();
  }
  return client.steps;
}
