import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { FleetDevice } from '@granary/contract/fleet';
import type { IcarFeedStorage } from '@granary/contract/icar';
import { toIso } from '@granary/contract/time';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { selectionOf } from './fleet/selection.ts';
import { pageOf, readPage } from './protocol/answers.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

const SOURCE = 'org.granary';

export function icarRoutes(
  routes: FastifyInstance,
  { reads, directory, now, settings }: Parts<'settings' | 'reads' | 'directory' | 'now'>,
): void {
  const kilograms = (value: number) => ({ unitCode: 'KGM' as const, value });

  async function resourceOf(
    request: FastifyRequest,
    { device_id, name, status, location, readings }: FleetDevice,
  ): Promise<IcarFeedStorage[]> {
    const device = await directory.findBy(reads(request), device_id);
    if (device === undefined || device.capacityKg === null) return [];
    const { configuration } = (await reads(request).configuration.get(device.deviceNo)) ?? {};
    const product =
      configuration !== undefined && 'product' in configuration ? configuration.product : undefined;
    const weight = readings?.['weight'];
    return [
      {
        resourceType: 'icarFeedStorageResource',
        id: device_id,
        name,
        softwareVersion: device.firmwareVersion,
        isActive: status === 'online',
        location: { id: location.facility, scheme: `${SOURCE}.facility` },
        meta: { source: SOURCE, sourceId: device_id, modified: weight?.timestamp ?? toIso(now()) },
        ...(product === undefined ? {} : { feedId: product.name }),
        capacity: kilograms(device.capacityKg),
        ...(weight === undefined || weight.quality === 'bad'
          ? {}
          : { quantityAvailable: kilograms(Math.max(0, weight.value)) }),
      },
    ];
  }

  register(routes, endpoints.icar.feedStorage, async ({ request, read }) => {
    const query = read.query(request);
    const asked = pageOf(query);
    const wanted = {
      devices: selectionOf(request, query),
      profileName: 'silo_scale' as const,
      status: null,
      text: null,
      withReadings: true,
      isRemoved: false,
      nowMs: now(),
    };
    const { data, page } = await readPage(
      request,
      asked,
      (afterDeviceId, limit) => reads(request).fleet.devices({ ...wanted, afterDeviceId, limit }),
      ({ device_id }) => device_id,
      (device) => device,
    );
    const member: IcarFeedStorage[] = [];
    for (const device of data) member.push(...(await resourceOf(request, device)));
    const { facility } = query;
    const next = new URLSearchParams({
      ...(facility === undefined ? {} : { facility }),
      limit: String(asked.limit),
      cursor: page.next_cursor ?? '',
    });
    const address = `${settings.publicUrl?.replace(/\/+$/, '') ?? ''}/v1/icar/feed-storage?${next}`;
    return {
      view: { pageSize: asked.limit, ...(page.next_cursor === null ? {} : { next: address }) },
      member,
    };
  });
}
