import type * as english from '../en/start.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('es');

export const start: typeof english.start = {
  title: 'Primeros pasos',
  notice: 'Todos los dispositivos de aquí son simulados.',
  noticeMore: 'Conectar los suyos o salir de la demostración',
  dismiss: 'No mostrar más',
  simulated: 'Qué es simulado',
  none: 'No hay dispositivos simulados.',
  simulatedCount: (count) =>
    `${count === 1 ? 'Un dispositivo es simulado: tiene' : `${count} dispositivos son simulados: tienen`} la etiqueta «simulated». Nada de lo que se mueve en ellos es real; sus alertas, pedidos e historiales son inventados.`,
  showThem: 'Mostrar los dispositivos simulados',
  own: (count) => plural(count, { one: '# dispositivo propio.', other: '# dispositivos propios.' }),
  noOwn: 'Todavía no hay ningún dispositivo propio.',
  attach: 'Conectar el primer dispositivo',
  needsAdmin: 'Puede hacerlo quien administra los dispositivos; pídaselo o inicie sesión con una clave así.',
  link: 'Habla MQTT o HTTP',
  linkText:
    'Registre el dispositivo: su usuario, su secreto y una línea que envía una primera medición se muestran una sola vez. Por HTTP, un programa envía mediciones con una clave con el permiso «ingest».',
  protocol: 'El protocolo',
  bridge: 'Habla otra cosa',
  bridgeText:
    'Un puente lee dispositivos de otros fabricantes por Modbus, LoRaWAN, NMEA, MQTT y HTTP. Esta orden busca dispositivos, y la página de los puentes los añade:',
  bridgeCommand: 'Buscar dispositivos',
  csv: 'Son muchos',
  csvText: 'Un archivo CSV con un dispositivo por fila registra hasta 10 000 de una vez, todos o ninguno.',
  leave: 'Salir de la demostración',
  leaveText:
    'Esta orden quita los dispositivos simulados con todos sus registros, y ningún otro. Lo que esté en marcha en ellos se detiene antes, y la demostración no vuelve con el próximo inicio. En una copia del repositorio empiece con «npx».',
  leaveCommand: 'Quitar la demostración',
};
