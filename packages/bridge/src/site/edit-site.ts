import { readFile, stat } from 'node:fs/promises';
import { type Document, isMap, isSeq, parseDocument } from 'yaml';
import { writePrivately } from './secrets.ts';
import type { SiteDevice } from './site-file.ts';

/** Adds a device to the text of a site file; comments and order stay. */
export function withDevice(text: string, device: SiteDevice, mappingFile?: string): string {
  const document = parseDocument(text);
  if (mappingFile !== undefined) addMapping(document, mappingFile);
  const devices = document.get('devices');
  const entry = document.createNode(device);
  if (!isSeq(devices)) document.set('devices', [device]);
  else {
    devices.flow = false;
    const index = devices.items.findIndex((item) => isMap(item) && item.get('id') === device.id);
    if (index === -1) devices.add(entry);
    else devices.items[index] = entry;
  }
  return document.toString({ lineWidth: 0 });
}

function addMapping(document: Document, file: string): void {
  const mappings = document.get('mappings');
  if (!isSeq(mappings)) document.set('mappings', [file]);
  else if (!mappings.toJSON().includes(file)) mappings.add(file);
}

/** Removes a device from the text; returns `null` if the file has no such device. */
export function withoutDevice(text: string, deviceId: string): string | null {
  const document = parseDocument(text);
  const devices = document.get('devices');
  if (!isSeq(devices)) return null;
  const index = devices.items.findIndex((item) => isMap(item) && item.get('id') === deviceId);
  if (index === -1) return null;
  devices.items.splice(index, 1);
  return document.toString({ lineWidth: 0 });
}

/** Replaces the file; its access rights stay. */
export async function replaceSite(file: string, text: string): Promise<void> {
  const { mode } = await stat(file);
  if ((await readFile(file, 'utf8')) !== text) await writePrivately(file, text, mode & 0o777);
}
