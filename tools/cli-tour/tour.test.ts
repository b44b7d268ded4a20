import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { differences, tourIn, withTour } from './tour.ts';

const PAGE = readFileSync(join(REPOSITORY_ROOT, 'docs/cli.md'), 'utf8');

test('the tour is found in docs/cli.md, and replaced there', () => {
  assert.match(tourIn(PAGE), /^\$ granary devices .*\n[\s\S]*\n\$ granary doctor\n[\s\S]*\n$/);
  assert.equal(withTour(PAGE, tourIn(PAGE)), PAGE);
  assert.equal(tourIn(withTour(PAGE, '$ granary new\n$1\n')), '$ granary new\n$1\n');
});

test('values, times and widths may differ, words may not', () => {
  const tour = 'silo-02  level 89.34 %   1 s ago\nin_progress: 3 kg\nok    disk      76.9 GB free\n';
  assert.deepEqual(differences(tour, 'silo-02  level 9.3 %  12 s ago\nwarn  disk  1 GB free\n'), []);
  const end = 'Discharge 10 kg completed: 10 kg reported';
  assert.deepEqual(differences(end, `${end}, 9.8 kg measured`), []);
  assert.deepEqual(differences('a 1\nb\n', 'a 2\nc\n'), ['only in docs/cli.md: b', 'not in docs/cli.md: c']);
});
