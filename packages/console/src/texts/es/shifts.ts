import type * as english from '../en/shifts.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('es');

export const shifts: typeof english.shifts = {
  title: 'Turno',
  since: (time) => `Desde ${time}`,
  asOf: (time, place) => `Estado a las ${time} · ${place}`,
  timesOf: (place) => `horas de ${place}`,
  clocks: 'Según qué relojes',
  chooseClocks: 'Elegir los relojes',
  severalClocks: (places) =>
    `Los silos de aquí están en varias zonas horarias (${places}). Elija según qué relojes se muestra esto.`,
  begin: (times) => `Los turnos comienzan a las ${times}`,
  start: 'Comienzo del turno',
  refresh: 'Actualizar',
  print: 'Imprimir',
  handover: 'Relevo',
  nothingWaits: 'Ningún relevo espera confirmación.',
  acknowledge: 'Confirmar el relevo',
  handOver: 'Entregar el turno',
  handoverText: 'Lo que debe saber el turno siguiente',
  counted: (title, count) => `${title} (${count})`,
  nothing: 'Nada.',
  more: 'Ver todo',
  openAlerts: 'Alertas abiertas',
  raised: 'Alertas causadas',
  times: (count) => plural(count, { one: '# vez', other: '# veces' }),
  operations: 'Operaciones',
  notes: 'Notas',
  orders: 'Silos por pedir',
  missions: 'Misiones',
  commands: 'Órdenes',
  shelved: 'Alertas aplazadas',
  changes: 'Cambios',
  addNote: 'Añadir nota',
  removeNote: 'Eliminar nota',
  remove: 'Eliminar',
  note: 'Nota',
  at: 'Hora',
  atHint: 'Ahora, si queda vacío.',
};

export const views: typeof english.views = {
  title: 'Vistas',
  none: 'Aún no hay ninguna vista guardada.',
  name: 'Nombre',
  nameHint: 'Se guarda lo que se muestra ahora, con sus filtros.',
  replaces: 'Reemplaza su vista de este nombre.',
  share: 'Compartir con todos',
  shared: 'compartida',
  sharedBy: (name) => `compartida por ${name}`,
  save: 'Guardar la vista',
  saved: 'Vista guardada',
  remove: (name) => `Eliminar ${name}`,
  removeMeans: 'Se elimina la vista; no cambia nada más.',
  removeMeansAll: 'Se elimina la vista para todos; no cambia nada más.',
};
