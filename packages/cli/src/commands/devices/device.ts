import type { Define } from '../../frame/define.ts';
import { withExamples } from '../../frame/options.ts';
import { defineAdd } from './add.ts';
import { defineEdit } from './edit.ts';
import { defineLink, defineRejections } from './link.ts';
import { defineRemove } from './remove.ts';
import { defineRestore } from './restore.ts';
import { defineShow } from './show.ts';
import { defineWatch } from './watch.ts';

export const device: Define = (command, environment) => {
  command.description('Shows, registers, changes, removes and restores one device.');
  defineShow(command.command('show').summary('show a device'), environment);
  defineWatch(command.command('watch').summary('print its newest values again and again'), environment);
  defineLink(command.command('link').summary('show its MQTT connection'), environment);
  defineRejections(
    command.command('rejections').summary('list its messages that could not be used'),
    environment,
  );
  defineAdd(command.command('add').summary('register a device'), environment);
  defineEdit(command.command('edit').summary('change what is known of it'), environment);
  defineRemove(command.command('remove').summary('remove it, and keep its records'), environment);
  defineRestore(command.command('restore').summary('bring back one that was removed'), environment);
  withExamples(command, 'granary device show silo-01', 'granary device watch silo-01 --interval 2');
};
