import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkAccessibility, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { eventually } from '@granary/testing/server/eventually';
import { mapFile, pngTile } from '@granary/testing/server/map-file';
import type { Locator, Page } from 'playwright-core';

const ROVER = 'rover-01';

const mapOf = (page: Page): Locator => page.getByRole('group', { name: 'Map of the field devices' });

/** The position of the selected vehicle on the screen. */
async function middleOf(place: Locator): Promise<{ x: number; y: number }> {
  const box = await place.boundingBox();
  assert.ok(box);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function drag(
  page: Page,
  from: Locator,
  to: { readonly x: number; readonly y: number },
): Promise<void> {
  const start = await middleOf(from);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move((start.x + to.x) / 2, (start.y + to.y) / 2);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
}

describe('the field map', () => {
  let site: RunningSite;
  before(async () => {
    const tiles = { '0/0/0': pngTile([60, 140, 60]) };
    site = await RunningSite.start(0, {
      'farm.pmtiles': mapFile({ type: 'png', levelMin: 0, levelMax: 0, tiles }),
    });
  });
  after(() => site.stop());

  test('a map in the data folder is drawn below vehicles and fences', async (t) => {
    const operator = await signIn(t, site, { viewport: PHONE });
    if (operator === null) return;
    const { page, record } = operator;
    await operator.open('#/map?device=rover-01');
    await page.getByRole('button', { name: /^Hillside north field, Online/ }).waitFor();
    await page.locator('.map-tiles + .map-grid').waitFor({ state: 'attached' });
    const answers = `performance.getEntriesByType('resource')
      .filter(({ name }) => name.includes('/map-tiles/'))
      .map(({ responseStatus }) => responseStatus)`;
    await eventually(async () => (await page.evaluate<number[]>(answers)).length > 0, true);
    const colour = async () => {
      const box = await mapOf(page).boundingBox();
      assert.ok(box);
      const clip = { x: box.x + 4, y: box.y + box.height / 2, width: 1, height: 1 };
      const picture = (await page.screenshot({ clip })).toString('base64');
      const shown = await page.evaluate<
        number[]
      >(`createImageBitmap(new Blob([Uint8Array.fromBase64('${picture}')]))
        .then((bitmap) => {
          const context = new OffscreenCanvas(1, 1).getContext('2d');
          context.drawImage(bitmap, 0, 0);
          return [...context.getImageData(0, 0, 1, 1).data];
        })`);
      const [red = 0, green = 0] = shown;
      return green > red + 30;
    };
    await eventually(colour, true);
    assert.deepEqual(new Set(await page.evaluate<number[]>(answers)), new Set([200]));
    assert.deepEqual(record.faults, []);
  });

  const missions = async () => (await site.client.missions.list(ROVER)).data;

  test('a mission is drawn, refused while it leaves the geofence, started, followed and cancelled', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page, record } = operator;
    await page.getByRole('link', { name: 'Field map' }).click();
    const vehicle = page.getByRole('button', { name: /^Hillside north field, Online/ });
    await vehicle.click();
    await page.getByRole('link', { name: 'Plan a mission' }).click();
    await page.getByText('Press the map to add a waypoint').waitFor();
    const { x, y } = await middleOf(vehicle);
    await page.mouse.click(x + 60, y - 60);
    await page.mouse.click(x - 60, y - 60);
    const waypoint = page.getByRole('button', { name: 'Waypoint 2, Scan' });
    await page.getByText('must remain').waitFor();

    const corner = await middleOf(mapOf(page));
    const box = await mapOf(page).boundingBox();
    assert.ok(box);
    await drag(page, waypoint, { x: box.x + box.width - 30, y: box.y + box.height - 30 });
    await page.getByText('Waypoint 2 lies outside the geofence').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Start now/ }).isDisabled(), true);
    await checkAccessibility(page);
    await drag(page, waypoint, { x: corner.x - 60, y: corner.y - 60 });
    await page.getByText('Waypoint 2 lies outside the geofence').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Waypoint 2: Earlier' }).click();
    await page.getByLabel('Name of the mission').fill('<b>Soil</b> round');
    await page.getByRole('button', { name: /^Start now: 2 waypoints/ }).click();
    await page.getByRole('heading', { name: '<b>Soil</b> round' }).waitFor();
    await page.getByText('On the way', { exact: true }).waitFor();
    const [created] = await missions();
    assert.equal(created?.mission_name, '<b>Soil</b> round');
    assert.ok((created?.waypoints[0]?.lng ?? 0) < (created?.waypoints[1]?.lng ?? 0));

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).last().waitFor();
    await page.getByRole('button', { name: 'Cancel the mission' }).click();
    await page.getByRole('button', { name: 'Cancel the mission' }).click();
    await eventually(async () => (await missions())[0]?.status, 'cancelled');
    await page.getByRole('region', { name: 'Missions' }).getByText('Cancelled').waitFor();
    assert.deepEqual(record.faults, []);
    assert.deepEqual([...record.hosts], [new URL(site.url).host]);
  });

  test('waypoints are added, moved and removed by the keyboard alone', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page } = operator;
    await operator.open(`#/map?device=${ROVER}&mode=plan`);
    await page.getByText('Press the map to add a waypoint').waitFor();
    await mapOf(page).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const second = page.getByRole('button', { name: 'Waypoint 2, Scan' });
    const before = await middleOf(second);
    await second.focus();
    await page.keyboard.press('ArrowUp');
    await eventually(async () => (await middleOf(second)).y < before.y, true);
    await page.keyboard.press('Delete');
    await second.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Waypoint 1, Scan' }).waitFor();
  });

  test('on a phone the map is in sight when a mission is drawn on it', async (t) => {
    const operator = await signIn(t, site, { viewport: PHONE });
    if (operator === null) return;
    const { page, open } = operator;
    await open(`#/map?device=${ROVER}`);
    await page.getByRole('link', { name: 'Plan a mission' }).click();
    await page.getByText('Press the map to add a waypoint').waitFor();
    await eventually(async () => ((await mapOf(page).boundingBox())?.y ?? -1) >= 0, true);
  });

  test('on a phone one press stops a vehicle, and a person releases it', async (t) => {
    const operator = await signIn(t, site, { viewport: PHONE, colorScheme: 'dark' });
    if (operator === null) return;
    const { page, open, record } = operator;
    await open(`#/map?device=${ROVER}`);
    const stop = page.getByRole('region', { name: 'Emergency stop' }).getByRole('button').first();
    await stop.waitFor();
    const box = await stop.boundingBox();
    assert.ok(box && box.height >= 64 && box.y + box.height <= PHONE.height, JSON.stringify(box));
    await checkAccessibility(page);
    await stop.click();
    await page.getByText('has confirmed that it stands still').waitFor();
    const inForce = async () => (await site.client.devices.field.get(ROVER)).emergency_stop?.active;
    assert.equal(await inForce(), true);
    assert.equal(await page.getByRole('button', { name: 'Return to base' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Release the emergency stop' }).click();
    await page.getByText('Look first that nobody is near').waitFor();
    await page.getByRole('button', { name: 'Release the emergency stop' }).click();
    await eventually(inForce, false);
    await page.getByText('has confirmed that it stands still').waitFor({ state: 'detached' });
    assert.deepEqual(record.faults, []);
  });

  test('the geofence is changed by coordinates, and not over the change of somebody else', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page, open } = operator;
    await open(`#/map?device=${ROVER}&mode=geofence`);
    const latitude = page.getByLabel('Corner 1: Latitude');
    await latitude.fill('52.026');
    await latitude.press('Tab');
    await site.client.configuration.field.update(ROVER, { motion: { speed_m_s: 2.5 } });
    await page.getByText('Somebody else has changed the configuration').waitFor();
    await page.getByRole('button', { name: /^Save the geofence/ }).click();
    await page.getByRole('button', { name: 'Show the present geofence and discard mine' }).click();
    await latitude.fill('52.026');
    await latitude.press('Tab');
    await page.getByRole('button', { name: 'Corner 8: Remove' }).click();
    await page.getByRole('button', { name: 'Save the geofence with 7 corners' }).click();
    await page.getByRole('link', { name: 'Plan a mission' }).waitFor();
    const { configuration } = await site.client.configuration.field.get(ROVER);
    assert.ok('geofence' in configuration && configuration.geofence !== null);
    assert.deepEqual([configuration.geofence.length, configuration.geofence[0]?.lat], [7, 52.026]);
  });

  test('a geofence is taken from a KML or GeoJSON file, and a hostile file changes nothing', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page, record, open } = operator;
    const fence = async () => {
      const { configuration } = await site.client.configuration.field.get(ROVER);
      return 'geofence' in configuration ? configuration.geofence : null;
    };
    const before = await fence();
    await open(`#/map?device=${ROVER}&mode=geofence`);
    const choose = (name: string, text: string) =>
      page.getByLabel('From a file').setInputFiles({ name, mimeType: '', buffer: Buffer.from(text) });
    const polygon = (corners: string) =>
      `<Polygon><outerBoundaryIs><LinearRing><coordinates>${corners}</coordinates></LinearRing></outerBoundaryIs></Polygon>`;
    const kml = (content: string, type = '') =>
      `<?xml version="1.0"?>${type}<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${content}</Document></kml>`;
    const laughs = Array.from({ length: 30 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join(
      '',
    );
    const crossing = '8.1,52.0,0 8.2,52.1,0 8.2,52.0,0 8.1,52.1,0 8.1,52.0,0';
    const [unreadable, noDegrees] = [/neither GeoJSON nor KML/, /not degrees of longitude/];
    const secret = '<!DOCTYPE kml [<!ENTITY secret SYSTEM "file:///etc/passwd">]>';
    const refused: readonly (readonly [string, RegExp])[] = [
      [kml(polygon('&l30;'), `<!DOCTYPE kml [<!ENTITY l0 "8,52 ">${laughs}]>`), unreadable],
      [kml(polygon('8.1,52'), '<!DOCTYPE').slice(0, -20), unreadable],
      [kml(polygon('&secret;'), secret), noDegrees],
      [kml(polygon('425000,5765000 425100,5765000 425100,5765100')), noDegrees],
      [kml(polygon('8.1,52.0 8.2,52.0')), /fewer than 3 corners/],
      [kml('<Placemark><name>Home</name></Placemark>'), /no polygon/],
      ['['.repeat(100_000), unreadable],
      [' '.repeat(20_000_001), /larger than 20 MB/],
    ];
    for (const [text, fault] of refused) {
      await choose('field.kml', text);
      await page.getByText(fault).waitFor();
    }
    await choose('field.kml', kml(polygon(crossing)));
    await page.getByRole('button', { name: 'Save the geofence with 4 corners' }).click();
    await page.getByRole('alert').filter({ hasText: /cross/ }).waitFor();
    assert.deepEqual(await fence(), before);

    const named = (name: string, corners: string) =>
      `<Placemark><name><![CDATA[${name}]]></name><MultiGeometry>${polygon(corners)}</MultiGeometry></Placemark>`;
    const script = '<img src=x onerror="document.title = 1">';
    const lats = (before ?? []).map(({ lat }) => lat);
    const lngs = (before ?? []).map(({ lng }) => lng);
    const [south, north, west, east] = [
      Math.min(...lats),
      Math.max(...lats),
      Math.min(...lngs),
      Math.max(...lngs),
    ];
    const around = `\n ${west},${south},0\n ${east},${south},0\n${east},${north}\n${west},${north}\n${west},${south}\n`;
    await choose('field.kml', kml(named('Far', '0,0 1,0 1,1 0,0') + named(script, around)));
    await page.getByLabel('Polygon of the file').selectOption(`${script} (4)`);
    await page.getByRole('button', { name: 'Save the geofence with 4 corners' }).click();
    await page.getByRole('link', { name: 'Plan a mission' }).waitFor();
    assert.deepEqual((await fence())?.[0], { lat: south, lng: west });
    // The browser logs the refusal, and that its own description of wrong XML has a style.
    assert.deepEqual(
      record.faults.filter((fault) => !/\b422\b|inline style/.test(fault)),
      [],
    );
    await site.client.configuration.field.update(ROVER, { geofence: before });
  });
});
