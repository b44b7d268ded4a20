import type * as english from '../en/overview.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('fr');

export const overview: typeof english.overview = {
  emptyNext:
    'Un appareil enregistré apparaît ici dès son premier message : son niveau, quand il sera vide, et ce qu’il lui faut.',
  register: 'Enregistrer un appareil',
  howToConnect: 'Comment connecter les appareils',
  title: 'Aperçu',
  empty: 'Il n’y a pas encore d’appareils. Enregistrez-en un sous Gestion.',
  nothingFound: 'Aucun appareil ne correspond.',
  attention: 'À surveiller',
  nothingNeedsAttention: 'Rien à surveiller.',
  attentionUnknown: 'Inconnu : cette page n’est pas à jour.',
  attentionLastKnown: 'Cette page n’est pas à jour. À surveiller au moment de la perte de connexion :',
  flood: (devices, facilities) =>
    `${plural(devices, { one: '# appareil', other: '# appareils' })}${facilities === 1 ? '' : ` sur ${facilities} sites`}`,
  shelved: (count) => plural(count, { one: '# alerte différée', other: '# alertes différées' }),
  showAll: (count) => `Afficher les ${count}`,
  devices: (count) => plural(count, { one: '# appareil', other: '# appareils' }),
  profile: 'Type d’appareil',
  anyProfile: 'Tous les types',
  grouping: 'Groupes',
  groupings: { place: 'Par lieu', none: 'Une liste' },
  sort: 'Ordre',
  sorts: {
    attention: 'À surveiller d’abord',
    name: 'Par nom',
    level: 'Niveau le plus bas d’abord',
    empty: 'Bientôt vide d’abord',
  },
  show: 'Afficher',
  shows: { all: 'Tout', needs_me: 'Pour moi', moving: 'En mouvement', low: 'Bas', stale: 'Ancien' },
  view: 'Forme',
  views: { tiles: 'Tuiles', table: 'Tableau' },
  chooseColumns: 'Colonnes',
  columns: {
    zone: 'Secteur',
    stock: 'Contenu',
    empty: 'Vide',
    order: 'Commander avant',
    alerts: 'Alertes',
    age: 'Vu',
  },
  stock: (mass) => `${mass} en stock`,
  thresholds: { low_level: 'Niveau bas', high_level: 'Niveau haut', critical_level: 'Niveau critique' },
  levelOf: (name, level) => `${name} : ${level ?? 'niveau jamais signalé'}`,
  lastDay: 'Niveau des dernières 24 heures',
  room: (mass) => `${mass} de place`,
  points: (count) => plural(count, { one: '# point', other: '# points' }),
  changeOfDay: (change) => `${change} en 24 h`,
  noReading: 'Pas encore de mesure',
  declaredSensors: (count) => plural(count, { one: '+# capteur', other: '+# capteurs' }),
  onMap: 'Carte',
  states: {
    idle: 'Au repos',
    emergencyStop: 'Arrêt d’urgence',
    emergencyStopUnconfirmed: 'Arrêt d’urgence non confirmé',
    missions: {
      dispatched: 'Mission envoyée',
      in_progress: 'En mission',
      paused: 'Mission en pause',
    },
  },
};
