import type * as english from '../en/bridges.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('fr');

export const bridges: typeof english.bridges = {
  none: 'Aucune passerelle ne s’annonce à ce service.',
  noneNext:
    'Une passerelle lit des appareils qui n’ont pas été faits pour lui : balances, capteurs, stations météo et traceurs.',
  howTo: 'Comment en démarrer une',
  named: (id) => `Passerelle ${id}`,
  statuses: { connected: 'Dernier signe il y a', away: 'Muette depuis' },
  version: (version) => `version n° ${version}`,
  forget: 'Oublier',
  forgetOf: (id) => `Oublier la passerelle ${id}`,
  forgetMeans: 'Ses appareils restent enregistrés. Si elle s’annonce à nouveau, elle est de nouveau connue.',
  siteFaults: 'Le fichier de site a des erreurs ; le dernier sans erreur est utilisé.',
  line: (line, message) => `Ligne ${line} : ${message}`,
  noDevices: 'Elle n’a pas encore d’appareils, ou aucun que votre clé puisse voir.',
  devicesOf: (id) => `Appareils de ${id}`,
  states: { answering: 'Répond', silent: 'Muet', waiting: 'Pas encore interrogé' },
  journal: 'En attente dans le journal',
  readings: (count) => plural(count, { one: '# mesure', other: '# mesures' }),
  dropped: 'Abandonnées',
  oldest: 'La plus ancienne',
  journalFault: (detail) => `Rien ne peut être écrit dans le journal : ${detail}`,
  device: 'Appareil',
  model: 'Modèle et adresse',
  place: (endpoint, unit) => `${endpoint}, unité ${unit}`,
  state: 'État',
  roundTrip: 'Aller-retour',
  lastFailure: 'Dernière erreur',
  paused: (failures, seconds) =>
    `Interrogé moins souvent après ${plural(failures, { one: '# échec', other: '# échecs' })} ; prochaine fois dans ${seconds} s`,
  failures: {
    timeout: 'Il n’a pas répondu à temps. Vérifiez son alimentation, son adresse et le numéro d’unité.',
    connection_refused:
      'L’adresse a refusé la connexion. Vérifiez le port, et si un autre programme occupe l’appareil.',
    connection_lost:
      'La connexion s’est perdue. Vérifiez le câble, le réseau et l’alimentation de l’appareil.',
    not_resolved: 'Personne ne connaît le nom de son adresse. Vérifiez comment il est écrit.',
    exception: 'L’appareil a refusé la lecture. Vérifiez que le modèle est le bon.',
    wrong_unit:
      'Une autre unité a répondu. Vérifiez le numéro d’unité, et qu’il n’est pas utilisé deux fois.',
    malformed:
      'La réponse n’a pas pu être lue. Vérifiez le modèle, ainsi que la vitesse et la parité de la ligne.',
    no_data: 'Il n’a rien envoyé depuis trop longtemps. Vérifiez son alimentation, sa batterie et sa radio.',
    not_authorized: 'Le nom d’utilisateur ou le mot de passe est faux.',
    unit_differs:
      'Certaines valeurs ne sont pas enregistrées : le modèle les donne dans une autre unité que celle déclarée pour le capteur.',
    driver_missing: 'Cette passerelle ne sait pas parler ce protocole.',
  },
  reasons: {
    out_of_range: 'Hors de sa plage',
    bad_status: 'L’appareil dit qu’elle n’est pas valable',
    none_value: 'L’appareil n’a pas de valeur',
    not_a_number: 'Pas un nombre',
    unknown_scale: 'Son échelle n’est pas connue',
    unknown_unit: 'Son unité n’est pas connue',
    unknown_value: 'Sa signification n’est pas connue',
  },
  detach: 'Détacher',
  detachOf: (id) => `Détacher ${id} de la passerelle`,
  detachMeans: 'La passerelle cesse de le lire. L’appareil reste enregistré, avec toutes ses données.',
  test: 'Lire maintenant',
  testOf: (id) => `Lire maintenant : ${id}`,
  testing: 'En attente de la lecture par la passerelle …',
  again: 'Relire',
  notRead: 'Il n’a pas pu être lu',
  answered: (milliseconds) =>
    milliseconds === null ? 'Il a répondu.' : `Il a répondu après ${milliseconds} ms.`,
  points: 'Ce qui a été lu',
  point: 'Point lu',
  value: 'Valeur',
  raw: 'Tel que reçu',
  sensor: 'Devient',
  noSensor: 'sert seulement à d’autres',
  quality: 'Qualité',
  addDevice: 'Ajouter un appareil',
  fields: {
    mapping: 'Modèle',
    endpoint: 'Adresse',
    unit: 'Numéro d’unité',
    options: 'Autres réglages',
  },
  chooseModel: 'Choisissez le modèle …',
  modelHint: 'Ce que dit la plaque de l’appareil. Des modèles peuvent être ajoutés dans le fichier de site.',
  evidence: {
    documented: 'Fait d’après le document du fabricant, et pas encore essayé avec un appareil.',
    peer: 'Essayé avec un programme qui se comporte comme l’appareil.',
    hardware: 'Essayé avec un véritable appareil.',
  },
  endpointHint: 'De l’appareil, ou du convertisseur ou broker placé devant lui.',
  unitHint: 'Derrière un convertisseur ; sinon vide.',
  optionsHint: 'Un par ligne, par exemple address=24e124136b502217, si le modèle en demande.',
  testNow: 'Le lire maintenant',
  testAgain: 'L’adresse a été modifiée : relisez-le avant d’enregistrer.',
  save: 'Enregistrer et attacher',
};
