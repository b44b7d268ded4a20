import type * as english from '../en/start.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('es');

export const start: typeof english.start = {
  title: 'Primeros pasos',
  notice: 'Todos los equipos de aquí son simulados.',
  noticeMore: 'Conectar los suyos o salir de la demostración',
  dismiss: 'No mostrar más',
  historyBeingWritten: (count, of) =>
    plural(of, {
      one: 'El historial del equipo aún se está escribiendo.',
      other: `El historial de ${count} de los # equipos aún se está escribiendo.`,
    }),
  simulated: 'Qué es simulado',
  none: 'No hay equipos simulados.',
  simulatedCount: (count) =>
    `${count === 1 ? 'Un equipo es simulado: tiene' : `${count} equipos son simulados: tienen`} la etiqueta «simulated». Nada de lo que se mueve en ellos es real; sus alertas, pedidos e historiales son inventados.`,
  showThem: 'Mostrar los equipos simulados',
  own: (count) => plural(count, { one: '# equipo propio.', other: '# equipos propios.' }),
  noOwn: 'Todavía no hay ningún equipo propio.',
  otherClocks: (service, silos) =>
    `El servicio funciona con la hora de ${service}; sus silos, con la de ${silos}. Lo que no pertenece a ningún silo y los lugares cuyos silos no indican zona horaria siguen al servicio: lo cambia el ajuste GRANARY_TIME_ZONE.`,
  attach: 'Conectar el primer equipo',
  needsAdmin: 'Puede hacerlo quien administra los equipos; pídaselo o inicie sesión con una clave así.',
  link: 'Habla MQTT o HTTP',
  linkText:
    'Registre el equipo: su usuario, su secreto y una línea que envía una primera medición se muestran una sola vez. Por HTTP, un programa envía mediciones con una clave con el permiso «ingest».',
  protocol: 'El protocolo',
  bridge: 'Habla otra cosa',
  bridgeText:
    'Un puente lee equipos de otros fabricantes por Modbus, LoRaWAN, NMEA, MQTT y HTTP. Esta orden busca equipos, y la página de los puentes los añade:',
  bridgeCommand: 'Buscar equipos',
  csv: 'Son muchos',
  csvText: 'Un archivo CSV con un equipo por fila registra hasta 10 000 de una vez, todos o ninguno.',
  leave: 'Salir de la demostración',
  leaveText:
    'Esta orden quita los equipos simulados con todos sus registros, y ningún otro. Lo que esté en marcha en ellos se detiene antes, y la demostración no vuelve con el próximo inicio. En una copia del repositorio empiece con «npx».',
  leaveCommand: 'Quitar la demostración',
};
