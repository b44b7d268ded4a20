import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Operator, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { eventually } from '@granary/testing/server/eventually';
import type { Locator, Page } from 'playwright-core';

const TABLET = { width: 820, height: 1_180 };
/** No view has this many stops for the keyboard. */
const TABS_MAX = 200;
/** These silos move all the time, so that their stops are docked at the foot of the window. */
const MOVING = ['silo-06', 'silo-07'];
const ROVER = 'rover-01';

/**
 * Says how many targets there are, whether one of them has the focus, and why the focused element cannot be seen; `hidden` is `null` if
 * it is visible as a whole, or as far as the window is large enough. The page computes all of it at once, because a walk has many steps.
 */
function lookAtFocus(targets: Element[]) {
  const hiddenOf = (element: HTMLInputElement): string | null => {
    const name = element.outerHTML.replace(/\s+/g, ' ').slice(0, 160);
    const boxes = [...element.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
    if (boxes.length === 0) return `no box: ${name}`;
    const isSeen = (x: number, y: number): boolean => {
      const top = document.elementFromPoint(x, y);
      const label = element.labels?.[0];
      return (
        top !== null && (element.contains(top) || top.contains(element) || label?.contains(top) === true)
      );
    };
    const faults: string[] = [];
    for (const { left, right, top, bottom, height } of boxes.slice(0, 1)) {
      const x = (Math.max(0, left) + Math.min(innerWidth, right)) / 2;
      const middle = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2;
      const places = height > innerHeight / 2 ? [middle] : [top + 2, middle, bottom - 2];
      for (const y of places) {
        if (isSeen(x, y)) continue;
        const over = document.elementFromPoint(x, y);
        const where = over === null ? 'outside' : `under ${over.localName}.${over.className}`;
        faults.push(`${Math.round(x)}, ${Math.round(y)} is ${where}`);
      }
    }
    return faults.length === 0 ? null : `${name}: ${faults.join('; ')}`;
  };
  const element = document.activeElement;
  const isOfPage = element === null || element === document.body || element.localName === 'main';
  return {
    count: targets.length,
    isReached: element !== null && targets.includes(element),
    // Elements without labels have none; the compiler knows labels of inputs only.
    hidden: isOfPage ? null : hiddenOf(element as HTMLInputElement),
  };
}

/** A person who has a keyboard and no pointer. */
class KeyboardOperator {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async press(key: string): Promise<void> {
    await this.#page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
  }

  /** Presses Tab until the target has the focus; everything on the way must be visible. */
  async reach(target: Locator): Promise<void> {
    for (let tab = 0; tab < TABS_MAX; tab++) {
      // A tile exists only when it is close to the window.
      const { count, isReached, hidden } = await target.evaluateAll(lookAtFocus);
      assert.ok(count <= 1, `${count} elements are ${target}`);
      if (tab > 0) assert.equal(hidden, null, this.#page.url());
      if (isReached) return;
      await this.press('Tab');
    }
    assert.fail(`Tab does not lead to ${target}`);
  }

  async use(target: Locator): Promise<void> {
    await this.reach(target);
    await this.press('Enter');
  }
}

for (const viewport of [PHONE, TABLET]) {
  describe(`by the keyboard alone, ${viewport.width} px wide`, () => {
    let site: RunningSite;
    before(async () => {
      site = await RunningSite.start();
      for (const deviceId of MOVING) {
        await site.client.operations.discharge(deviceId, {
          amount: 400,
          rate: 1,
          target_container: 'Sacks',
        });
      }
    });
    after(() => site.stop());

    const keyboardOf = ({ page }: Operator): KeyboardOperator => new KeyboardOperator(page);

    test('a device is found, by its tile and by the search', async (t) => {
      const operator = await signIn(t, site, { viewport });
      if (operator === null) return;
      const { page } = operator;
      const keyboard = keyboardOf(operator);
      await page.getByRole('heading', { name: 'Calf starter' }).waitFor();
      await keyboard.use(page.getByRole('button', { name: 'To the contents' }));
      await keyboard.use(page.getByRole('main').getByRole('link', { name: 'Sow feed', exact: true }).last());
      await page.getByRole('heading', { name: 'Sow feed', level: 1 }).waitFor();
      await keyboard.press('/');
      await keyboard.type('calf');
      await page.getByRole('heading', { name: 'Layer feed' }).waitFor({ state: 'detached' });
      await keyboard.use(page.getByRole('link', { name: 'Calf starter', exact: true }).last());
      await page.getByRole('heading', { name: 'Calf starter', level: 1 }).waitFor();
      await keyboard.reach(page.getByRole('button', { name: 'Add note' }));
    });

    test('a silo is discharged and stopped', async (t) => {
      const operator = await signIn(t, site, { viewport });
      if (operator === null) return;
      const { page } = operator;
      const keyboard = keyboardOf(operator);
      await operator.open('#/devices/silo-02');
      const form = page.getByRole('group', { name: 'Start an operation' });
      await keyboard.use(form.getByRole('button', { name: 'Discharge', exact: true }));
      await keyboard.reach(page.getByLabel('Amount'));
      await keyboard.type('100');
      await keyboard.reach(page.getByLabel('Into which container'));
      await keyboard.type('Truck 7');
      await page.getByText('into Truck 7').first().waitFor();
      await keyboard.use(page.getByRole('button', { name: /^Discharge 100\skg$/ }));
      const stop = page
        .getByRole('region', { name: 'Operation under way' })
        .getByRole('button', { name: /^Stop/ });
      await keyboard.use(stop);
      await eventually(async () => (await site.client.operations.list('silo-02')).data[0]?.status, 'stopped');
    });

    test('an alert is acknowledged in the list', async (t) => {
      const operator = await signIn(t, site, { viewport });
      if (operator === null) return;
      const { page } = operator;
      const keyboard = keyboardOf(operator);
      for (const deviceId of ['silo-01', 'silo-03']) {
        await site.client.configuration.silo.update(deviceId, {
          thresholds: { low_level: 98, high_level: 99 },
        });
      }
      await keyboard.use(
        page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Alerts' }),
      );
      const row = page.getByRole('main').getByRole('row').filter({ hasText: 'Sow feed' });
      // On a phone the actions for several alerts are docked at the foot.
      await keyboard.reach(row.getByRole('checkbox'));
      await keyboard.press('Space');
      await keyboard.reach(page.getByRole('main').getByRole('link').last());
      await keyboard.reach(row.getByRole('checkbox'));
      await keyboard.press('Space');
      await keyboard.use(row.getByRole('button', { name: 'Acknowledge' }).first());
      await eventually(async () => {
        const { data } = await site.client.fleet.alerts({ device_id: 'silo-03' });
        return data.map(({ status }) => status).join();
      }, 'acknowledged');
    });

    test('a configuration is changed', async (t) => {
      const operator = await signIn(t, site, { viewport });
      if (operator === null) return;
      const { page } = operator;
      const keyboard = keyboardOf(operator);
      await operator.open('#/devices/silo-12?tab=configuration');
      await keyboard.reach(page.getByLabel(/^Low level in %/));
      await keyboard.type('22');
      await keyboard.use(page.getByRole('button', { name: 'Save' }));
      await eventually(
        async () => (await site.client.configuration.silo.get('silo-12')).configuration.thresholds.low_level,
        22,
      );
      await keyboard.reach(page.getByLabel('Reason'));
    });

    test('a shift is handed over, and the handover acknowledged', async (t) => {
      const operator = await signIn(t, site, { viewport });
      if (operator === null) return;
      const { page } = operator;
      const keyboard = keyboardOf(operator);
      await page.getByRole('heading', { name: 'Calf starter' }).waitFor();
      await keyboard.use(page.locator('summary'));
      await keyboard.use(page.getByRole('link', { name: 'Shift' }));
      await keyboard.use(page.getByRole('button', { name: 'Hand over' }));
      const dialog = page.getByRole('dialog', { name: 'Hand over' });
      await keyboard.reach(dialog.getByLabel('What the next shift has to know'));
      await keyboard.type('Quiet.');
      await keyboard.use(dialog.getByRole('button', { name: 'Hand over' }));
      await dialog.waitFor({ state: 'detached' });
      await keyboard.use(page.getByRole('button', { name: 'Acknowledge handover' }));
      await page.getByText('No handover waits').waitFor();
      // After a change the focus is still near the person's place, and not at the beginning of the page.
      await keyboard.reach(page.getByRole('link', { name: 'Calf starter' }).last());
    });

    test('a mission is drawn on the map, and the vehicle stopped', async (t) => {
      const operator = await signIn(t, site, { viewport });
      if (operator === null) return;
      const { page } = operator;
      const keyboard = keyboardOf(operator);
      await keyboard.use(
        page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Field map' }),
      );
      await keyboard.use(page.getByRole('button', { name: /^Hillside north field, Online/ }));
      await keyboard.use(page.getByRole('link', { name: 'Plan a mission' }));
      await page.getByText('Press the map to add a waypoint').waitFor();
      await keyboard.reach(page.getByRole('group', { name: 'Map of the field devices' }));
      await keyboard.press('Enter');
      await keyboard.press('ArrowUp');
      await keyboard.press('Enter');
      await keyboard.reach(page.getByLabel('Name of the mission'));
      await keyboard.type('Soil');
      await keyboard.reach(page.getByRole('button', { name: /^Start now/ }));
      await keyboard.use(page.getByRole('region', { name: 'Emergency stop' }).getByRole('button').first());
      await eventually(async () => (await site.client.devices.field.get(ROVER)).emergency_stop?.active, true);
    });
  });
}
