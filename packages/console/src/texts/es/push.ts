import type { Texts } from '../en/texts.ts';

export const push: Texts['push'] = {
  title: 'Notificaciones en este dispositivo',
  means:
    'Las alertas y las operaciones terminadas llegan a este dispositivo también con la página cerrada. Lo que se envía está cifrado; el servicio push del navegador no puede leerlo.',
  obstacles: {
    encryption: 'Los navegadores solo lo permiten con HTTPS. Pídalo a quienes administran el servicio.',
    install:
      'En un iPhone o iPad añada primero esta página a la pantalla de inicio (Compartir, Añadir a pantalla de inicio) y ábrala desde allí.',
    denied:
      'Este navegador rechaza las notificaciones de esta página. Permítalas en los ajustes del navegador para esta dirección.',
    browser: 'Este navegador no conoce Web Push.',
    service: 'El servicio push del navegador no se alcanza desde aquí.',
  },
  turnOn: 'Activar',
  turnOff: 'Desactivar',
  isOn: 'Activadas: los mensajes llegan a este dispositivo.',
  isOff: 'Desactivadas: ningún mensaje llega a este dispositivo.',
  test: 'Enviar prueba',
  tested: 'Una prueba está en camino a todos sus dispositivos.',
  settings: 'Qué avisar',
  severityMin: 'Alertas desde esta gravedad',
  facilities: 'Solo estas fincas',
  operations: 'Operaciones terminadas',
  operationsOf: { none: 'Ninguna', own: 'Las que yo inicié', all: 'Todas' },
  resolved: 'Avisar también cuando termina una alerta',
  quietMeans: (zone) =>
    `En la hora de ${zone}. Las operaciones que terminan entonces no se avisan; las alertas esperan.`,
  devices: 'Dispositivos que reciben mensajes',
  since: 'Desde',
  end: 'Terminar',
  endOf: (browser) => `Terminar las notificaciones en ${browser}`,
  endMeans: 'Ningún mensaje llega ya a este dispositivo.',
  words: {
    over: 'Terminada',
    severity_raised: 'Más grave',
    present_again: 'De nuevo',
    unshelved: 'Ya no aplazada',
    not_acknowledged: 'Sin confirmar',
    completed: 'Completada',
    stopped: 'Detenida',
    failed: 'Fallida',
    several: 'Alertas',
    test: 'Los mensajes llegan a este dispositivo.',
  },
};
