import type * as english from '../en/overview.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('es');

export const overview: typeof english.overview = {
  emptyNext:
    'Un equipo registrado aparece aquí con su primer mensaje: su nivel, cuándo estará vacío y qué necesita.',
  register: 'Registrar un equipo',
  howToConnect: 'Cómo se conectan los equipos',
  title: 'Resumen',
  empty: 'Aún no hay equipos. Registre uno en Gestión.',
  nothingFound: 'Ningún equipo coincide.',
  attention: 'Requiere atención',
  nothingNeedsAttention: 'Nada requiere atención.',
  attentionUnknown: 'No se sabe: esta página no está al día.',
  attentionLastKnown: 'Esta página no está al día. Lo que requería atención al perderse la conexión:',
  flood: (devices, facilities) =>
    `${plural(devices, { one: '# equipo', other: '# equipos' })}${facilities === 1 ? '' : ` en ${facilities} fincas`}`,
  shelved: (count) => plural(count, { one: '# alerta aplazada', other: '# alertas aplazadas' }),
  showAll: (count) => `Mostrar los ${count}`,
  devices: (count) => plural(count, { one: '# equipo', other: '# equipos' }),
  profile: 'Tipo de equipo',
  anyProfile: 'Todos los tipos',
  grouping: 'Grupos',
  groupings: { place: 'Por lugar', none: 'Una lista' },
  sort: 'Orden',
  sorts: {
    attention: 'Lo urgente primero',
    name: 'Por nombre',
    level: 'Nivel más bajo primero',
    empty: 'Antes vacío primero',
  },
  show: 'Mostrar',
  shows: { all: 'Todo', needs_me: 'Para mí', moving: 'En marcha', low: 'Bajo', stale: 'Antiguo' },
  view: 'Forma',
  views: { tiles: 'Fichas', table: 'Tabla' },
  chooseColumns: 'Columnas',
  columns: {
    zone: 'Zona',
    stock: 'Existencias',
    empty: 'Vacío',
    order: 'Pedir antes de',
    alerts: 'Alertas',
    age: 'Visto',
  },
  stock: (mass) => `${mass} en total`,
  thresholds: { low_level: 'Nivel bajo', high_level: 'Nivel alto', critical_level: 'Nivel crítico' },
  levelOf: (name, level) => `${name}: ${level ?? 'nivel nunca comunicado'}`,
  lastDay: 'Nivel de las últimas 24 horas',
  room: (mass) => `${mass} libres`,
  points: (count) => plural(count, { one: '# punto', other: '# puntos' }),
  changeOfDay: (change) => `${change} en 24 h`,
  noReading: 'Aún sin mediciones',
  declaredSensors: (count) => plural(count, { one: '+# sensor', other: '+# sensores' }),
  onMap: 'Mapa',
  states: {
    idle: 'En reposo',
    emergencyStop: 'Parada de emergencia',
    emergencyStopUnconfirmed: 'Parada de emergencia sin confirmar',
    missions: {
      dispatched: 'Misión enviada',
      in_progress: 'En misión',
      paused: 'Misión en pausa',
    },
  },
};
