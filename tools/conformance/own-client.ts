import { createClient } from '@granary/client';
import type { DemoService } from './demo-service.ts';
import { Prism } from './prism.ts';

/** The calls of our client pass through Prism, too; its event stream does not, because Prism waits for the end of an answer. */
export async function ownClientTour(document: string, { httpUrl, adminKey }: DemoService): Promise<string[]> {
  const prism = await Prism.start(document, httpUrl);
  const client = createClient({ baseUrl: prism.url, apiKey: adminKey });
  try {
    let devices = 0;
    for await (const _ of client.fleet.devicesAll({ limit: '4' })) devices++;
    await client.telemetry.current('silo-04');
    await client.telemetry.history('silo-04', { sensor: 'level', interval: '1h' });
    let readings = 0;
    for await (const _ of client.exports.readings({ device_id: 'silo-04', sensor: 'weight' })) readings++;
    const { operation_id: id } = await client.operations.feed('silo-04', { amount: 5, unit: 'kg' });
    await client.operations.stop('silo-04', id);
    const operation = await client.operations.get('silo-04', id);
    console.log(`  ${devices} devices, ${readings} readings, an operation that is ${operation.status}`);
    return prism.violations;
  } finally {
    await prism.stop();
  }
}
